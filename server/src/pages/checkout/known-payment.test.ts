import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKnownPayment } from './known-payment.ts'

const id = '0199a000-0000-7000-8000-000000000001'

test('a form may name a payment of our time, and none that no service of ours has made', () => {
  assert.deepEqual(parseKnownPayment(`${id}.1763546400000`), { id, at: new Date(1_763_546_400_000) })
  const wrong = ['0', '179999', '999999999999', '99999999999999', '-1763546400000', '1763546400000.', '']
  for (const ms of wrong) assert.equal(parseKnownPayment(`${id}.${ms}`), null, ms)
  assert.equal(parseKnownPayment(`${id.slice(1)}x.1763546400000`), null)
})
