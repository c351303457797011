// Whatever is done to a proven mail: nothing throws, and where it still is proven, it still says what was signed.

import { join } from 'node:path'
import { test } from 'node:test'
import { budget } from '../../../test/support/hostile/fuzz.ts'
import { fuzzApart, reached } from '../../../test/support/hostile/fuzz-apart.ts'
import { repetitions } from '../../../test/support/repetitions.ts'

test('mutated mails: no crash, no proof of what was not signed', async () => {
  const outcomes = await fuzzApart(
    join(import.meta.dirname, '../../../test/support/mutated-mails.ts'),
    budget(repetitions(2_000, 300_000)),
  )
  reached(outcomes, { consents: 1, proven: 1, taken: 1, refused: 1 })
})
