// The steps of every operation that moves money, where each is held in a real service, and what must be true afterwards.

import assert from 'node:assert/strict'
import type { Answer, Client } from './client.ts'
import type { HeldAt } from './held-commit.ts'
import type { HeldWork } from './held-works.ts'
import { until } from './until.ts'
import type { CrashWorld, LedgerRow } from './world.ts'

export type Flow = 'charge' | 'charge after Pre-Sale' | 'refund' | 'capture' | 'void'

export interface Step {
  readonly name: string
  /** Where it is held: in a commit, or at the next message of this kind. */
  readonly at: HeldAt | 'request' | 'answer' | 'Pre-Sale'
}

const commit = (table: HeldAt['table'], on: HeldAt['on'], moment: HeldAt['moment']): HeldAt => ({ table, on, moment })

const beginning = (table: 'transaction' | 'operation'): Step[] => [
  { name: 'before the first commit', at: commit(table, 'insert', 'before') },
  { name: 'in the first commit', at: commit(table, 'insert', 'committing') },
]
const atTheGateway: Step[] = [
  { name: 'when the request is on its way to the gateway', at: 'request' },
  { name: 'when the answer is on its way back', at: 'answer' },
  { name: 'before the outcome is committed', at: commit('operation', 'update', 'before') },
  { name: 'when the outcome is being committed', at: commit('operation', 'update', 'committing') },
]

export const flows: { readonly [flow in Flow]: readonly Step[] } = {
  charge: [...beginning('transaction'), ...atTheGateway],
  'charge after Pre-Sale': [
    ...beginning('transaction'),
    { name: 'while Pre-Sale is asked', at: 'Pre-Sale' },
    { name: "before the operation's row is committed", at: commit('operation', 'insert', 'before') },
    { name: "when the operation's row is being committed", at: commit('operation', 'insert', 'committing') },
    ...atTheGateway,
  ],
  refund: [...beginning('operation'), ...atTheGateway],
  capture: [...beginning('operation'), ...atTheGateway],
  void: [...beginning('operation'), ...atTheGateway],
}

/** As `holdWorks` wants it. */
export function placeOf({ gate, preSale }: CrashWorld, { at }: Step): HeldWork['at'] {
  if (typeof at !== 'string') return at
  return at === 'Pre-Sale' ? preSale.holdNext : () => gate.holdNext(at)
}

/** What the transaction must come to when its process is lost at the step: nothing at all, refused, or done. */
export function expectedEnd(flow: Flow, step: string): string {
  const lost = step === 'before the first commit'
  if (flow === 'charge') return lost ? 'none' : 'Successful'
  if (flow === 'charge after Pre-Sale') {
    if (lost) return 'none'
    const beforeOperation = [
      'in the first commit',
      'while Pre-Sale is asked',
      "before the operation's row is committed",
    ]
    return beforeOperation.includes(step) ? 'Failed' : 'Successful'
  }
  const [undone, done] = {
    refund: ['Successful', 'Refunded'],
    capture: ['Authorized', 'Successful'],
    void: ['Authorized', 'Voided'],
  }[flow]
  return String(lost ? undone : done)
}

/** A stopped process that wakes up goes on with what nobody has begun: a first commit that was cut off is made again. */
export function stoppedEnd(flow: Flow, step: string): string {
  return expectedEnd(flow, step === 'before the first commit' ? 'when the answer is on its way back' : step)
}

/** Makes what the flow needs beforehand, and returns the request that is to be interrupted. */
export async function prepare(world: CrashWorld, client: Client, flow: Flow) {
  const helper = world.clientOf(world.rescuer)
  const offer = await helper.makeOffer({
    amount: '25.00',
    stock: 10,
    ...(needsAuthorisation(flow) && { authorization_only: 'true' }),
  })
  const card = await helper.storeCard()
  const key = `key-${offer}`
  if (flow === 'charge' || flow === 'charge after Pre-Sale') {
    const ask = (by: Client): Promise<Answer> => by.charge(offer, card, { key })
    return { offer, ask: () => ask(client), again: () => ask(helper) }
  }
  const charged = await helper.charge(offer, card)
  assert.equal(charged.status, 200, charged.text)
  const { id } = charged.json.transaction
  const ask = (by: Client): Promise<Answer> =>
    flow === 'refund'
      ? by.ask('transactions/refunds', { form: { transaction: id }, headers: { 'idempotency-key': key } })
      : by.ask(`transactions/${id}/${flow}`, { form: {}, headers: { 'idempotency-key': key }, method: 'POST' })
  return { offer, ask: () => ask(client), again: () => ask(helper) }
}

function needsAuthorisation(flow: Flow): boolean {
  return flow === 'capture' || flow === 'void'
}

export async function addPreSale({ database, preSale, rescuer, clientOf }: CrashWorld): Promise<void> {
  const { json } = await clientOf(rescuer).ask('gateways')
  assert.ok(Array.isArray(json))
  await database.sql`insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    select merchant_id, gen_random_uuid(), 'pre_sale', ${preSale.url}, 30, 'enabled', now() from merchant`
}

export async function removePreSale({ database }: CrashWorld): Promise<void> {
  await database.sql`update hook_endpoint set deleted_at = now() where kind = 'pre_sale'`
}

export async function everythingIsSettled({ database: { sql } }: CrashWorld): Promise<void> {
  await until('nothing is open', async () => {
    const open = await sql`select from transaction where status = 'Processing'
      union all select from operation where outcome in ('pending', 'unknown')`
    return open.length === 0
  })
}

export async function statusOf({ database: { sql } }: CrashWorld, offer: string): Promise<string> {
  const rows = await sql<{ status: string }[]>`select status from transaction where offer_id = ${offer}`
  assert.ok(rows.length <= 1, 'one request made two transactions')
  return rows[0]?.status ?? 'none'
}

/** The gateway's ledger and ours, entry by entry and in sum; and no Pre-Sale asked twice. */
export async function ledgersAgree(world: CrashWorld): Promise<void> {
  const theirs = (await world.ledger()).filter(({ state }) => state === 'succeeded').map(asText)
  const ours = await world.database.sql<{ id: string; transactionId: string; kind: string; amountMinor: bigint }[]>`
    select id, transaction_id, kind, amount_minor from operation where outcome = 'succeeded' and gateway_id = ${world.gateway}`
  assert.deepEqual(
    theirs.sort(),
    ours
      .map(row =>
        asText({ ...row, operationId: row.id, amountMinor: String(row.amountMinor), state: 'succeeded' } as LedgerRow),
      )
      .sort(),
  )
  const charged = theirs.filter(text => text.includes(' charge ')).map(text => text.split(' ')[0])
  assert.equal(new Set(charged).size, charged.length, 'a transaction was charged twice')
  assert.equal(new Set(world.preSale.asked).size, world.preSale.asked.length, 'Pre-Sale was asked twice')
  await sumsAgree(world)
}

function asText({ transactionId, kind, operationId, amountMinor }: LedgerRow): string {
  return `${transactionId} ${kind} ${operationId} ${amountMinor}`
}

/** Balances, stock and owed events follow from the operations. */
async function sumsAgree({ database: { sql }, gateway }: CrashWorld): Promise<void> {
  const wrongBalances =
    await sql`select t.id from transaction t where gateway_id = ${gateway} and refunded_minor <> coalesce((
      select sum(amount_minor) from operation p where p.transaction_id = t.id and kind = 'refund' and outcome = 'succeeded'), 0)
    or refund_reserved_minor <> 0`
  assert.equal(wrongBalances.length, 0, 'a balance does not follow from its refunds')
  const wrongStock =
    await sql`select o.id from offer o where o.stock_left is not null and o.stock_left <> 10 - coalesce((
      select sum(quantity) from transaction t where t.offer_id = o.id and t.status not in ('Failed', 'Voided')
        and t.action_wants is null), 0)`
  assert.equal(wrongStock.length, 0, 'units were lost or made')
  const wrongEvents = await sql`select t.id, t.status from transaction t where (
      select count(*) from event e where e.transaction_id = t.id and e.kind in ('transaction', 'error')) <> case
        when t.status in ('Processing', 'Further Action Required') then 0
        when t.authorization_only and t.captured_minor > 0 then 2 else 1 end`
  assert.deepEqual([...wrongEvents], [], 'a change does not have the event it owes')
}
