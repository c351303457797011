// The merchant's people, who come in by the dashboard. An email address is one login of one merchant.

import { alertKinds } from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Language, Role } from '../core/login.ts'
import type { Database, Scope } from './database.ts'

export interface Login {
  readonly merchantId: MerchantId
  readonly email: string
  readonly passwordHash: string
  readonly role: Role
  readonly language: Language | null
  readonly createdAt: Date
  readonly passwordChangedAt: Date
  readonly totpSealed: Buffer | null
  /** Null: a second factor is not asked for. */
  readonly totpSince: Date | null
  /** The newest period whose code was taken. */
  readonly totpUsedPeriod: bigint | null
}

export type LoginName = Pick<Login, 'merchantId' | 'email'>

const columns = [
  ...['merchant_id', 'email', 'password_hash', 'role', 'language', 'created_at', 'password_changed_at'],
  ...['totp_sealed', 'totp_since', 'totp_used_period'],
] as const

export async function findLogin(sql: Database, email: string): Promise<Login | null> {
  const [row] = await sql<Login[]>`
    select ${sql(columns.map(name => `l.${name}`))} from directory d
      join login l on l.merchant_id = d.merchant_id and l.email = d.key
    where d.kind = 'login' and d.key = ${email}`
  return row ?? null
}

export async function readLogin(scope: Scope, { merchantId, email }: LoginName): Promise<Login | null> {
  const [row] = await scope<Login[]>`select ${scope(columns)} from login
    where merchant_id = ${merchantId} and email = ${email}`
  return row ?? null
}

export type NewLogin = Pick<Login, 'merchantId' | 'email' | 'passwordHash' | 'role' | 'language' | 'createdAt'>

/** False: the address has a login already, here or elsewhere. What else the scope wrote is to be undone then. */
export async function insertLogin(scope: Scope, login: NewLogin): Promise<boolean> {
  const { merchantId, email } = login
  const { count } = await scope`insert into directory (kind, key, merchant_id) values ('login', ${email}, ${merchantId})
    on conflict (kind, key) do nothing`
  if (count === 0) return false
  // An owner is alerted to everything until they choose otherwise.
  const alerts = login.role === 'owner' ? alertKinds : []
  await scope`insert into login ${scope({ ...login, alerts })}`
  return true
}

/**
 * A new password, which its person chose. `instead`: the hash of the one they proved to know; null: whichever it is. False: it
 * is another by now. Comes before ending sessions: a sign-in under way either is over by then, or finds another hash.
 */
export async function changePassword(
  scope: Scope,
  { merchantId, email }: LoginName,
  { hash, instead }: { readonly hash: string; readonly instead: string | null },
): Promise<boolean> {
  const { count } = await scope`update login set password_hash = ${hash}, password_changed_at = now()
    where merchant_id = ${merchantId} and email = ${email}
    ${instead === null ? scope`` : scope`and password_hash = ${instead}`}`
  return count === 1
}

/** The same password, hashed anew; not where it has been changed meanwhile. */
export async function rehashPassword(sql: Database, login: Login, hash: string): Promise<void> {
  await sql`update login set password_hash = ${hash}
    where merchant_id = ${login.merchantId} and email = ${login.email} and password_hash = ${login.passwordHash}`
}

export async function setLanguage(sql: Database, { merchantId, email }: LoginName, to: Language | null): Promise<void> {
  await sql`update login set language = ${to} where merchant_id = ${merchantId} and email = ${email}`
}
