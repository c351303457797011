// Whatever is done to a proven mail: nothing throws, and where it still is proven, it still says what was signed.
// A long run: CASES=1000000 SEED=7 npm test -- server/src/mail/in/mutated-mails.test.ts

import { join } from 'node:path'
import { test } from 'node:test'
import { fuzzApart, reached } from '../../../test/support/hostile/fuzz-apart.ts'

test('mutated mails: no crash, no proof of what was not signed', async () => {
  const outcomes = await fuzzApart(join(import.meta.dirname, '../../../test/support/mutated-mails.ts'))
  reached(outcomes, { consents: 1, proven: 1, taken: 1, refused: 1 })
})
