// What hooks are signed with.

import type { LaneName } from '../core/delivery.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'

/** Null: it was deleted since. */
export async function findPrivateKey(sql: Scope, merchantId: MerchantId, keyId: string): Promise<Buffer | null> {
  const [row] = await sql<{ privateKeySealed: Buffer | null }[]>`
    select private_key_sealed from merchant_key where merchant_id = ${merchantId} and id = ${keyId}`
  return row?.privateKeySealed ?? null
}

/** The newest first; replaced ones sign beside it until their time is over. */
export async function signingSecrets(
  sql: Database,
  { merchantId, endpointId }: LaneName,
  now: Date,
): Promise<readonly Buffer[]> {
  const rows = await sql<{ secretSealed: Buffer }[]>`
    select secret_sealed from hook_secret where merchant_id = ${merchantId} and endpoint_id = ${endpointId}
      and (signs_until is null or signs_until > ${now})
    order by created_at desc`
  return rows.map(({ secretSealed }) => secretSealed)
}
