// API keys as the merchant's people see them: whose they are, and when each was used last.

import type { ApiKeyId, MerchantId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'

export interface ApiKey {
  readonly id: ApiKeyId
  /** Null: it was made at the command line. */
  readonly name: string | null
  readonly createdBy: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

const columns = ['id', 'name', 'created_by', 'created_at', 'last_used_at', 'revoked_at'] as const
const listMax = 200

/** Those in force first. */
export async function listApiKeys(sql: Database, merchantId: MerchantId): Promise<ApiKey[]> {
  return sql<ApiKey[]>`select ${sql(columns)} from api_key where merchant_id = ${merchantId}
    order by revoked_at desc nulls first, created_at desc, id limit ${listMax}`
}

/** How many are in force; one merchant's makers wait for each other. */
export async function countApiKeys(scope: Scope, merchantId: MerchantId): Promise<number> {
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
  const { count } = await scope`select from api_key where merchant_id = ${merchantId} and revoked_at is null`
  return count
}

/** Null: this merchant has no such key. One that was revoked before stays as it is. */
export async function revokeOwnApiKey(
  scope: Scope,
  merchantId: MerchantId,
  id: string,
  now: Date,
): Promise<ApiKey | null> {
  const [row] = await scope<ApiKey[]>`update api_key set revoked_at = coalesce(revoked_at, ${now})
    where merchant_id = ${merchantId} and id = ${id} returning ${scope(columns)}`
  return row ?? null
}

export async function noteKeyUses(
  sql: Database,
  merchantId: MerchantId,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  await sql`update api_key set last_used_at = ${at} where merchant_id = ${merchantId} and id = any(${ids}::text[])`
}
