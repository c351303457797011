// The gateway's books and ours, and what customers were told of their money.

import { send } from '../server/test/support/client.ts'
import type { Scene } from './checks.ts'

interface LedgerRow {
  readonly operationId: string
  readonly transactionId: string
  readonly kind: string
  readonly amountMinor: string
  readonly state: string
}

/** Entry by entry, and so to the cent. */
export async function ledgerFindings({ sql, gatewayUrl, gatewayId }: Scene): Promise<string[]> {
  const authorization = `Basic ${Buffer.from(`${gatewayId}:`).toString('base64')}`
  const { json } = await send(`${gatewayUrl}/ledger`, { method: 'GET', headers: { authorization }, body: null })
  const theirs: LedgerRow[] = json.ledger.filter(({ state }: LedgerRow) => state === 'succeeded')
  const ours = await sql<{ id: string; transactionId: string; kind: string; amountMinor: bigint }[]>`
    select id, transaction_id, kind, amount_minor from operation where outcome = 'succeeded' and gateway_id = ${gatewayId}`
  const theirTexts = new Set(theirs.map(({ operationId, ...row }) => entryOf(operationId, row)))
  const ourTexts = new Set(ours.map(({ id, ...row }) => entryOf(id, row)))
  const open = await sql<{ id: string; outcome: string }[]>`
    select id, outcome from operation where outcome in ('pending', 'unknown') and gateway_id = ${gatewayId}`
  return [
    ...[...theirTexts].filter(text => !ourTexts.has(text)).map(text => `at the gateway, not here: ${text}`),
    ...[...ourTexts].filter(text => !theirTexts.has(text)).map(text => `here, not at the gateway: ${text}`),
    ...doneTwice(theirs),
    ...open.map(({ id, outcome }) => `operation ${id} is still ${outcome}`),
  ]
}

/** A refund may be in parts; everything else is done once. */
function doneTwice(theirs: readonly LedgerRow[]): string[] {
  const once = theirs.filter(({ kind }) => kind !== 'refund').map(row => `${row.transactionId}: ${row.kind}`)
  return once.filter((name, index) => once.indexOf(name) !== index).map(name => `twice at the gateway, of ${name}`)
}

function entryOf(
  id: string,
  { transactionId, kind, amountMinor }: { transactionId: string; kind: string; amountMinor: string | bigint },
): string {
  return `${kind} ${id} of ${amountMinor} for ${transactionId}`
}

/** As much was given back as customers were told, and no more. */
export async function refundFindings({ sql, customers, merchantId }: Scene): Promise<string[]> {
  const rows = await sql<{ transactionId: string; sumMinor: bigint }[]>`
    select transaction_id, sum(amount_minor)::bigint as sum_minor from operation
    where merchant_id = ${merchantId} and kind = 'refund' and outcome = 'succeeded' group by transaction_id`
  const given = new Map(rows.map(({ transactionId, sumMinor }) => [transactionId, Number(sumMinor)]))
  const told = new Map<string, number>()
  for (const { path, form, told: answer } of customers.wishes) {
    if (path !== 'transactions/refunds' || answer?.status !== 200) continue
    const { transaction = '', amount } = form
    told.set(transaction, (told.get(transaction) ?? 0) + Math.round(Number(amount) * 100))
  }
  return [...new Set([...given.keys(), ...told.keys()])].flatMap(id => {
    const [was, said] = [given.get(id) ?? 0, told.get(id) ?? 0]
    return was === said ? [] : [`${was} cents of ${id} were given back, and ${said} told`]
  })
}
