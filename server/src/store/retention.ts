// What is kept only for a time. Bounded statements, so that a large backlog does not hold locks for long; the sweeper
// comes again. Each begins in an index of what is old and still there, so that having nothing to do costs next to nothing.

import { listenerUrl, nobodysMachine } from '../core/hook-listener.ts'
import { forgottenAfterS } from '../core/sign-in-tries.ts'
import { idleMax } from './console-sessions.ts'
import type { Database, Scope } from './database.ts'
import { emptyErased, nobodysDetails } from './erasure.ts'
import { idAt } from './id-at.ts'
import { settledBefore } from './keyed-requests.ts'
import { countOneByOne } from './one-by-one.ts'
import { forgetTries, triesMs } from './tries.ts'

export interface Retention {
  readonly keysMs: number
  readonly answersMs: number
  readonly detailsMs: number
  readonly mailMs: number
}

const batch = 1_000
/** Long after a replaced secret has signed for the last time. */
const secretsMs = 7 * 86_400_000
/** After it was used or has expired: so long its page still says which. */
const cardLinksMs = 86_400_000
const proofsMs = 86_400_000
/** Longer than a browser remembers one. */
const checkoutsMs = 86_400_000
/** So long a mail that comes again is known. */
export const lettersMs = 90 * 86_400_000

/** So long it is asked who changed something. */
const changesMs = 730 * 86_400_000

/** `now` is the service's clock, which dates all that is kept for a time. Returns how many rows were emptied or deleted. */
export async function forgetWhatIsOver(sql: Database, retention: Retention, now: Date): Promise<number> {
  const forgetting = countOneByOne(Object.values(timedSweeps(sql, retention, now)))
  // What fails there keeps nobody's data here.
  await forgetting.catch(() => {})
  const emptied = await emptyErased(sql, now, batch)
  return emptied + (await forgetting)
}

/** By what they forget. */
export function timedSweeps(sql: Scope, retention: Retention, now: Date) {
  const before = (ageMs: number) => new Date(now.getTime() - ageMs)
  const [keys, answers, details] = [retention.keysMs, retention.answersMs, retention.detailsMs].map(before) as Dates
  return {
    keys: forgetKeys(sql, keys),
    // Their process died; the database's clock dates them, as it tells whether they are still in use.
    takenKeys: sql`delete from idempotency_key
      where status is null and transaction_id is null and created_at < now() - interval '1 day'`,
    preSaleAnswers: sql`update pre_sale_request set answer = null where (merchant_id, id) in (
      select merchant_id, id from pre_sale_request where answer is not null and answered_at < ${answers}
      limit ${batch} for update skip locked)`,
    responses: sql`update attempt set response = null where (merchant_id, delivery_id, number) in (
      select merchant_id, delivery_id, number from attempt where response <> '' and at < ${answers}
      limit ${batch} for update skip locked)`,
    preSaleDetails: sql`update pre_sale_request set ${nobodysDetails(sql)} where (merchant_id, id) in (
      select merchant_id, id from pre_sale_request where details is not null and recorded_at < ${details}
      limit ${batch} for update skip locked)`,
    eventDetails: forgetDetails(sql, details),
    attempts: forgetAttempts(sql, details),
    secrets: sql`delete from hook_secret where (merchant_id, id) in (
      select merchant_id, id from hook_secret where signs_until < ${before(secretsMs)}
      limit ${batch} for update skip locked)`,
    cardLinks: sql`delete from card_link where (merchant_id, secret_sha256) in (
      select merchant_id, secret_sha256 from card_link where coalesce(used_at, expires_at) < ${before(cardLinksMs)}
      limit ${batch} for update skip locked)`,
    checkouts: sql`delete from checkout where (merchant_id, secret_sha256) in (
      select merchant_id, secret_sha256 from checkout
      where created_at < ${before(checkoutsMs)} and coalesce(taken_until <= now(), true)
      limit ${batch} for update skip locked)`,
    proofs: sql`delete from address_proof where (merchant_id, secret_sha256) in (
      select merchant_id, secret_sha256 from address_proof where expires_at < ${before(proofsMs)}
      limit ${batch} for update skip locked)`,
    tries: forgetTries(sql, before(triesMs), batch),
    rawMails: sql`update letter set raw_sealed = null where (merchant_id, id) in (
      select merchant_id, id from letter where raw_sealed is not null and received_at < ${before(retention.mailMs)}
      limit ${batch} for update skip locked)`,
    letters: forgetLetters(sql, before(lettersMs)),
    changes: sql`delete from console_change where (merchant_id, id) in (
      select merchant_id, id from console_change where at < ${before(changesMs)}
      limit ${batch} for update skip locked)`,
    ...ofPeople(sql),
    ...ofListeners(sql),
    // Tokens and their uses are never forgotten: they are what stops a second use, and a token may expire in 2038.
    // Only the newest few hundred are there.
    inbox: sql`delete from inbox_hook where at < ${details}`,
    inboxMails: sql`delete from inbox_mail where at < ${details}`,
  }
}

type Dates = [Date, Date, Date]

/** On the database's own clock. An invitation that has expired is shown for a while: it can be mailed again. */
function ofPeople(sql: Scope) {
  return {
    sessions: sql`delete from console_session where (merchant_id, id) in (
      select merchant_id, id from console_session where seen_at < now() - ${idleMax}::interval
      limit ${batch} for update skip locked)`,
    loginLinks: sql`delete from login_link where (merchant_id, secret_sha256) in (
      select merchant_id, secret_sha256 from login_link where expires_at < now() - interval '30 days'
      limit ${batch} for update skip locked)`,
    signInTries: sql`delete from sign_in_try where who in (
      select who from sign_in_try where at < now() - make_interval(secs => ${forgottenAfterS})
      limit ${batch} for update skip locked)`,
  }
}

/**
 * On the database's own clock. What was left by a process that waited for an answer and died goes within minutes. A listener and
 * its endpoints stay where deliveries name them, without a name after 90 days; those are not looked at again and again.
 */
function ofListeners(sql: Scope) {
  const lately = sql`l.ended_at < now() - interval '1 hour' and l.ended_at > now() - interval '2 days'`
  const longAgo = sql`ended_at < now() - interval '90 days' and ended_at > now() - interval '120 days'`
  return {
    listenerNames: sql`with named as (
        select merchant_id, id from hook_listener where ${longAgo} and name <> ${nobodysMachine}
        limit ${batch} for update skip locked),
      endpoints as (update hook_endpoint e set url = ${listenerUrl(nobodysMachine)} from named n
        where e.merchant_id = n.merchant_id and e.listener_id = n.id)
      update hook_listener l set name = ${nobodysMachine} from named n where l.merchant_id = n.merchant_id and l.id = n.id`,
    relayed: sql`delete from hook_relay where (merchant_id, id) in (
      select merchant_id, id from hook_relay where deadline < now() - interval '1 minute'
      limit ${batch} for update skip locked)`,
    listenerEndpoints: sql`delete from hook_endpoint where (merchant_id, id) in (
      select e.merchant_id, e.id from hook_listener l
        join hook_endpoint e on e.merchant_id = l.merchant_id and e.listener_id = l.id
      where ${lately}
        and not exists (select from delivery d where d.merchant_id = e.merchant_id and d.endpoint_id = e.id)
        and not exists (select from pre_sale_request p where p.merchant_id = e.merchant_id and p.endpoint_id = e.id)
      limit ${batch} for update of e skip locked)`,
    listeners: sql`delete from hook_listener where (merchant_id, id) in (
      select l.merchant_id, l.id from hook_listener l where ${lately}
        and not exists (select from hook_endpoint e where e.merchant_id = l.merchant_id and e.listener_id = l.id)
      limit ${batch} for update skip locked)`,
  }
}

/** With their keys and the mails that answered them; not while what came of them waits. */
function forgetLetters(sql: Scope, before: Date) {
  return sql`delete from letter where (merchant_id, id) in (
    select merchant_id, id from letter l where received_at < ${before} and state = 'done'
      and not exists (select from transaction t where t.merchant_id = l.merchant_id and t.id = l.transaction_id
        and t.status in ('Processing', 'Further Action Required'))
      and not exists (select from outgoing_mail m where m.merchant_id = l.merchant_id and m.letter_id = l.id
        and m.state = 'waiting')
    limit ${batch} for update skip locked)`
}

function forgetKeys(sql: Scope, before: Date) {
  return sql`delete from idempotency_key where (merchant_id, operation, key) in (
    select merchant_id, operation, key from idempotency_key k where ${settledBefore(sql, before)}
    limit ${batch} for update skip locked)`
}

/** When all that the event owed has been settled so long, and no resend is asked for: looked at event by event, never in one go over all deliveries. */
function forgetDetails(sql: Scope, before: Date) {
  return sql`update event set details = null where (merchant_id, id) in (
    select merchant_id, id from event e where details is not null and at < ${before}
      and (select bool_or(d.due_at is not null or d.settled_at >= ${before}) from whole_delivery d
        where d.merchant_id = e.merchant_id and d.event_id = e.id) is not true
    limit ${batch} for update skip locked)`
}

/**
 * All of a delivery at once, and after its event's details: without those it cannot be sent again, so that no later
 * attempt is left behind alone, and the audit knows what was forgotten from what was lost. Its id says that it is old, so no index by time is
 * needed, which each attempt would have to be written into.
 */
function forgetAttempts(sql: Scope, before: Date) {
  return sql`with old as materialized (
      select o.merchant_id, o.id from merchant m cross join lateral (
        select d.merchant_id, d.id from attempt f
          join whole_delivery d on d.merchant_id = f.merchant_id and d.id = f.delivery_id
          join event e on e.merchant_id = d.merchant_id and e.id = d.event_id
        where f.merchant_id = m.merchant_id and f.delivery_id < ${idAt(before, 0)} and f.number = 1 and f.at < ${before}
          and e.details is null and d.due_at is null and d.settled_at < ${before}
          and not exists (select from attempt l where l.merchant_id = f.merchant_id and l.delivery_id = f.delivery_id and l.at >= ${before})
        limit ${batch} for update of f skip locked) o
      limit ${batch}),
    counted as (
      update delivery d set attempts_forgotten = n.attempts
      from (select o.merchant_id, o.id, max(a.number) as attempts from old o
          join attempt a on a.merchant_id = o.merchant_id and a.delivery_id = o.id group by 1, 2 having max(a.number) > 1) n
      where d.merchant_id = n.merchant_id and d.id = n.id)
    delete from attempt where (merchant_id, delivery_id) in (select merchant_id, id from old)`
}
