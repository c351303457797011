// Tests of an endpoint: real notifications, without a transaction, to that endpoint alone.

import type { Outbox } from '../core/delivery.ts'
import type { DeliveryId, EndpointId, MerchantId } from '../core/ids.ts'
import type { OwedEvent, PreSaleAnswer } from '../core/ports.ts'
import type { Database } from './database.ts'
import { handOver, insertFor } from './newborn-deliveries.ts'
import { serviceTime } from './settings.ts'

/** Null: the endpoint does not take deliveries now. */
export async function sendTestEvent(
  sql: Database,
  outbox: Outbox,
  { merchantId, endpointId }: { readonly merchantId: MerchantId; readonly endpointId: EndpointId },
  event: OwedEvent,
): Promise<DeliveryId | null> {
  const born = await sql.begin(async scope => {
    const which = scope`e.id = ${endpointId} and e.status = 'enabled' and e.deleted_at is null`
    // It stays as it is until the commit, so that no event is left that nobody gets.
    const open = await scope`select from hook_endpoint e where e.merchant_id = ${merchantId} and ${which} for share`
    if (open.count === 0) return []
    await scope`insert into event (merchant_id, id, transaction_id, kind, type, details, at)
      values (${merchantId}, ${event.id}, null, ${event.kind}, ${event.type}, ${event.details}, ${event.at})`
    return insertFor(scope, merchantId, event, outbox, which)
  })
  handOver(outbox, born, event.details)
  return born[0]?.id ?? null
}

export async function isAttempted(sql: Database, merchantId: MerchantId, id: DeliveryId): Promise<boolean> {
  const { count } =
    await sql`select from whole_delivery where merchant_id = ${merchantId} and id = ${id} and attempts > 0`
  return count === 1
}

/** Before it is sent, like every Pre-Sale request. */
export async function recordTestRequest(
  sql: Database,
  asked: {
    readonly merchantId: MerchantId
    readonly id: DeliveryId
    readonly endpointId: EndpointId
    readonly url: string
    readonly recordedAt: Date
    readonly details: string
  },
): Promise<void> {
  await sql`insert into pre_sale_request ${sql({ ...asked })}`
}

export async function recordTestAnswer(
  sql: Database,
  merchantId: MerchantId,
  id: DeliveryId,
  given: PreSaleAnswer,
): Promise<void> {
  await sql`update pre_sale_request set status = ${given.status}, reason = ${given.reason},
      duration_ms = ${given.durationMs}, answer = ${given.answer}, answered_at = ${serviceTime(sql)}
    where merchant_id = ${merchantId} and id = ${id}`
}
