// Merchants, their key pairs, API keys and dashboard logins.

import { alertKinds } from '../core/alert.ts'
import type { ApiKeyId, MerchantId, PartnerUuid } from '../core/ids.ts'
import type { Merchant } from '../core/people.ts'
import type { Database, Scope } from './database.ts'
import { merchantColumns, merchantFrom } from './rows.ts'

export interface NewMerchant {
  readonly id: MerchantId
  readonly partner: PartnerUuid
  readonly name: string
  readonly email: string
  readonly currency: string
  readonly createdAt: Date
  readonly keyId: string
  readonly publicKey: string
  readonly privateKeySealed: Buffer
  readonly apiKey: {
    readonly key: ApiKeyId
    readonly secretSha256: Buffer
    readonly name?: string | null
    readonly createdBy?: string | null
  }
  readonly login: { readonly email: string; readonly passwordHash: string }
}

/** Returns the partner number it was given. */
export async function insertMerchant(scope: Scope, merchant: NewMerchant): Promise<number> {
  const { id, createdAt } = merchant
  const [row] = await scope<{ partnerId: bigint }[]>`
    insert into merchant (merchant_id, partner, partner_id, name, email, currency, created_at)
    values (${id}, ${merchant.partner}, nextval('partner_number'), ${merchant.name}, ${merchant.email}, ${merchant.currency}, ${createdAt})
    returning partner_id`
  const partnerId = Number(row?.partnerId)
  await scope`insert into merchant_key (merchant_id, id, state, public_key, private_key_sealed, currency, created_at)
    values (${id}, ${merchant.keyId}, 'current', ${merchant.publicKey}, ${merchant.privateKeySealed}, ${merchant.currency},
      ${createdAt})`
  await insertApiKey(scope, id, merchant.apiKey, createdAt)
  await scope`insert into login (merchant_id, email, password_hash, role, created_at, alerts)
    values (${id}, ${merchant.login.email}, ${merchant.login.passwordHash}, 'owner', ${createdAt}, ${alertKinds})`
  await scope`insert into directory (kind, key, merchant_id)
    values ('partner', ${String(partnerId)}, ${id}), ('login', ${merchant.login.email}, ${id})`
  return partnerId
}

export async function listMerchants(sql: Database): Promise<(Merchant & { createdAt: Date })[]> {
  const rows = await sql`select ${sql([...merchantColumns, 'created_at'])} from merchant order by partner_id`
  return rows.map(({ createdAt, ...row }) => ({ ...merchantFrom(row), createdAt: createdAt as Date }))
}

export async function hasOtherMerchants(sql: Database, id: MerchantId): Promise<boolean> {
  const others = await sql`select from merchant where merchant_id <> ${id} limit 1`
  return others.count > 0
}

export async function findMerchant(sql: Scope, id: MerchantId): Promise<Merchant | null> {
  const [row] = await sql`select ${sql(merchantColumns)} from merchant where merchant_id = ${id}`
  return row === undefined ? null : merchantFrom(row)
}

export async function renameMerchant(scope: Scope, id: MerchantId, name: string): Promise<void> {
  await scope`update merchant set name = ${name} where merchant_id = ${id}`
}

export async function anyMerchant(sql: Database): Promise<boolean> {
  const rows = await sql`select from merchant limit 1`
  return rows.length > 0
}

export async function currentKey(
  sql: Database,
  id: MerchantId,
): Promise<{ readonly id: string; readonly publicKey: string; readonly privateKeySealed: Buffer }> {
  const [row] = await sql<{ id: string; publicKey: string; privateKeySealed: Buffer }[]>`
    select id, public_key, private_key_sealed from merchant_key where merchant_id = ${id} and state = 'current'`
  if (row === undefined) throw new Error(`merchant ${id} has no current key`)
  return row
}

export async function insertApiKey(
  scope: Scope,
  merchantId: MerchantId,
  { key, secretSha256, name = null, createdBy = null }: NewMerchant['apiKey'],
  createdAt: Date,
): Promise<void> {
  await scope`insert into api_key (merchant_id, id, secret_sha256, name, created_by, created_at)
    values (${merchantId}, ${key}, ${secretSha256}, ${name}, ${createdBy}, ${createdAt})`
  await scope`insert into directory (kind, key, merchant_id) values ('api_key', ${key}, ${merchantId})`
}

/** Asked on every request, so that a revocation takes effect at once. */
export async function findApiKey(
  sql: Database,
  key: string,
): Promise<{ merchantId: MerchantId; secretSha256: Buffer } | null> {
  const [row] = await sql.quick<{ merchantId: MerchantId; secretSha256: Buffer }[]>`
    select k.merchant_id, k.secret_sha256 from directory d
      join api_key k on k.merchant_id = d.merchant_id and k.id = d.key
    where d.kind = 'api_key' and d.key = ${key} and k.revoked_at is null`
  return row ?? null
}

/** Its merchant; null: there is no such key, or it was revoked before. */
export async function revokeApiKey(sql: Database, key: string, now: Date): Promise<MerchantId | null> {
  const [row] = await sql<{ merchantId: MerchantId }[]>`
    update api_key k set revoked_at = ${now} from directory d
    where d.kind = 'api_key' and d.key = ${key} and k.merchant_id = d.merchant_id and k.id = d.key and k.revoked_at is null
    returning k.merchant_id`
  return row?.merchantId ?? null
}
