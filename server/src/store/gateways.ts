// A merchant's gateways. Credentials come and go sealed: this room never sees them open.

import type { GatewayAccount } from '../core/gateway.ts'
import type { GatewayId, MerchantId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Database, Scope } from './database.ts'

const columns = ['merchant_id', 'id', 'type', 'is_default', 'fallback', 'status', 'created_at'] as const

/** The first gateway of a merchant is its default; a later one becomes it when asked to. */
export async function insertGateway(
  scope: Scope,
  gateway: GatewayAccount & { readonly credentialsSealed: Buffer },
): Promise<GatewayAccount> {
  if (gateway.isDefault) await clearDefault(scope, gateway.merchantId)
  const [row] = await scope<GatewayAccount[]>`
    insert into gateway (merchant_id, id, type, credentials_sealed, is_default, fallback, status, created_at)
    select ${gateway.merchantId}, ${gateway.id}, ${gateway.type}, ${gateway.credentialsSealed},
      ${gateway.isDefault} or not exists (select from gateway where merchant_id = ${gateway.merchantId} and is_default),
      ${gateway.fallback}, ${gateway.status}, ${gateway.createdAt}
    returning ${scope(columns)}`
  await scope`insert into directory (kind, key, merchant_id) values ('gateway', ${gateway.id}, ${gateway.merchantId})`
  if (row === undefined) throw new Error('a gateway was not written')
  return row
}

export async function updateGateway(
  scope: Scope,
  merchantId: MerchantId,
  id: GatewayId,
  change: { readonly status?: string; readonly isDefault?: boolean; readonly credentialsSealed?: Buffer },
): Promise<GatewayAccount | null> {
  if (change.isDefault === true) await clearDefault(scope, merchantId)
  const [row] = await scope<GatewayAccount[]>`update gateway set
      status = coalesce(${change.status ?? null}, status), is_default = coalesce(${change.isDefault ?? null}, is_default),
      credentials_sealed = coalesce(${change.credentialsSealed ?? null}, credentials_sealed)
    where merchant_id = ${merchantId} and id = ${id} returning ${scope(columns)}`
  return row ?? null
}

/** One merchant's changes of the default wait for each other: two at once would each clear the same one and set their own. */
async function clearDefault(scope: Scope, merchantId: MerchantId): Promise<void> {
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
  await scope`update gateway set is_default = false where merchant_id = ${merchantId} and is_default`
}

export async function listGateways(
  sql: Database,
  merchantId: MerchantId,
  page: Page<GatewayId>,
): Promise<GatewayAccount[]> {
  return sql<GatewayAccount[]>`select ${sql(columns)} from gateway where merchant_id = ${merchantId}
      ${
        page.after === null
          ? sql``
          : sql`and (created_at, id) < (select created_at, id from gateway where merchant_id = ${merchantId} and id = ${page.after})`
      }
    order by created_at desc, id desc limit ${page.limit}`
}

export async function findGateway(
  sql: Scope,
  merchantId: MerchantId,
  id: GatewayId,
): Promise<(GatewayAccount & { readonly credentialsSealed: Buffer }) | null> {
  const [row] = await sql<(GatewayAccount & { credentialsSealed: Buffer })[]>`
    select ${sql([...columns, 'credentials_sealed'])} from gateway where merchant_id = ${merchantId} and id = ${id}`
  return row ?? null
}

/** Where a new card is stored. */
export async function findDefaultGateway(sql: Database, merchantId: MerchantId): Promise<GatewayAccount | null> {
  const [row] = await sql<
    GatewayAccount[]
  >`select ${sql(columns)} from gateway where merchant_id = ${merchantId} and is_default`
  return row ?? null
}
