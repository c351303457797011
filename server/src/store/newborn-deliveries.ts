// The deliveries that an event owes, made in its commit: in the hand of this process's worker where it has one and has
// room, so that the first attempt waits for no poll.

import type { HeldDelivery, Outbox } from '../core/delivery.ts'
import type { MerchantId } from '../core/ids.ts'
import type { OwedEvent } from '../core/ports.ts'
import type { Scope } from './database.ts'
import { heldColumns } from './deliveries.ts'

export type Newborn = HeldDelivery & { readonly held: boolean; readonly parked: boolean }

/** Owed to each endpoint of its kind that exists now; a generic endpoint gets a copy of all but the opt-in kind. */
export async function insertDeliveries(
  scope: Scope,
  merchantId: MerchantId,
  event: OwedEvent,
  outbox: Outbox,
): Promise<Newborn[]> {
  return insertFor(
    scope,
    merchantId,
    event,
    outbox,
    scope`e.deleted_at is null
    and (e.kind = ${event.kind} or (e.kind = 'generic' and ${event.kind} <> 'update'))`,
  )
}

export async function insertFor(
  scope: Scope,
  merchantId: MerchantId,
  event: Pick<OwedEvent, 'id' | 'at' | 'details'>,
  outbox: Outbox,
  which: ReturnType<Scope>,
): Promise<Newborn[]> {
  const rows = await scope<Omit<Newborn, 'details'>[]>`
    with d as (
      insert into delivery (merchant_id, id, event_id, endpoint_id, state, attempts, due_at, created_at, parked, holder, lease_no)
      select e.merchant_id, id_of_the_moment_of(${event.id}), ${event.id}, e.id, 'pending', 0, ${event.at}, ${event.at},
        e.status = 'paused',
        case when e.status = 'enabled' and e.id <> all(${outbox.fullLanes(merchantId)}::uuid[]) then ${outbox.holder()}::uuid end, 1
      from hook_endpoint e where e.merchant_id = ${merchantId} and ${which}
      returning *
    )
    select ${heldColumns(scope)}, d.holder is not null as held, d.parked
    from d join hook_endpoint e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id
      join merchant_key k on k.merchant_id = d.merchant_id and k.state = 'current'`
  return rows.map(row => ({ ...row, details: event.details }))
}

/** Once they are committed. */
export function handOver(outbox: Outbox, born: readonly Newborn[]): void {
  if (born.length === 0) return
  const held = born.filter(delivery => delivery.held)
  outbox.born(
    held,
    born.some(delivery => !delivery.held && !delivery.parked),
  )
}
