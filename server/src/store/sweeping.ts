// What the sweeper looks for, in two steps: which merchants have something due (a read over all), then a bounded claim
// of one merchant's. A claim takes over the lease: whoever held it before can no longer commit. What it takes is chosen apart
// (`materialized`): as a part of the update's condition it may be chosen anew for every row, and then takes more.

import { longestLeaseMs } from '../core/call-gateway.ts'
import { aheadMaxMs, longestAskGapMs } from '../core/doubt.ts'
import { keptSentence, type Listed, withSentence } from '../core/for-person.ts'
import type { MerchantId, OperationId, TransactionId } from '../core/ids.ts'
import type { HeldOperation, Operation } from '../core/operation.ts'
import type { Recheck } from '../core/ports.ts'
import { openOfClaims } from './claims.ts'
import type { Database, Scope } from './database.ts'
import { overdue, wholeOperation } from './rows.ts'
import { insertAsk, leaseUntil, overdueAt } from './sale-writing.ts'
import { merchantsWithSpentCards } from './spent-cards.ts'
import { takeTokenWhileListed } from './token-uses.ts'

export interface Due {
  readonly transactions: readonly MerchantId[]
  readonly operations: readonly MerchantId[]
  readonly cards: readonly MerchantId[]
  readonly wanting: readonly MerchantId[]
}

/** `now` is the service's clock, which says when to ask; leases are on the database's. */
export async function findMerchantsDue(sql: Database, now: Date): Promise<Due> {
  const [transactions, operations, cards, wanting] = await Promise.all([
    sql<{ merchantId: MerchantId }[]>`select distinct merchant_id from transaction where lease_until <= now()`,
    merchantsWithOperationsDue(sql, now),
    merchantsWithSpentCards(sql, now),
    sql<{ merchantId: MerchantId }[]>`select distinct merchant_id from transaction
      where action_wants is not null and action_expires_at <= ${now}`,
  ])
  const ids = (rows: readonly { merchantId: MerchantId }[]) => rows.map(({ merchantId }) => merchantId)
  return { transactions: ids(transactions), operations: ids(operations), cards: ids(cards), wanting: ids(wanting) }
}

export function merchantsWithOperationsDue(sql: Database, now: Date) {
  return sql<{ merchantId: MerchantId }[]>`select distinct merchant_id from operation
    where next_ask_at <= ${now} and lease_until <= now()`
}

/**
 * What was written when the database's clock was ahead, which has been set right since, would wait for as long as it was wrong.
 * What is in doubt is asked about now. A lease is cut down, and not taken over: who holds it may be alive, and has time to end what
 * it is doing. The number of operations.
 */
export async function bringForward(sql: Database, now: Date): Promise<number> {
  const found = await merchantsThatWaitTooLong(sql, now)
  let count = 0
  for (const { merchantId } of found) {
    const brought = await sql`update operation set
        next_ask_at = case when ${isAskedTooLate(sql, now)} then ${now}::timestamptz else next_ask_at end,
        lease_until = least(lease_until, ${leaseUntil(sql, longestLeaseMs)})
      where merchant_id = ${merchantId} and id = any(array(select id from operation
        where merchant_id = ${merchantId} and ${waitsTooLong(sql, now)} limit ${forwardMax} for update skip locked))`
    count += brought.count
  }
  return count
}

/** Of one merchant at a time; the rest comes with the next look. */
const forwardMax = 1_000

export function merchantsThatWaitTooLong(sql: Database, now: Date) {
  return sql<{ merchantId: MerchantId }[]>`select distinct merchant_id from operation where ${waitsTooLong(sql, now)}`
}

function waitsTooLong(sql: Scope, now: Date) {
  return sql`next_ask_at is not null and outcome in ('pending', 'unknown')
    and (${isAskedTooLate(sql, now)} or lease_until > ${leaseUntil(sql, longestLeaseMs + aheadMaxMs)})`
}

/**
 * Its next ask is further ahead than any gap between two asks; or it seems to begin later than now, and was not asked about since
 * the clock was set right: then its next ask would be before it begins (doubt.ts).
 */
function isAskedTooLate(sql: Scope, now: Date) {
  const inMs = (ms: number) => new Date(now.getTime() + ms)
  return sql`(next_ask_at > ${inMs(longestAskGapMs + slackMs)}
    or created_at > ${inMs(aheadMaxMs)} and next_ask_at >= created_at)`
}

/** Clocks of several machines differ a little, and a commit may take its time. */
const slackMs = 600_000

/** Transactions whose process died before it wrote an operation. The new version shuts the old process out. */
export async function claimAbandoned(
  sql: Database,
  merchantId: MerchantId,
  claim: { limit: number; leaseMs: number },
): Promise<TransactionId[]> {
  const rows = await sql<{ id: TransactionId }[]>`
    with chosen as materialized (
      select id from transaction where merchant_id = ${merchantId} and lease_until <= now()
      order by lease_until limit ${claim.limit} for update skip locked)
    update transaction set version = version + 1, lease_until = now() + ${claim.leaseMs} * interval '1 millisecond'
    where merchant_id = ${merchantId} and id in (select id from chosen)
    returning id`
  return rows.map(({ id }) => id)
}

/** Those whose customer did not go on in time. Nobody holds them: of two who end one, the second finds it ended. */
export async function findOverdue(
  sql: Database,
  merchantId: MerchantId,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<TransactionId[]> {
  const rows = await sql<{ id: TransactionId }[]>`select id from transaction
    where merchant_id = ${merchantId} and action_wants is not null and action_expires_at <= ${now}
    order by action_expires_at limit ${limit}`
  return rows.map(({ id }) => id)
}

/** What is in doubt, and what is settled and to be rechecked. */
export async function claimOperations(
  sql: Database,
  merchantId: MerchantId,
  claim: { now: Date; limit: number; leaseMs: number },
): Promise<HeldOperation[]> {
  return sql<HeldOperation[]>`
    with chosen as materialized (
      select id from operation
      where merchant_id = ${merchantId} and next_ask_at <= ${claim.now} and lease_until <= now()
      order by next_ask_at limit ${claim.limit} for update skip locked)
    update operation set ${takenOver(sql, claim.leaseMs)}
    where merchant_id = ${merchantId} and id in (select id from chosen)
    returning ${wholeOperation(sql)}, lease_no`
}

/** The time from which it is in doubt stays that of the first lease: whoever takes it over and over settles nothing by that. */
function takenOver(sql: Scope, leaseMs: number) {
  return sql`lease_no = lease_no + 1, lease_until = ${leaseUntil(sql, leaseMs)},
    overdue_at = case when settled_at is null then coalesce(overdue_at, ${overdueAt(sql, leaseMs)}) end`
}

/** One operation that is open, whenever it is due. Null: it is settled, or somebody else is at it just now. */
export async function claimOperation(
  sql: Database,
  merchantId: MerchantId,
  id: OperationId,
  leaseMs: number,
): Promise<HeldOperation | null> {
  const [held] = await sql<HeldOperation[]>`
    update operation set ${takenOver(sql, leaseMs)}
    where merchant_id = ${merchantId} and id = ${id} and outcome in ('pending', 'unknown') and lease_until <= now()
    returning ${wholeOperation(sql)}, lease_no`
  return held ?? null
}

/** Gives an operation back whose outcome could not be written down: asked again at this time, and free for a person until then. */
export async function releaseOperation(
  sql: Database,
  held: HeldOperation,
  { nextAskAt, cause }: { readonly nextAskAt: Date; readonly cause: string },
): Promise<void> {
  await sql`update operation set asks = ${held.asks}, next_ask_at = ${nextAskAt}, cause = ${cause}, lease_until = now()
    where merchant_id = ${held.merchantId} and id = ${held.id} and lease_no = ${held.leaseNo}
      and outcome in ('pending', 'unknown') and for_person is null`
}

/** Counts a sending before it leaves. No row: the lease is lost, and so is the right to send. */
export async function countSending(sql: Database, held: HeldOperation): Promise<boolean> {
  const { count } = await sql`update operation set sendings = ${held.sendings}
    where merchant_id = ${held.merchantId} and id = ${held.id} and lease_no = ${held.leaseNo} and lease_until > now()
      and outcome in ('pending', 'unknown')`
  return count === 1
}

/**
 * Only over the outcome that was rechecked: a person may have accepted a late success meanwhile. What the gateway has said
 * meanwhile stays listed, and what was dismissed is not listed again.
 */
export async function recordRecheck(sql: Database, held: HeldOperation, recheck: Recheck): Promise<boolean> {
  const { merchantId, id, outcome, leaseNo, asks } = held
  const { nextAskAt, ask, forPerson } = recheck
  return sql.begin(async scope => {
    if (forPerson !== null) await holdTransaction(scope, held)
    // Somebody has dismissed something meanwhile: it is asked once more. A database counts finer than a Date does.
    const isDueAnew = scope`next_ask_at >= ${held.nextAskAt}::timestamptz + interval '1 millisecond'`
    const { count } = await scope`update operation set asks = ${asks}, lease_until = now(),
        next_ask_at = case when ${isDueAnew} then next_ask_at else ${nextAskAt}::timestamptz end
      where merchant_id = ${merchantId} and id = ${id} and lease_no = ${leaseNo} and outcome = ${outcome}`
    if (count === 0) return false
    await insertAsk(scope, held, ask)
    return forPerson !== null && (await addSentence(scope, held, forPerson, scope`true`))
  })
}

/** With the gateway's name for it, unless another refund has that by now. */
export async function keepLateSuccess(sql: Database, operation: Operation, sentence: string): Promise<boolean> {
  const { merchantId, id, gatewayId, gatewayRef } = operation
  return sql.begin(async scope => {
    await holdTransaction(scope, operation)
    const isKept = await addSentence(scope, operation, sentence, scope`outcome <> 'succeeded'`)
    if (isKept) {
      await scope`update operation set gateway_ref = ${gatewayRef}
        where merchant_id = ${merchantId} and id = ${id} and gateway_ref is null
          and not exists (select from operation other
            where other.merchant_id = ${merchantId} and other.gateway_id = ${gatewayId} and other.gateway_ref = ${gatewayRef}
              and other.kind = 'refund')`
    }
    return isKept
  })
}

/** Of what a person had settled as succeeded. */
export async function keepContrary(sql: Database, operation: Operation, sentence: string): Promise<boolean> {
  const { merchantId, id } = operation
  return sql.begin(async scope => {
    await holdTransaction(scope, operation)
    const isSettled = scope`outcome = 'succeeded' and exists (select from resolution r
        where r.merchant_id = ${merchantId} and r.operation_id = ${id} and r.verdict = 'succeeded')`
    return addSentence(scope, operation, sentence, isSettled)
  })
}

/** Of what is settled, whoever settled it. */
export async function keepForPerson(sql: Database, operation: Operation, sentence: string): Promise<boolean> {
  return sql.begin(async scope => {
    await holdTransaction(scope, operation)
    return addSentence(scope, operation, sentence, scope`outcome not in ('pending', 'unknown')`)
  })
}

/**
 * As every commit about a payment does before it looks at its operations: what is listed meanwhile decides who may use its token, and
 * whether more of it may be refunded.
 */
async function holdTransaction(scope: Scope, { merchantId, transactionId }: Operation): Promise<void> {
  await scope`select from transaction where merchant_id = ${merchantId} and id = ${transactionId} for update`
}

/**
 * The one way by which a sentence gets beside those that wait for a person. Gateways repeat themselves: what is listed already,
 * or a person dismissed in just these words, is no news.
 */
async function addSentence(
  scope: Scope,
  { merchantId, id, kind, transactionId }: Operation,
  said: string,
  condition: ReturnType<Scope>,
): Promise<boolean> {
  const sentence = keptSentence(said)
  const [now] = await scope<Listed[]>`select for_person, more_for_person from operation
    where merchant_id = ${merchantId} and id = ${id} and ${condition} for update`
  const listed = now === undefined ? null : withSentence(now, kind, sentence)
  if (listed === null) return false
  // Read after the row is locked: whoever held it may have dismissed just this.
  const dismissed = await scope`select from resolution
    where merchant_id = ${merchantId} and operation_id = ${id} and answers = ${sentence} limit 1`
  if (dismissed.length > 0) return false
  await scope`update operation set for_person = ${listed.forPerson}, more_for_person = ${listed.moreForPerson}::text[],
      doubt_told = null
    where merchant_id = ${merchantId} and id = ${id}`
  if (kind === 'charge') await takeTokenWhileListed(scope, merchantId, transactionId)
  return true
}

/** The earliest moment after `from`, up to `to`, at which something falls due: an ask, an attempt to deliver, a mail, the end of a card. */
export async function nextDueAt(sql: Database, from: Date, to: Date): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`select least(
    (select min(next_ask_at) from operation where next_ask_at > ${from} and next_ask_at <= ${to}),
    (select min(due_at) from owed_delivery
      where holder is null and not parked and due_at > ${from} and due_at <= ${to}),
    (select min(due_at) from outgoing_mail
      where state = 'waiting' and holder is null and due_at > ${from} and due_at <= ${to}),
    (select min(action_expires_at) from transaction
      where action_wants is not null and action_expires_at > ${from} and action_expires_at <= ${to}),
    (select min(remove_at) from card
      where removed_at is null and remove_at > ${from} and remove_at <= ${to})) as at`
  return row?.at ?? null
}

/**
 * Whether some process is just asking again about what has fallen due, or delivering. An operation's first sending is none
 * of that, and neither is what a dead worker held.
 */
export async function isBusyWithWhatIsDue(sql: Database, now: Date): Promise<boolean> {
  const rows = await sql`select where exists (select from operation
      where next_ask_at <= ${now} and lease_no > 1 and lease_until > now())
    or exists (select from owed_delivery where holder is not null and due_at <= ${now})
    or exists (select from ${openOfClaims(sql)} o)
    or exists (select from letter where holder is not null and lease_no = 1)
    or exists (select from outgoing_mail where holder is not null and due_at <= ${now})`
  return rows.length > 0
}

/** Where hooks are being sent that have fallen due, by whomever, and how many to each. */
export async function listBeingSent(sql: Database, now: Date): Promise<readonly { url: string; count: number }[]> {
  return sql<{ url: string; count: number }[]>`select e.url, count(*)::int as count from (
      select merchant_id, id from owed_delivery where holder is not null and due_at <= ${now}
      union all select merchant_id, id from ${openOfClaims(sql)} o) held
      join owed_delivery d on d.merchant_id = held.merchant_id and d.id = held.id
      join hook_endpoint e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id
    group by e.url order by e.url`
}

/** Counts for the metrics: what is in doubt, and what only a person can settle. */
export async function countDoubt(sql: Database): Promise<{ inDoubt: number; forPerson: number }> {
  const [row] = await sql<{ inDoubt: bigint; forPerson: bigint }[]>`select
    (select count(*) from operation where outcome = 'unknown')
      + (select count(*) from operation where ${overdue(sql)}) as in_doubt,
    (select count(*) from operation where for_person is not null) as for_person`
  return { inDoubt: Number(row?.inDoubt ?? 0), forPerson: Number(row?.forPerson ?? 0) }
}
