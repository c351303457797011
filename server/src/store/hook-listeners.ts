// Listeners, and the endpoints that are theirs. A listener lives as long as it asks; that is judged by the database's clock.

import { setTimeout as delay } from 'node:timers/promises'
import { defaultTimeoutS } from '../core/hook-endpoint.ts'
import { type HookListener, listenerLeaseS, listenersMax, listenerUrl, presenceS } from '../core/hook-listener.ts'
import type { EndpointId, ListenerId, MerchantId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'
import { idAt } from './id-at.ts'

/** Rings with a listener's id: there is something to take. */
export const relayRequests = 'tillbell_relay_requests'
/** Rings with a request's id: it was answered. */
export const relayAnswers = 'tillbell_relay_answers'

/** Of a listener `l`: it has asked lately enough. */
export function isLive(sql: Scope) {
  return sql`l.ended_at is null and l.seen_at > now() - make_interval(secs => ${listenerLeaseS})`
}

/** One merchant's wait for each other, so that two at once are not one too many. */
export async function insertListener(
  scope: Scope,
  { merchantId, id, name, kinds, createdAt }: HookListener,
  newEndpointId: () => EndpointId,
): Promise<'written' | 'too many'> {
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
  const { count } = await scope`select from hook_listener l where l.merchant_id = ${merchantId} and ${isLive(scope)}`
  if (count >= listenersMax) return 'too many'
  await scope`insert into hook_listener (merchant_id, id, name, created_at, present_until)
    values (${merchantId}, ${id}, ${name}, ${createdAt}, now() + make_interval(secs => ${presenceS}))`
  for (const kind of kinds) {
    await scope`insert into hook_endpoint ${scope({
      merchantId,
      id: newEndpointId(),
      kind,
      url: listenerUrl(name),
      status: 'enabled',
      timeoutS: defaultTimeoutS(kind),
      standardWebhooks: false,
      sendsJson: false,
      createdAt,
      listenerId: id,
    })}`
  }
  return 'written'
}

const endsWithinMs = 2_000
const lookEveryMs = 10

/**
 * Once every transaction is over that was under way when this was asked, or long enough after: one that had read the endpoints
 * before there was a new one has written by then what it owes, and a backfill finds it.
 */
export async function othersAreOver(sql: Database): Promise<void> {
  const untilMs = performance.now() + endsWithinMs
  const [begun] = await sql<{ next: string }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`
  const areOver = async () => {
    const [now] = await sql<
      { over: boolean }[]
    >`select pg_snapshot_xmin(pg_current_snapshot()) >= ${begun?.next ?? '0'}::xid8 as over`
    return now?.over === true
  }
  while (!(await areOver()) && performance.now() < untilMs) await delay(lookEveryMs)
}

/** The newest of them: whoever wants more looks at the list of deliveries. */
const backfilledMax = 1_000

export interface Backfill {
  readonly since: Date
  /** An earlier listener: what it was still owed is owed to this one, however old, and what has reached it is not. */
  readonly replaced: ListenerId | null
  readonly now: Date
  /** An id of now, which gives the deliveries their place in lists. */
  readonly moment: string
}

/**
 * What happened since then is owed to the listener as well: each to the endpoint of its kind, oldest first, but for what was
 * owed to it already.
 */
export async function backfill(
  scope: Scope,
  { merchantId, id }: Pick<HookListener, 'merchantId' | 'id'>,
  { since, replaced, now, moment }: Backfill,
): Promise<number> {
  const canBeTold = scope`v.transaction_id is not null and v.details is not null`
  const { count } = await scope`
    with replaced as (select id, kind from hook_endpoint where merchant_id = ${merchantId} and listener_id = ${replaced}::uuid),
    happened as (select v.id, v.kind from event v
      where v.merchant_id = ${merchantId} and v.id > ${idAt(since, -1)} and v.at > ${since} and ${canBeTold}
      order by v.id desc limit ${backfilledMax}),
    still_owed as (select v.id, v.kind from replaced r
        join owed_delivery d on d.merchant_id = ${merchantId} and d.endpoint_id = r.id and d.state in ('pending', 'canceled')
        join event v on v.merchant_id = ${merchantId} and v.id = d.event_id
      where ${canBeTold} order by v.id desc limit ${backfilledMax}),
    born as materialized (select id_of_the_moment_of(${moment}) as id, v.id as event_id, e.id as endpoint_id,
      ${now}::timestamptz + row_number() over (order by v.id) * interval '1 microsecond' as due_at
    from (select id, kind from happened union select id, kind from still_owed) v
      join hook_endpoint e on e.merchant_id = ${merchantId} and e.listener_id = ${id}
        and (e.kind = v.kind or (e.kind = 'generic' and v.kind <> 'update'))
    where not exists (select from delivery d
      where d.merchant_id = ${merchantId} and d.endpoint_id = e.id and d.event_id = v.id)
      and not exists (select from replaced r
          join whole_delivery d on d.merchant_id = ${merchantId} and d.endpoint_id = r.id and d.state in ('delivered', 'dropped')
        where r.kind = e.kind and d.event_id = v.id)),
    made as (insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
      select ${merchantId}, id, event_id, endpoint_id, ${now} from born)
    insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, due_at)
    select ${merchantId}, id, event_id, endpoint_id, ${now}, due_at from born`
  return count
}

/** When one of the merchant's began that has ended; null: nothing is known of such a one any more. */
export async function beginOfEnded(sql: Scope, merchantId: MerchantId, id: ListenerId): Promise<Date | null> {
  const [row] = await sql<{ createdAt: Date }[]>`select created_at from hook_listener
    where merchant_id = ${merchantId} and id = ${id} and ended_at is not null`
  return row?.createdAt ?? null
}

export async function findListener(sql: Scope, merchantId: MerchantId, id: ListenerId): Promise<HookListener | null> {
  const [row] = await sql<HookListener[]>`select l.merchant_id, l.id, l.name, l.created_at,
      array(select e.kind from hook_endpoint e where e.merchant_id = ${merchantId} and e.listener_id = l.id order by e.id) as kinds
    from hook_listener l where l.merchant_id = ${merchantId} and l.id = ${id} and l.ended_at is null`
  return row ?? null
}

/** It asks, and will wait so long: the number of this poll, which ends those before it. Null: there is no such listener any more. */
export async function beginPoll(
  sql: Database,
  merchantId: MerchantId,
  id: ListenerId,
  waitS: number,
): Promise<number | null> {
  const [row] = await sql<{ polls: number }[]>`with seen as (
      update hook_listener set seen_at = now(), polls = polls + 1,
        present_until = now() + make_interval(secs => ${waitS + presenceS})
      where merchant_id = ${merchantId} and id = ${id} and ended_at is null returning id, polls)
    select polls, pg_notify(${relayRequests}, id::text) from seen`
  return row?.polls ?? null
}

/** `isGone`: its connection was lost. Who waits for an answer of its is not to wait for a machine that was shut. */
export async function endPoll(
  sql: Database,
  merchantId: MerchantId,
  id: ListenerId,
  poll: { readonly number: number; readonly isGone: boolean },
): Promise<void> {
  await sql`update hook_listener set seen_at = case when ${poll.isGone} then seen_at else now() end,
      present_until = now() + make_interval(secs => ${poll.isGone ? 0 : presenceS})
    where merchant_id = ${merchantId} and id = ${id} and polls = ${poll.number} and ended_at is null`
}

/** Its endpoints are deleted, and whoever waits, for its answers or at its side, is told. False: it had ended before. */
export async function endListener(
  scope: Scope,
  merchantId: MerchantId,
  id: ListenerId,
  by: { readonly now: Date; readonly reason: string; readonly onlyIf: 'silent' | 'absent' | null },
): Promise<boolean> {
  const condition = {
    silent: () => scope`and not (${isLive(scope)})`,
    absent: () => scope`and l.present_until <= now()`,
  }
  const { count } = await scope`update hook_listener l set ended_at = now()
    where l.merchant_id = ${merchantId} and l.id = ${id} and l.ended_at is null
      ${by.onlyIf === null ? scope`` : condition[by.onlyIf]()}`
  if (count === 0) return false
  await scope`update hook_endpoint set deleted_at = ${by.now}
    where merchant_id = ${merchantId} and listener_id = ${id} and deleted_at is null`
  await scope`with ended as (
      update hook_relay set answered_at = now(), reason = ${by.reason}
      where merchant_id = ${merchantId} and listener_id = ${id} and answered_at is null returning id)
    select pg_notify(${relayAnswers}, id::text) from ended`
  await scope`select pg_notify(${relayRequests}, ${id}::text)`
  return true
}

const silentReason = 'Nobody listens any more.'
const bite = 100

/** Ends those that have not asked for too long; how many. */
export async function endSilentListeners(sql: Database, now: Date): Promise<number> {
  const silent = await sql<ListenerName[]>`select l.merchant_id, l.id from hook_listener l
    where l.ended_at is null and l.seen_at <= now() - make_interval(secs => ${listenerLeaseS}) limit ${bite}`
  return endEach(sql, silent, { now, reason: silentReason, onlyIf: 'silent' })
}

/** Ends those whose connection is lost; how many. One that comes back begins anew, and is sent what it missed. */
export async function endAbsentListeners(sql: Database, now: Date): Promise<number> {
  const absent = await sql<ListenerName[]>`select l.merchant_id, l.id from hook_listener l
    where l.ended_at is null and l.present_until <= now()`
  return endEach(sql, absent, { now, reason: silentReason, onlyIf: 'absent' })
}

const liveReason = 'No listener answers Pre-Sale in live mode.'

/** Those that were begun in sandbox mode: in live mode nobody's machine decides about real money. */
export async function endListenersOfPreSale(sql: Database, now: Date): Promise<number> {
  const deciding = await sql<ListenerName[]>`select l.merchant_id, l.id from hook_listener l
    where l.ended_at is null and exists (select from hook_endpoint e
      where e.merchant_id = l.merchant_id and e.listener_id = l.id and e.kind = 'pre_sale' and e.deleted_at is null)`
  return endEach(sql, deciding, { now, reason: liveReason, onlyIf: null })
}

type ListenerName = Pick<HookListener, 'merchantId' | 'id'>

async function endEach(
  sql: Database,
  listeners: readonly ListenerName[],
  by: Parameters<typeof endListener>[3],
): Promise<number> {
  let ended = 0
  for (const { merchantId, id } of listeners) {
    ended += Number(await sql.begin(scope => endListener(scope, merchantId, id, by)))
  }
  return ended
}
