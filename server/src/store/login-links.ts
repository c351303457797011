// Links that set a password: mailed, good once and for a time, on the database's own clock.

import type { MerchantId } from '../core/ids.ts'
import type { Role } from '../core/login.ts'
import type { Database, Scope } from './database.ts'

export interface LoginLink {
  readonly merchantId: MerchantId
  readonly secretSha256: Buffer
  readonly kind: 'reset' | 'invitation'
  readonly email: string
  /** Of an invitation. */
  readonly role: Role | null
  readonly madeBy: string | null
}

export type LinkPlace = Pick<LoginLink, 'merchantId' | 'secretSha256'>

export interface Invitation {
  readonly email: string
  readonly role: Role
  readonly madeBy: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly isOver: boolean
}

export async function insertLink(scope: Scope, link: LoginLink, lifeS: number): Promise<void> {
  const { merchantId, secretSha256, kind, email, role, madeBy } = link
  await scope`insert into login_link (merchant_id, secret_sha256, kind, email, role, made_by, expires_at)
    values (${merchantId}, ${secretSha256}, ${kind}, ${email}, ${role}, ${madeBy}, now() + make_interval(secs => ${lifeS}))`
}

/** In the place of an earlier one. */
export async function putInvitation(sql: Database, link: LoginLink, lifeS: number): Promise<void> {
  const { merchantId, secretSha256, email, role, madeBy } = link
  await sql`insert into login_link (merchant_id, secret_sha256, kind, email, role, made_by, expires_at)
    values (${merchantId}, ${secretSha256}, 'invitation', ${email}, ${role}, ${madeBy}, now() + make_interval(secs => ${lifeS}))
    on conflict (merchant_id, email) where kind = 'invitation' do update set secret_sha256 = excluded.secret_sha256,
      role = excluded.role, made_by = excluded.made_by, created_at = excluded.created_at, expires_at = excluded.expires_at`
}

export async function findLink(sql: Database, { merchantId, secretSha256 }: LinkPlace): Promise<LoginLink | null> {
  const [row] = await sql<LoginLink[]>`select merchant_id, secret_sha256, kind, email, role, made_by from login_link
    where merchant_id = ${merchantId} and secret_sha256 = ${secretSha256} and expires_at > now()`
  return row ?? null
}

/** Of two who use it at once, one does. */
export async function useLink(scope: Scope, { merchantId, secretSha256 }: LinkPlace): Promise<boolean> {
  const { count } = await scope`delete from login_link
    where merchant_id = ${merchantId} and secret_sha256 = ${secretSha256} and expires_at > now()`
  return count === 1
}

export async function listInvitations(sql: Database, merchantId: MerchantId): Promise<Invitation[]> {
  return sql<Invitation[]>`select email, role, made_by, created_at, expires_at, expires_at <= now() as is_over
    from login_link where merchant_id = ${merchantId} and kind = 'invitation' order by created_at desc, email`
}

/** Whatever was mailed to somebody is of no use any more. Returns whether there was something. */
export async function dropLinks(
  scope: Scope,
  { merchantId, email, kind }: Pick<LoginLink, 'merchantId' | 'email' | 'kind'>,
): Promise<boolean> {
  const { count } = await scope`delete from login_link
    where merchant_id = ${merchantId} and email = ${email} and kind = ${kind}`
  return count > 0
}
