// What is kept only for a time, and what goes when a customer is erased. Bounded statements, so that a large backlog
// does not hold locks for long; the sweeper comes again.

import type { CustomerId, MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Database, Scope } from './database.ts'

export interface Retention {
  readonly keysMs: number
  readonly answersMs: number
  readonly detailsMs: number
}

const batch = 1_000

/** `now` is the service's clock, which dates all that is kept for a time. Returns how many rows were emptied or deleted. */
export async function forgetWhatIsOver(sql: Database, retention: Retention, now: Date): Promise<number> {
  const before = (ageMs: number) => new Date(now.getTime() - ageMs)
  const results = await Promise.all([
    sql`delete from idempotency_key where (merchant_id, operation, key) in (
      select merchant_id, operation, key from idempotency_key k where settled_at < ${before(retention.keysMs)}
        and not exists (select from operation p where p.merchant_id = k.merchant_id and p.transaction_id = k.transaction_id
          and (p.id = k.operation_id or (k.operation_id is null and p.kind = 'charge'))
          and (p.settled_at is null or p.settled_at >= ${before(retention.keysMs)}))
      limit ${batch} for update skip locked)`,
    sql`update pre_sale_request set answer = null where (merchant_id, transaction_id, endpoint_id) in (
      select merchant_id, transaction_id, endpoint_id from pre_sale_request
      where answer is not null and answered_at < ${before(retention.answersMs)} limit ${batch} for update skip locked)`,
    sql`update event set details = null where (merchant_id, id) in (
      select merchant_id, id from event e where details is not null and at < ${before(retention.detailsMs)}
        and not exists (select from delivery d where d.merchant_id = e.merchant_id and d.event_id = e.id
          and (d.state = 'pending' or d.settled_at >= ${before(retention.detailsMs)}))
      limit ${batch} for update skip locked)`,
    sql`update event set details = null where (merchant_id, id) in (
      select e.merchant_id, e.id from customer u
        join transaction t on t.merchant_id = u.merchant_id and t.customer_id = u.id
        join event e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
      where u.erased_at is not null and e.details is not null
        and not exists (select from delivery d where d.merchant_id = e.merchant_id and d.event_id = e.id and d.state = 'pending')
      limit ${batch} for update of e skip locked)`,
    sql`update idempotency_key set status = ${emptied.status}, answer = ${emptied.text}
      where (merchant_id, operation, key) in (select k.merchant_id, k.operation, k.key from customer u
          join transaction t on t.merchant_id = u.merchant_id and t.customer_id = u.id
          join idempotency_key k on k.merchant_id = t.merchant_id and k.transaction_id = t.id
        where u.erased_at is not null and k.answer is not null and k.answer <> ${emptied.text}
          -- A refund made after the erasure names nobody, and its answer is still owed.
          and not exists (select from operation p where p.merchant_id = k.merchant_id and p.id = k.operation_id
            and p.created_at > u.erased_at)
        limit ${batch} for update of k skip locked)`,
    sql`delete from inbox_hook where at < ${before(retention.detailsMs)} or (merchant_id, id) in (${ofTheErased(sql)})`,
  ])
  return results.reduce((sum, { count }) => sum + count, 0)
}

/** What the demo merchant's inbox was told of customers who are erased now. It keeps so few that all can be looked at. */
function ofTheErased(scope: Scope) {
  const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
  return scope`select h.merchant_id, h.id from inbox_hook h
      join transaction t on t.merchant_id = h.merchant_id
        and t.id = substring(h.details from ${`"transaction":"(${uuid})"`})::uuid
      join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
    where h.verified and u.erased_at is not null`
}

export async function findCustomerByEmail(
  sql: Database,
  merchantId: MerchantId,
  email: string,
): Promise<CustomerId | null> {
  const [row] = await sql<
    { id: CustomerId }[]
  >`select id from customer where merchant_id = ${merchantId} and email = ${email}`
  return row?.id ?? null
}

/** What a repetition gets in place of an answer that named an erased customer. */
const goneErrors = { general: 'The customer was erased, and this answer with it.' }
const emptied = { status: 410, text: answerText({ transaction: null, errors: goneErrors }) }

/**
 * Personal fields go, amounts stay. What is still owed to endpoints goes out first: the sweep above empties it when it
 * is settled. An offer for this customer alone ends with it: without its email it would be open to everybody. Keys stay
 * for their time, without their answers: a refund that is asked for again must still be known.
 */
export async function eraseCustomer(scope: Scope, merchantId: MerchantId, id: CustomerId, now: Date): Promise<void> {
  // Transactions before offers, as every write of a sale locks them.
  await scope`select from transaction where merchant_id = ${merchantId} and customer_id = ${id} order by id for update`
  await scope`update idempotency_key k set status = ${emptied.status}, answer = ${answerText({ offer: null, errors: goneErrors })}
    from customer u where u.merchant_id = ${merchantId} and u.id = ${id} and k.merchant_id = u.merchant_id
      and k.operation in ('offers', 'offers delete') and strpos(k.answer, to_json(u.email)::text) > 0`
  await scope`update offer o set active = false, email = null, token_content = '' from customer u
    where u.merchant_id = ${merchantId} and u.id = ${id} and o.merchant_id = u.merchant_id and o.email = u.email`
  await scope`update customer set email = null, first_name = null, last_name = null, sms_number = null, billing = null,
      shipping = null, erased_at = ${now}
    where merchant_id = ${merchantId} and id = ${id}`
  await scope`update card set removed_at = coalesce(removed_at, ${now}), fingerprint = '' where merchant_id = ${merchantId} and customer_id = ${id}`
  const sales = scope`select id from transaction where merchant_id = ${merchantId} and customer_id = ${id}`
  await scope`update idempotency_key set status = ${emptied.status}, answer = ${emptied.text}
    where merchant_id = ${merchantId} and transaction_id in (${sales}) and settled_at is not null`
  await scope`update pre_sale_request set answer = null, details = null
    where merchant_id = ${merchantId} and transaction_id in (${sales})`
  await scope`update event e set details = null where merchant_id = ${merchantId} and transaction_id in (${sales})
    and not exists (select from delivery d where d.merchant_id = e.merchant_id and d.event_id = e.id and d.state = 'pending')`
  await scope`delete from inbox_hook where merchant_id = ${merchantId} and (merchant_id, id) in (${ofTheErased(scope)})`
  await scope`update transaction set referrer_context = null where merchant_id = ${merchantId} and customer_id = ${id}`
  await scope`update operation set refunded_by = null, refunded_reason = null where merchant_id = ${merchantId} and transaction_id in (${sales})`
}
