// Whatever is done to a proven mail: nothing throws, and where it still is proven, it still says what was signed.
// A long run: CASES=1000000 SEED=7 npm test -- server/src/mail/in/mutated-mails.test.ts

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runApart } from '../../../test/support/apart.ts'
import type { MutatedMails, Outcomes } from '../../../test/support/mutated-mails.ts'

const mailsCount = Number(process.env.CASES ?? 10_000)
const seed = Number(process.env.SEED ?? 20_261_115)
const work = join(import.meta.dirname, '../../../test/support/mutated-mails.ts')

test(`${mailsCount} mutated mails: no crash, no proof of what was not signed (seed ${seed})`, async () => {
  const given: MutatedMails = { mailsCount, seed }
  const outcomes = await runApart<Outcomes>(work, given)
  assert.equal(
    Object.values(outcomes).reduce((sum, count) => sum + count),
    mailsCount,
  )
  for (const outcome of ['proven', 'taken', 'refused', 'dropped']) {
    const least = outcome === 'dropped' ? 0 : mailsCount / 100
    assert.ok((outcomes[outcome] ?? 0) >= least, `${outcome}: ${JSON.stringify(outcomes)}`)
  }
})
