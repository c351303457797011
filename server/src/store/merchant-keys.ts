// A merchant's key pairs. The text of the current Private Key signs hooks. A new one waits as `next` until it is made
// current; the one before it stays as `former`, and can be made current again, until it is deleted.

import type { MerchantId } from '../core/ids.ts'
import { formerKeysMax, type NoNextKey } from '../core/private-key.ts'
import type { Database, Scope } from './database.ts'
import { type RevokedWithKey, revokeTokensOfKey } from './tokens.ts'

export type KeyState = 'next' | 'current' | 'former' | 'deleted'

export interface MerchantKey {
  readonly id: string
  readonly state: KeyState
  readonly publicKey: string
  readonly compromised: boolean
  readonly createdAt: Date
}

const columns = ['id', 'state', 'public_key', 'compromised', 'created_at'] as const

export async function listKeys(sql: Database, merchantId: MerchantId): Promise<MerchantKey[]> {
  return sql<MerchantKey[]>`select ${sql(columns)} from merchant_key where merchant_id = ${merchantId}
    order by created_at, id`
}

/** One merchant's changes wait for each other. */
async function lockKeys(scope: Scope, merchantId: MerchantId): Promise<void> {
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
}

async function lockKey(scope: Scope, merchantId: MerchantId, id: string): Promise<MerchantKey | null> {
  await lockKeys(scope, merchantId)
  const [row] = await scope<MerchantKey[]>`select ${scope(columns)} from merchant_key
    where merchant_id = ${merchantId} and id = ${id}`
  return row ?? null
}

/** Tokens that name no currency have the key's: the merchant's at this moment. Null: the key was made. */
export async function insertNextKey(
  scope: Scope,
  merchantId: MerchantId,
  key: Pick<MerchantKey, 'id' | 'publicKey' | 'createdAt'> & { readonly privateKeySealed: Buffer },
): Promise<NoNextKey | null> {
  await lockKeys(scope, merchantId)
  const [counts] = await scope<{ next: number; former: number }[]>`
    select count(*) filter (where state = 'next')::int as next,
      count(*) filter (where state in ('former', 'deleted') and not compromised)::int as former
    from merchant_key where merchant_id = ${merchantId}`
  const { next = 0, former = 0 } = counts ?? {}
  if (next > 0) return 'has next'
  if (former >= formerKeysMax) return 'too many former'
  await scope`insert into merchant_key (merchant_id, id, state, public_key, private_key_sealed, currency, created_at)
    select merchant_id, ${key.id}, 'next', ${key.publicKey}, ${key.privateKeySealed}, currency, ${key.createdAt}
    from merchant where merchant_id = ${merchantId}`
  return null
}

export async function makeKeyCurrent(
  scope: Scope,
  merchantId: MerchantId,
  id: string,
): Promise<'current' | 'not known' | 'deleted'> {
  const key = await lockKey(scope, merchantId, id)
  if (key === null) return 'not known'
  if (key.state === 'deleted') return 'deleted'
  if (key.state === 'current') return 'current'
  await scope`update merchant_key set state = 'former' where merchant_id = ${merchantId} and state = 'current'`
  await scope`update merchant_key set state = 'current' where merchant_id = ${merchantId} and id = ${id}`
  return 'current'
}

/**
 * Its private half is destroyed. A key that was compromised opens no tokens either, and what was made with it before ends: its tokens
 * are revoked, and the offers that were registered from them are not for sale any more.
 */
export async function deleteKey(
  scope: Scope,
  merchantId: MerchantId,
  id: string,
  compromised: boolean,
  now: Date,
): Promise<RevokedWithKey | 'not known' | 'current'> {
  const key = await lockKey(scope, merchantId, id)
  if (key === null) return 'not known'
  if (key.state === 'current') return 'current'
  await scope`update merchant_key set state = 'deleted', private_key_sealed = null,
      compromised = compromised or ${compromised}
    where merchant_id = ${merchantId} and id = ${id}`
  return compromised || key.compromised ? revokeTokensOfKey(scope, merchantId, id, now) : { tokens: 0, offers: 0 }
}
