// The sandbox's own list of payments and refunds, for reconciliation.

import type { GatewayEntry } from '../../core/gateway.ts'
import type { Currency } from '../../core/money.ts'
import type { LedgerRow } from './account.ts'
import { gatewayRefOf } from './engine.ts'

interface Span {
  readonly from: Date
  readonly to: Date
}

export async function* listOf(ledger: () => Promise<readonly LedgerRow[]>, span: Span): AsyncIterable<GatewayEntry> {
  const rows = await ledger()
  for (const row of rows) {
    const at = madeAt(row)
    if (at < span.from || at >= span.to || row.state === 'fenced') continue
    if (row.kind !== 'charge' && row.kind !== 'refund') continue
    const { state, amountMinor } =
      row.kind === 'charge' ? stateOfCharge(row, rows) : { state: plain(row), amountMinor: row.amountMinor }
    yield {
      kind: row.kind,
      gatewayRef: row.gatewayRef,
      operationId: row.operationId,
      ...(row.kind === 'refund' && { chargeRef: chargeRefOf(row) }),
      state,
      amountMinor: BigInt(amountMinor),
      currency: row.currency as Currency,
      at,
    }
  }
}

/** The books keep no times; an operation's id begins with its own. */
function madeAt({ operationId }: LedgerRow): Date {
  return new Date(Number.parseInt(operationId.replace('-', '').slice(0, 12), 16))
}

function chargeRefOf({ chargeId }: LedgerRow): string {
  return gatewayRefOf({ kind: 'charge', operationId: chargeId })
}

function plain({ state }: LedgerRow): GatewayEntry['state'] {
  if (state === 'succeeded') return 'succeeded'
  return state === 'waiting' ? 'open' : 'failed'
}

/** An authorisation is what its capture or its release made of it. */
function stateOfCharge(
  charge: LedgerRow,
  rows: readonly LedgerRow[],
): Pick<GatewayEntry, 'state'> & Pick<LedgerRow, 'amountMinor'> {
  const { amountMinor } = charge
  if (charge.state !== 'succeeded' || charge.capture) return { state: plain(charge), amountMinor }
  const later = rows.find(
    ({ chargeId, kind, state }) =>
      chargeId === charge.operationId && (kind === 'capture' || kind === 'void') && state === 'succeeded',
  )
  if (later === undefined) return { state: 'authorized', amountMinor }
  return later.kind === 'void'
    ? { state: 'voided', amountMinor }
    : { state: 'succeeded', amountMinor: later.amountMinor }
}
