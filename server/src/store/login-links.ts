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
  /** Of an invitation; null: an operator's. */
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
export async function putInvitation(scope: Scope, link: LoginLink, lifeS: number): Promise<void> {
  const { merchantId, secretSha256, email, role, madeBy } = link
  await scope`insert into login_link (merchant_id, secret_sha256, kind, email, role, made_by, expires_at)
    values (${merchantId}, ${secretSha256}, 'invitation', ${email}, ${role}, ${madeBy}, now() + make_interval(secs => ${lifeS}))
    on conflict (merchant_id, email) where kind = 'invitation' do update set secret_sha256 = excluded.secret_sha256,
      role = excluded.role, made_by = excluded.made_by, created_at = excluded.created_at, expires_at = excluded.expires_at`
}

export async function findLink(sql: Database, place: LinkPlace): Promise<LoginLink | null> {
  const [row] = await sql<LoginLink[]>`select merchant_id, secret_sha256, kind, email, role, made_by from login_link
    where ${isGood(sql, place)}`
  return row ?? null
}

/** Of two who use it at once, one does. */
export async function useLink(scope: Scope, place: LinkPlace): Promise<boolean> {
  // The login first, as everybody else who changes both. Whoever is about to take an inviting one's role away is waited for.
  await scope`select from login where merchant_id = ${place.merchantId} and email = (
    select coalesce(made_by, email) from login_link where ${isGood(scope, place)}) for no key update`
  const { count } = await scope`delete from login_link where ${isGood(scope, place)}`
  return count === 1
}

/** An invitation is, while whoever made it may invite; an operator always may. */
function isGood(scope: Scope, { merchantId, secretSha256 }: LinkPlace) {
  return scope`login_link.merchant_id = ${merchantId} and secret_sha256 = ${secretSha256} and expires_at > now()
    and (kind = 'reset' or made_by is null or exists (select from login inviting where inviting.merchant_id = ${merchantId}
      and inviting.email = login_link.made_by and inviting.role = 'owner'))`
}

export async function listInvitations(sql: Database, merchantId: MerchantId): Promise<Invitation[]> {
  return sql<Invitation[]>`select email, role, made_by, created_at, expires_at, expires_at <= now() as is_over
    from login_link where merchant_id = ${merchantId} and kind = 'invitation' order by created_at desc, email`
}

/** Of one who is no owner any more. */
export async function dropInvitationsBy(
  scope: Scope,
  { merchantId, email }: Pick<LoginLink, 'merchantId' | 'email'>,
): Promise<void> {
  await scope`delete from login_link where merchant_id = ${merchantId} and kind = 'invitation' and made_by = ${email}`
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
