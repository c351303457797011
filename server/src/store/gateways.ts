// A merchant's gateways. Credentials come and go sealed: this room never sees them open.

import { type GatewayAccount, gatewaysMax } from '../core/gateway.ts'
import type { GatewayId, MerchantId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Database, Scope } from './database.ts'

const columns = ['merchant_id', 'id', 'type', 'is_default', 'fallback', 'status', 'created_at'] as const

/** What a gateway keeps beyond what its merchant sees. `account` null: nobody has asked yet whose account it is. */
export interface Kept {
  readonly credentialsSealed: Buffer
  readonly account: string | null
}

/** The first gateway of a merchant is its default; a later one becomes it when asked to. `connected`: its account is already. */
export async function insertGateway(
  scope: Scope,
  gateway: GatewayAccount & Kept,
): Promise<GatewayAccount | 'connected' | 'too many'> {
  const { merchantId } = gateway
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
  const there = await scope`select from gateway where merchant_id = ${merchantId} limit ${gatewaysMax}`
  if (there.count >= gatewaysMax) return 'too many'
  if (gateway.isDefault) await clearDefault(scope, gateway.merchantId)
  const [row] = await scope<GatewayAccount[]>`
    insert into gateway (merchant_id, id, type, credentials_sealed, account, is_default, fallback, status, created_at)
    select ${gateway.merchantId}, ${gateway.id}, ${gateway.type}, ${gateway.credentialsSealed}, ${gateway.account}::text,
      ${gateway.isDefault} or not exists (select from gateway where merchant_id = ${gateway.merchantId} and is_default),
      ${gateway.fallback}::int, ${gateway.status}, ${gateway.createdAt}
    on conflict (merchant_id, type, account) do nothing
    returning ${scope(columns)}`
  if (row === undefined) return 'connected'
  await scope`insert into directory (kind, key, merchant_id) values ('gateway', ${gateway.id}, ${gateway.merchantId})`
  return row
}

export interface GatewayRowChange extends Partial<Kept> {
  /** The sealed credentials that are replaced. */
  readonly over?: Buffer
  readonly status?: string
  readonly isDefault?: boolean
  /** Null: not tried next any more. */
  readonly fallback?: number | null
}

/** Null: there is no such gateway, or its credentials are not those any more that were to be replaced. */
export async function updateGateway(
  scope: Scope,
  merchantId: MerchantId,
  id: GatewayId,
  change: GatewayRowChange,
): Promise<GatewayAccount | null> {
  if (change.isDefault === true) await clearDefault(scope, merchantId)
  const [row] = await scope<GatewayAccount[]>`update gateway set
      status = coalesce(${change.status ?? null}, status), is_default = coalesce(${change.isDefault ?? null}, is_default),
      credentials_sealed = coalesce(${change.credentialsSealed ?? null}, credentials_sealed),
      account = coalesce(${change.account ?? null}, account),
      fallback = case when ${change.fallback !== undefined} then ${change.fallback ?? null}::int else fallback end
    where merchant_id = ${merchantId} and id = ${id}
      and credentials_sealed = coalesce(${change.over ?? null}, credentials_sealed) returning ${scope(columns)}`
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
): Promise<(GatewayAccount & Kept) | null> {
  const [row] = await sql<(GatewayAccount & Kept)[]>`
    select ${sql([...columns, 'credentials_sealed', 'account'])} from gateway where merchant_id = ${merchantId} and id = ${id}`
  return row ?? null
}

/** Where a new card is stored. */
export async function findDefaultGateway(sql: Database, merchantId: MerchantId): Promise<GatewayAccount | null> {
  const [row] = await sql<
    GatewayAccount[]
  >`select ${sql(columns)} from gateway where merchant_id = ${merchantId} and is_default`
  return row ?? null
}
