// Hooks on their way to a listener and back. Three processes may share one: who asks, where the listener takes it, and where it
// answers. Each step is one statement that rings for the next.

import type { LaneName } from '../core/delivery.ts'
import type { RelayAnswer, RelayRequest } from '../core/hook-listener.ts'
import type { ListenerId, MerchantId, RelayId } from '../core/ids.ts'
import type { Database } from './database.ts'
import { isLive, relayAnswers, relayRequests } from './hook-listeners.ts'

/**
 * False: nobody listens there. For Pre-Sale a customer waits, so that it goes only to a listener that is there now. It is asked
 * before or after the listener ends, never meanwhile: nobody would say that it has ended.
 */
export async function askListener(
  sql: Database,
  { merchantId, endpointId }: LaneName,
  asked: Pick<RelayRequest, 'id' | 'headers' | 'body'> & { readonly timeoutMs: number },
): Promise<boolean> {
  const { count } = await sql`
    with there as (
      select l.id, e.kind from hook_endpoint e
        join hook_listener l on l.merchant_id = ${merchantId} and l.id = e.listener_id
      where e.merchant_id = ${merchantId} and e.id = ${endpointId} and e.deleted_at is null and ${isLive(sql)}
        and (e.kind <> 'pre_sale' or l.present_until > now())
      for share of l),
    asked as (
      insert into hook_relay (merchant_id, id, listener_id, kind, headers, body, deadline)
      select ${merchantId}, ${asked.id}, id, kind, ${sql.json(asked.headers)}::jsonb, ${asked.body},
        now() + ${asked.timeoutMs} * interval '1 millisecond'
      from there returning listener_id)
    select pg_notify(${relayRequests}, listener_id::text) from asked`
  return count === 1
}

/** Of Pre-Sale, and of the rest: neither takes the other's place. */
const takenAtOnceMax = 8

/** Who asks for a listener's hooks: which of its polls it is, and with which API key. */
export interface Asking {
  readonly merchantId: MerchantId
  readonly listenerId: ListenerId
  readonly number: number
  readonly key: string
}

/**
 * Pre-Sale first, since a customer waits; then in the order in which they were posted, each by one poll: ids begin with their
 * time. A poll that a newer one has replaced takes nothing, nor does one whose key was revoked meanwhile, or whose listener has
 * ended.
 */
export async function takeRequests(
  sql: Database,
  { merchantId, listenerId, number, key }: Asking,
): Promise<RelayRequest[] | 'replaced' | 'key revoked' | 'ended'> {
  const oldest = (ofKind: ReturnType<Database>) => sql`select id from hook_relay
    where merchant_id = ${merchantId} and listener_id = ${listenerId} and answered_at is null and taken_at is null
      and deadline > now() and ${ofKind} and (select is_newest and is_open and has_key from asker)
    order by id limit ${takenAtOnceMax} for update skip locked`
  const rows = await sql<(RelayRequest & { isNewest: boolean; hasKey: boolean; isOpen: boolean })[]>`
    with asker as materialized (
      select l.polls = ${number} as is_newest, l.ended_at is null as is_open, exists (
          select from api_key where merchant_id = ${merchantId} and id = ${key} and revoked_at is null) as has_key
      from hook_listener l where l.merchant_id = ${merchantId} and l.id = ${listenerId}),
    pre_sales as materialized (${oldest(sql`kind = 'pre_sale'`)}),
    others as materialized (${oldest(sql`kind <> 'pre_sale'`)}),
    taken as (
      update hook_relay set taken_at = now()
      where merchant_id = ${merchantId} and id in (select id from pre_sales union all select id from others)
      returning id, kind, headers, body, deadline)
    select is_newest, is_open, has_key, id, kind, headers, body, deadline,
      round(extract(epoch from deadline - now()) * 1000)::int as left_ms
    from asker left join taken on true order by kind <> 'pre_sale', id`
  const [asker] = rows
  if (asker?.isOpen !== true) return 'ended'
  if (!asker.hasKey) return 'key revoked'
  if (!asker.isNewest) return 'replaced'
  return rows.filter(({ id }) => id !== null).map(({ isNewest: _, isOpen: __, hasKey: ___, ...request }) => request)
}

/** The poll that took them was cut off: the next one takes them. */
export async function giveBack(sql: Database, merchantId: MerchantId, ids: readonly RelayId[]): Promise<void> {
  await sql`with free as (
      update hook_relay set taken_at = null
      where merchant_id = ${merchantId} and id = any(${ids}::uuid[]) and answered_at is null returning listener_id)
    select pg_notify(${relayRequests}, listener_id::text) from free limit 1`
}

/** False: nobody waits for it any more, or it is another listener's. */
export async function answerRequest(
  sql: Database,
  { merchantId, listenerId, id }: { merchantId: MerchantId; listenerId: ListenerId; id: RelayId },
  { status, reason, durationMs, answer }: RelayAnswer,
): Promise<boolean> {
  const { count } = await sql`
    with answered as (
      update hook_relay set answered_at = now(), status = ${status}, reason = ${reason}, duration_ms = ${durationMs},
        answer = ${answer}
      where merchant_id = ${merchantId} and listener_id = ${listenerId} and id = ${id} and answered_at is null
        and deadline > now()
      returning id)
    select pg_notify(${relayAnswers}, id::text) from answered`
  return count === 1
}

/** What was answered goes with its row. Null: nothing yet. */
export async function takeAnswer(sql: Database, merchantId: MerchantId, id: RelayId): Promise<RelayAnswer | null> {
  const [row] = await sql<RelayAnswer[]>`delete from hook_relay
    where merchant_id = ${merchantId} and id = ${id} and answered_at is not null
    returning status, reason, duration_ms, answer`
  return row ?? null
}

/** Nobody waits any more. What was answered at the last moment is still an answer. */
export async function dropRequest(sql: Database, merchantId: MerchantId, id: RelayId): Promise<RelayAnswer | null> {
  const [row] = await sql<(RelayAnswer & { isAnswered: boolean })[]>`delete from hook_relay
    where merchant_id = ${merchantId} and id = ${id}
    returning status, reason, duration_ms, answer, answered_at is not null as is_answered`
  if (row?.isAnswered !== true) return null
  const { isAnswered: _, ...answer } = row
  return answer
}
