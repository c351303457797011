// Hook endpoints. A deleted one keeps its row, because deliveries name it, and is not to be found any more; nor are those of
// listeners, which come and go by themselves.

import { type EndpointChange, endpointsMax, type HookEndpoint, preSaleEndpointsMax } from '../core/hook-endpoint.ts'
import type { EndpointId, MerchantId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Database, Scope } from './database.ts'

const columns = [
  ...['merchant_id', 'id', 'kind', 'url', 'status', 'timeout_s', 'standard_webhooks', 'sends_json', 'created_at'],
  'paused_because',
] as const

/** One merchant's wait for each other: of two at once that both see 49, the second would make 51. */
export async function insertEndpoint(
  scope: Scope,
  endpoint: HookEndpoint,
): Promise<'written' | 'too many' | 'too many Pre-Sale'> {
  const { merchantId } = endpoint
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
  const [there] = await scope<{ count: number; preSale: number }[]>`select count(*)::int as count,
      (count(*) filter (where kind = 'pre_sale'))::int as pre_sale from hook_endpoint
    where merchant_id = ${merchantId} and deleted_at is null and listener_id is null`
  if ((there?.count ?? 0) >= endpointsMax) return 'too many'
  if (endpoint.kind === 'pre_sale' && (there?.preSale ?? 0) >= preSaleEndpointsMax) return 'too many Pre-Sale'
  await scope`insert into hook_endpoint ${scope({ ...endpoint })}`
  return 'written'
}

export async function listEndpoints(
  sql: Database,
  merchantId: MerchantId,
  page: Page<EndpointId>,
): Promise<HookEndpoint[]> {
  return sql<HookEndpoint[]>`select ${sql(columns)} from hook_endpoint
    where merchant_id = ${merchantId} and deleted_at is null and listener_id is null
      ${page.after === null ? sql`` : sql`and id < ${page.after}`}
    order by id desc limit ${page.limit}`
}

export async function findEndpoint(sql: Scope, merchantId: MerchantId, id: EndpointId): Promise<HookEndpoint | null> {
  const [row] = await sql<HookEndpoint[]>`select ${sql(columns)} from hook_endpoint
    where merchant_id = ${merchantId} and id = ${id} and deleted_at is null and listener_id is null`
  return row ?? null
}

/** As `findEndpoint`; nobody changes it until the commit. */
export async function lockEndpoint(scope: Scope, merchantId: MerchantId, id: EndpointId): Promise<HookEndpoint | null> {
  const [row] = await scope<HookEndpoint[]>`select ${scope(columns)} from hook_endpoint
    where merchant_id = ${merchantId} and id = ${id} and deleted_at is null and listener_id is null for no key update`
  return row ?? null
}

/** Of an endpoint that is locked. The days of failures that pause one begin anew where it is resumed or goes elsewhere. */
export async function updateEndpoint(
  scope: Scope,
  before: HookEndpoint,
  change: EndpointChange,
): Promise<HookEndpoint> {
  const changed = { ...before, ...change }
  const isMoved = changed.url !== before.url
  const isTurned = changed.status !== before.status
  const because = changed.status === 'paused' ? 'asked' : null
  const after: HookEndpoint = { ...changed, pausedBecause: isTurned ? because : before.pausedBecause }
  await scope`update hook_endpoint set url = ${after.url}, timeout_s = ${after.timeoutS}, status = ${after.status},
      standard_webhooks = ${after.standardWebhooks}, sends_json = ${after.sendsJson},
      paused_because = ${after.pausedBecause},
      failing_since = case when ${isMoved || isTurned} then null else failing_since end
    where merchant_id = ${before.merchantId} and id = ${before.id}`
  return after
}

export async function markEndpointDeleted(scope: Scope, { merchantId, id }: HookEndpoint, now: Date): Promise<void> {
  await scope`update hook_endpoint set deleted_at = ${now} where merchant_id = ${merchantId} and id = ${id}`
}
