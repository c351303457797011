// What goes when a customer is erased: personal fields at once, and what is still owed to endpoints when it has gone out.

import { listenerUrl, nobodysMachine } from '../core/hook-listener.ts'
import type { CustomerId, MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { erasedSentence, erasedStatus } from '../core/repetition.ts'
import type { Database, Scope } from './database.ts'
import { endingOf } from './deliveries.ts'
import { forgetLettersFrom, letterSweeps } from './letter-erasure.ts'
import { forgetOfferLinks } from './offer-links.ts'
import { countOneByOne } from './one-by-one.ts'

/** What a repetition gets in place of an answer about a transaction. Of others nothing is left, and their routes say the same in their own form. */
const emptied = { status: erasedStatus, text: answerText({ transaction: null, errors: { general: erasedSentence } }) }

/** Of a Pre-Sale: its details go, and with them the name of the machine, where it went to one that listened. */
export function nobodysDetails(sql: Scope) {
  return sql`details = null,
    url = case when starts_with(url, ${listenerUrl('')}) then ${listenerUrl(nobodysMachine)} else url end`
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

/**
 * What an address has left here without being a customer's: links and mails that were sent to it, browsers that it was proven
 * in, mails that it wrote, offers for it, and its links to offers. How many there were. Links before checkouts: whoever uses one just now is seen,
 * or finds it gone. Letters before offers, as whoever pays one locks them.
 */
export async function forgetAddress(scope: Scope, merchantId: MerchantId, email: string, now: Date): Promise<number> {
  const cardLinks = await scope`delete from card_link where merchant_id = ${merchantId} and email = ${email}`
  const proofs = await scope`delete from address_proof where merchant_id = ${merchantId} and email = ${email}`
  const checkouts = await scope`delete from checkout where merchant_id = ${merchantId} and proven_email = ${email}`
  const mails = await scope`delete from inbox_mail where merchant_id = ${merchantId} and to_address = ${email}`
  await scope`update idempotency_key set status = ${erasedStatus}, answer = '', email = null
    where merchant_id = ${merchantId} and email = ${email}`
  const letters = await forgetLettersFrom(scope, merchantId, email, now)
  const offers = await endOffersFor(scope, merchantId, email, now)
  const links = await forgetOfferLinks(scope, merchantId, email, now)
  return cardLinks.count + proofs.count + checkouts.count + mails.count + letters + offers + links
}

/** An offer for this address alone ends with it: without its email it would be open to everybody. So do the tokens for it. */
async function endOffersFor(scope: Scope, merchantId: MerchantId, email: string, now: Date): Promise<number> {
  await scope`update token t set revoked_at = ${now} from offer o
    where t.merchant_id = ${merchantId} and t.offer_id = o.id and t.revoked_at is null
      and o.merchant_id = ${merchantId} and o.email = ${email}`
  // In the order in which a payment locks the two offers of a token.
  await scope`select from offer where merchant_id = ${merchantId} and email = ${email} order by id for no key update`
  const { count } = await scope`update offer set active = false, email = null, token_content = ''
    where merchant_id = ${merchantId} and email = ${email}`
  return count
}

/**
 * From here on nobody is known by the address; what is left in the customer's payments is for `emptySales`. False, and nothing is written: a
 * card is left, and is to be taken out of its vault first.
 */
export async function eraseCustomer(scope: Scope, merchantId: MerchantId, id: CustomerId, now: Date): Promise<boolean> {
  // Whoever stores a card holds its customer until the commit: from here on there comes none. Sales go on.
  const [customer] = await scope<{ email: string | null }[]>`select email from customer
    where merchant_id = ${merchantId} and id = ${id} for no key update`
  const cards =
    await scope`select from card where merchant_id = ${merchantId} and customer_id = ${id} and removed_at is null
    limit 1`
  if (cards.count > 0) return false
  if (customer !== undefined && customer.email !== null) await forgetAddress(scope, merchantId, customer.email, now)
  await scope`update customer set email = null, first_name = null, last_name = null, sms_number = null, billing = null,
      shipping = null, erased_at = ${now}
    where merchant_id = ${merchantId} and id = ${id}`
  await scope`update card set fingerprint = '' where merchant_id = ${merchantId} and customer_id = ${id}`
  return true
}

/** No id is as small. */
const beforeAll = '00000000-0000-0000-0000-000000000000'
/** So many payments are locked at once, for some milliseconds: who pays back others, or hears of them, does not wait. */
const salesAtOnce = 100

/**
 * Personal fields go, amounts stay. What is still owed to endpoints goes out first: the sweep below empties it when it
 * is settled. Keys stay for their time, without their answers: a refund that is asked for again must still be known. A process that dies here
 * leaves the rest to that sweep.
 */
export async function emptySales(sql: Database, merchantId: MerchantId, id: CustomerId): Promise<void> {
  const customer = (some: Scope) => some`u.merchant_id = ${merchantId} and u.id = ${id}`
  for (const sweep of sweepsOfCustomer(sql, customer(sql), null)) await sweep
  for await (const ids of salesOf(sql, merchantId, id))
    await sql.begin(async scope => {
      await scope`select from transaction where merchant_id = ${merchantId} and id = any(${ids}) order by id for update`
      const which = scope`${customer(scope)} and t.id = any(${ids})`
      for (const sweep of [...sweepsOfSales(scope, which, null), emptyAnswers(scope, which, null)]) await sweep
    })
}

async function* salesOf(sql: Database, merchantId: MerchantId, id: CustomerId): AsyncGenerator<readonly string[]> {
  for (let last = beforeAll; ; ) {
    const some: readonly { id: string }[] = await sql<{ id: string }[]>`select id from transaction
      where merchant_id = ${merchantId} and customer_id = ${id} and id > ${last}
      order by id limit ${salesAtOnce}`
    const next = some.at(-1)
    if (next === undefined) return
    last = next.id
    yield some.map(sale => sale.id)
  }
}

/** A process that read the customer before the erasure may still commit what it read; none is at it for so long. */
const lateCommitsMs = 3_600_000

/** Far longer than the schedule of a delivery: what waits after it waits for an endpoint that may be paused for ever. */
const owedMs = 7 * 86_400_000

/** Of all who were erased and of whom something may be left. Returns how many rows were emptied or deleted. */
export async function emptyErased(sql: Database, now: Date, limit: number): Promise<number> {
  const which = sql`u.erased_at is not null and u.emptied_at is null`
  const some = await sql`select from customer u where ${which} limit 1`
  if (some.count === 0) return 0
  const parked = cancelParked(sql, which, new Date(now.getTime() - owedMs), now, limit)
  const count = await countOneByOne([parked, ...erasedSweeps(sql, which, limit), emptyAnswers(sql, which, limit)])
  if (count === 0) await markEmptied(sql, new Date(now.getTime() - lateCommitsMs), now)
  return count
}

/** `which` says which customers `u`. */
export function erasedSweeps(sql: Scope, which: ReturnType<Scope>, limit: number | null) {
  return [...sweepsOfCustomer(sql, which, limit), ...sweepsOfSales(sql, which, limit)]
}

function sweepsOfCustomer(sql: Scope, which: ReturnType<Scope>, limit: number | null) {
  return [
    // What is taken out of vaults takes it out. Beside an older version of the service a card could come late.
    sql`update card set remove_at = coalesce(remove_at, created_at), fingerprint = '' where (merchant_id, token) in (
      select c.merchant_id, c.token from customer u join card c on c.merchant_id = u.merchant_id and c.customer_id = u.id
      where ${which} and c.removed_at is null and (c.remove_at is null or c.fingerprint <> '')
      limit ${limit} for update of c skip locked)`,
    sql`update idempotency_key set status = ${erasedStatus}, answer = '' where (merchant_id, operation, key) in (
      select k.merchant_id, k.operation, k.key from customer u
        join idempotency_key k on k.merchant_id = u.merchant_id and k.customer_id = u.id
      where ${which} and k.answer <> '' limit ${limit} for update of k skip locked)`,
  ]
}

/** `which` may say which payments `t`, too. Events and answers stay while the event is owed to somebody. */
function sweepsOfSales(sql: Scope, which: ReturnType<Scope>, limit: number | null) {
  const sales = sql`customer u join transaction t on t.merchant_id = u.merchant_id and t.customer_id = u.id`
  const events = sql`${sales} join event e on e.merchant_id = t.merchant_id and e.transaction_id = t.id`
  const deliveries = sql`delivery d on d.merchant_id = e.merchant_id and d.event_id = e.id`
  const owed = sql`exists (select from whole_delivery d where d.merchant_id = e.merchant_id and d.event_id = e.id and d.due_at is not null)`
  return [
    sql`update transaction set referrer_context = null, entered = null, action_mail_to = null where (merchant_id, id) in (
      select t.merchant_id, t.id from ${sales}
      where ${which} and coalesce(t.referrer_context, t.entered::text, t.action_mail_to) is not null
      limit ${limit} for update of t skip locked)`,
    sql`update resolution set note = '' where (merchant_id, operation_id, at) in (
      select r.merchant_id, r.operation_id, r.at from ${sales}
        join operation p on p.merchant_id = t.merchant_id and p.transaction_id = t.id
        join resolution r on r.merchant_id = p.merchant_id and r.operation_id = p.id
      where ${which} and r.note <> '' limit ${limit} for update of r skip locked)`,
    // Of a refund that is made after the erasure, who made it stays.
    sql`update operation set refunded_by = null, refunded_reason = null where (merchant_id, id) in (
      select p.merchant_id, p.id from ${sales}
        join operation p on p.merchant_id = t.merchant_id and p.transaction_id = t.id
      where ${which} and coalesce(p.refunded_by, p.refunded_reason) is not null and p.created_at <= u.erased_at
      limit ${limit} for update of p skip locked)`,
    sql`update pre_sale_request set answer = null, ${nobodysDetails(sql)} where (merchant_id, id) in (
      select r.merchant_id, r.id from ${sales}
        join pre_sale_request r on r.merchant_id = t.merchant_id and r.transaction_id = t.id
      where ${which} and (r.answer is not null or r.details is not null) limit ${limit} for update of r skip locked)`,
    sql`update attempt set response = null where (merchant_id, delivery_id, number) in (
      select a.merchant_id, a.delivery_id, a.number from ${events} join ${deliveries}
        join attempt a on a.merchant_id = d.merchant_id and a.delivery_id = d.id
      where ${which} and a.response <> '' and not ${owed} limit ${limit} for update of a skip locked)`,
    sql`update event set details = null where (merchant_id, id) in (
      select e.merchant_id, e.id from ${events}
      where ${which} and e.details is not null and not ${owed} limit ${limit} for update of e skip locked)`,
    // A mail that was being written just then makes its link after the erasure.
    sql`delete from address_proof p using ${sales}
      where ${which} and p.merchant_id = t.merchant_id and p.transaction_id = t.id`,
    sql`delete from inbox_hook i using ${sales}
      where ${which} and i.merchant_id = t.merchant_id and strpos(i.details, t.id::text) > 0`,
    ...letterSweeps(sql, which, limit),
  ]
}

/**
 * What a paused endpoint is still owed about them: it is not sent any more. A payment in doubt may be settled long after the
 * erasure, and an endpoint that is paused just then is told of it as of any other.
 */
function cancelParked(sql: Scope, which: ReturnType<Scope>, owedBefore: Date, now: Date, limit: number) {
  return sql`with few as materialized (
      select o.merchant_id, o.id, o.state from customer u
        join transaction t on t.merchant_id = u.merchant_id and t.customer_id = u.id
        join event e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
        join delivery d on d.merchant_id = e.merchant_id and d.event_id = e.id
        join owed_delivery o on o.merchant_id = d.merchant_id and o.id = d.id
      where ${which} and u.erased_at < ${owedBefore} and e.at < ${owedBefore} and o.parked limit ${limit} for update of o skip locked),
    ${endingOf(sql, now)} select from few`
}

/** A refund made after the erasure names nobody, and its answer is still owed. */
function emptyAnswers(sql: Scope, which: ReturnType<Scope>, limit: number | null) {
  return sql`update idempotency_key set status = ${emptied.status}, answer = ${emptied.text}
    where (merchant_id, operation, key) in (select k.merchant_id, k.operation, k.key from customer u
        join transaction t on t.merchant_id = u.merchant_id and t.customer_id = u.id
        join idempotency_key k on k.merchant_id = t.merchant_id and k.transaction_id = t.id
      where ${which} and k.answer is not null and k.answer <> ${emptied.text}
        and not exists (select from operation p where p.merchant_id = k.merchant_id and p.id = k.operation_id
          and p.created_at > u.erased_at)
      limit ${limit} for update of k skip locked)`
}

/** Nothing is left of them, and nothing is open that could still bring something. */
async function markEmptied(sql: Database, erasedBefore: Date, now: Date): Promise<void> {
  await sql`update customer u set emptied_at = ${now}
    where u.erased_at < ${erasedBefore} and u.emptied_at is null and not exists (
      select from transaction t where t.merchant_id = u.merchant_id and t.customer_id = u.id and (
        t.status in ('Processing', 'Further Action Required')
        or exists (select from operation p where p.merchant_id = t.merchant_id and p.transaction_id = t.id
          and p.outcome in ('pending', 'unknown'))
        or exists (select from event e where e.merchant_id = t.merchant_id and e.transaction_id = t.id
          and e.details is not null)))`
}
