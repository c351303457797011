import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationId, TransactionId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'
import type { LedgerRow } from './account.ts'
import { listOf } from './listing.ts'

/** Ids begin with their time: of this many milliseconds since 1970. */
function idAt(ms: number, tail = 1): OperationId {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(tail).padStart(12, '0')}` as OperationId
}

function row(some: Partial<LedgerRow> = {}): LedgerRow {
  const operationId = some.operationId ?? idAt(5_000)
  return {
    operationId,
    transactionId: 'the transaction' as TransactionId,
    kind: 'charge',
    chargeId: operationId,
    capture: true,
    gatewayRef: `sandbox_${some.kind ?? 'charge'}_${operationId}`,
    amountMinor: '100',
    currency: 'USD' as Currency,
    state: 'succeeded',
    ...some,
  }
}

async function listed(rows: readonly LedgerRow[], from = 0, to = 10_000) {
  const entries = []
  for await (const entry of listOf(async () => rows, { from: new Date(from), to: new Date(to) })) entries.push(entry)
  return entries
}

const states = async (...rows: LedgerRow[]) =>
  (await listed(rows)).map(({ kind, state, amountMinor }) => `${kind} ${state} ${amountMinor}`)

test('a charge is what its own steps and its capture or release made of it', async () => {
  const authorised = row({ capture: false })
  const follow = (kind: 'capture' | 'void', some: Partial<LedgerRow> = {}) =>
    row({
      operationId: idAt(6_000),
      kind,
      chargeId: authorised.operationId,
      capture: false,
      amountMinor: '40',
      ...some,
    })
  assert.deepEqual(await states(row()), ['charge succeeded 100'])
  assert.deepEqual(await states(authorised), ['charge authorized 100'])
  assert.deepEqual(await states(authorised, follow('capture')), ['charge succeeded 40'])
  assert.deepEqual(await states(authorised, follow('void')), ['charge voided 100'])
  assert.deepEqual(await states(authorised, follow('capture', { state: 'declined' })), ['charge authorized 100'])
  assert.deepEqual(await states(authorised, follow('void', { chargeId: idAt(7) })), ['charge authorized 100'])
  assert.deepEqual(await states(row({ state: 'waiting' })), ['charge open 100'])
  assert.deepEqual(await states(row({ state: 'declined' })), ['charge failed 100'])
  assert.deepEqual(await states(row({ state: 'cancelled', capture: false })), ['charge failed 100'])
})

test('a refund names the charge that it gives back; a tombstone is no payment', async () => {
  const charge = row()
  const refund = row({ operationId: idAt(6_000), kind: 'refund', chargeId: charge.operationId, capture: false })
  const [, second] = await listed([charge, refund, row({ state: 'fenced' })])
  assert.deepEqual(
    [second?.kind, second?.operationId, second?.chargeRef],
    ['refund', refund.operationId, charge.gatewayRef],
  )
  assert.equal((await listed([charge, refund, row({ state: 'fenced' })])).length, 2)
  assert.deepEqual(await states(row({ ...refund, state: 'declined' })), ['refund failed 100'])
})

test('the span has its beginning, and not its end', async () => {
  const rows = [4_999, 5_000, 9_999, 10_000].map((ms, tail) => row({ operationId: idAt(ms, tail) }))
  assert.deepEqual(
    (await listed(rows, 5_000, 10_000)).map(({ at }) => at.getTime()),
    [5_000, 9_999],
  )
})
