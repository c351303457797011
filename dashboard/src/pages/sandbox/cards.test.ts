import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Does, testCards } from './cards.ts'

const begins: { readonly [does in Does]: string } = {
  succeeds: 'succeeds',
  declined: 'is declined: ',
  slow: 'succeeds at once, is first answered after 3 s',
  silent: 'is never carried out',
  silent_once: 'succeeds, and the first sending is never answered',
  reset_once: 'succeeds, and the first sending ends in a reset',
  twice: 'succeeds, and the first sending is answered twice',
  wrong_amount: 'succeeds with one minor unit less',
  three_d_secure: 'waits for a 3-D Secure challenge',
}

test('the cards are those that the documentation lists, and do what it says', async () => {
  const docs = await readFile(join(import.meta.dirname, '../../../../docs/sandbox.md'), 'utf8')
  const rows = [...docs.matchAll(/^\| `(\d+)` \| (\w+) \| (.+) \|$/gm)].map(([, number, brand, says]) => [
    number,
    brand,
    says,
  ])
  assert.equal(rows.length, testCards.length)
  for (const [index, { number, brand, does, code = '' }] of testCards.entries()) {
    const [documented, ofBrand, says = ''] = rows[index] ?? []
    assert.deepEqual([number, brand], [documented, ofBrand])
    assert.ok(says.startsWith(`${begins[does]}${code}`), `${number}: ${says}`)
  }
})
