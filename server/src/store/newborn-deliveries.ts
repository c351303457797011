// The deliveries that an event owes, made in its commit: in the hand of this process's worker where it has one and has
// room, so that the first attempt waits for no poll.

import type { HeldDelivery, Outbox } from '../core/delivery.ts'
import type { MerchantId, WorkerId } from '../core/ids.ts'
import type { OwedEvent } from '../core/ports.ts'
import type { Scope } from './database.ts'
import { heldColumns } from './deliveries.ts'

/** As it is read back; what it says is at hand. */
export type Newborn = Omit<HeldDelivery, 'details' | 'holder' | 'claimId'> & {
  readonly holder: WorkerId | null
  readonly parked: boolean
}

/**
 * Owed to each endpoint of its kind that exists now; a generic endpoint gets a copy of all but the opt-in kind. `beside`:
 * other writes of the same commit, which go in the same statement.
 */
export function insertDeliveries(
  scope: Scope,
  merchantId: MerchantId,
  event: OwedEvent,
  outbox: Outbox,
  beside: ReturnType<Scope>,
) {
  const which = scope`e.deleted_at is null
    and (e.kind = ${event.kind} or (e.kind = 'generic' and ${event.kind} <> 'update'))`
  return insertFor(scope, merchantId, event, outbox, which, beside)
}

/** A statement that runs when it is awaited: those of one commit go out in the order in which they stand there. */
export function insertFor(
  scope: Scope,
  merchantId: MerchantId,
  event: Pick<OwedEvent, 'id' | 'at'>,
  outbox: Outbox,
  which: ReturnType<Scope>,
  beside: ReturnType<Scope> = scope``,
) {
  const held = scope`case when e.status = 'enabled' and e.id <> all(${outbox.fullLanes(merchantId)}::uuid[])
    then ${outbox.holder()}::uuid end`
  return scope<Newborn[]>`
    with ${beside} born as materialized (
      select id_of_the_moment_of(${event.id}) as id, e.id as endpoint_id, e.status = 'paused' as parked, ${held} as holder
      from hook_endpoint e where e.merchant_id = ${merchantId} and ${which}
    ),
    made as (
      insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
      select ${merchantId}, id, ${event.id}, endpoint_id, ${event.at} from born
    ),
    d as (
      insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, due_at, parked, holder)
      select ${merchantId}, id, ${event.id}, endpoint_id, ${event.at}, ${event.at}, parked, holder from born returning *
    )
    select ${heldColumns(scope)}, d.parked
    from d join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = d.endpoint_id
      join merchant_key k on k.merchant_id = ${merchantId} and k.state = 'current'`
}

/** Once they are committed. */
export function handOver(outbox: Outbox, born: readonly Newborn[], details: string): void {
  if (born.length === 0) return
  const held = born.flatMap(({ parked: _, holder, ...rest }) =>
    holder === null ? [] : [{ ...rest, holder, claimId: null, details }],
  )
  const unheld = born.some(({ holder, parked }) => holder === null && !parked)
  outbox.born(held, unheld)
}
