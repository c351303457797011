// Who is signed in at the dashboard. On the database's own clock: the sandbox may move the service's by days. A login that is
// gone, or has another role, is so at once: it is read with the session.

import type { MerchantId } from '../core/ids.ts'
import type { Role } from '../core/login.ts'
import type { Database, Scope } from './database.ts'

export interface ConsoleSession {
  readonly merchantId: MerchantId
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly language: 'en' | 'es' | null
  readonly secondFactor: boolean
  readonly secretSha256: Buffer
  readonly formerSha256: Buffer | null
  /** The former secret is no longer good: the one that replaced it has been seen. */
  readonly isReplaced: boolean
  readonly isFirstUse: boolean
  readonly isToReplace: boolean
  readonly isToTouch: boolean
}

/** Without a request for so long, and at the latest after so long, one signs in again. */
export const idleMax = '12 hours'
export const wholeMaxS = 7 * 86_400
const replaceAfter = '1 hour'
const formerGoodFor = '1 minute'
const touchAfter = '1 minute'

export interface NewSession {
  readonly merchantId: MerchantId
  readonly id: string
  readonly email: string
  readonly secretSha256: Buffer
  readonly address: string
  readonly userAgent: string
}

export async function insertSession(scope: Scope, session: NewSession): Promise<void> {
  await scope`insert into console_session ${scope({ ...session })}`
}

export async function findSession(
  sql: Database,
  { merchantId, id }: Pick<ConsoleSession, 'merchantId' | 'id'>,
): Promise<ConsoleSession | null> {
  const [row] = await sql<ConsoleSession[]>`
    select s.merchant_id, s.id, s.email, s.secret_sha256, s.former_sha256, l.role, l.language,
      l.totp_since is not null as second_factor,
      coalesce(s.first_used_at < now() - ${formerGoodFor}::interval, false) as is_replaced,
      s.first_used_at is null as is_first_use,
      s.replaced_at < now() - ${replaceAfter}::interval as is_to_replace,
      s.seen_at < now() - ${touchAfter}::interval as is_to_touch
    from console_session s join login l on l.merchant_id = s.merchant_id and l.email = s.email
    where s.merchant_id = ${merchantId} and s.id = ${id} and s.seen_at > now() - ${idleMax}::interval
      and s.created_at > now() - make_interval(secs => ${wholeMaxS})`
  return row ?? null
}

type Place = Pick<ConsoleSession, 'merchantId' | 'id'>

export async function touchSession(sql: Database, { merchantId, id }: Place): Promise<void> {
  await sql`update console_session set seen_at = now(), first_used_at = coalesce(first_used_at, now())
    where merchant_id = ${merchantId} and id = ${id}`
}

/** False: another request of the same browser was faster. */
export async function replaceSessionSecret(
  sql: Database,
  { merchantId, id, secretSha256 }: ConsoleSession,
  fresh: Buffer,
): Promise<boolean> {
  const { count } = await sql`
    update console_session set secret_sha256 = ${fresh}, former_sha256 = ${secretSha256}, replaced_at = now(),
      first_used_at = null, seen_at = now()
    where merchant_id = ${merchantId} and id = ${id} and secret_sha256 = ${secretSha256}`
  return count === 1
}

export async function endSession(scope: Scope, { merchantId, id }: Place): Promise<void> {
  await scope`delete from console_session where merchant_id = ${merchantId} and id = ${id}`
}

/** All of a person's, but for the one they are at. */
export async function endSessionsOf(
  scope: Scope,
  { merchantId, email }: Pick<ConsoleSession, 'merchantId' | 'email'>,
  butFor: string | null,
): Promise<void> {
  await scope`delete from console_session where merchant_id = ${merchantId} and email = ${email}
    ${butFor === null ? scope`` : scope`and id <> ${butFor}`}`
}

export interface ShownSession {
  readonly id: string
  readonly createdAt: Date
  readonly seenAt: Date
  readonly address: string
  readonly userAgent: string
}

/** Those that are good still, the last seen first. */
export async function listSessions(
  sql: Database,
  { merchantId, email }: Pick<ConsoleSession, 'merchantId' | 'email'>,
): Promise<ShownSession[]> {
  return sql<ShownSession[]>`select id, created_at, seen_at, address, user_agent from console_session
    where merchant_id = ${merchantId} and email = ${email} and seen_at > now() - ${idleMax}::interval
      and created_at > now() - make_interval(secs => ${wholeMaxS})
    order by seen_at desc, id`
}

/** One of the person's own; false: there is no such. */
export async function endOwnSession(
  sql: Database,
  { merchantId, email, id }: Pick<ConsoleSession, 'merchantId' | 'email' | 'id'>,
): Promise<boolean> {
  const { count } = await sql`delete from console_session
    where merchant_id = ${merchantId} and email = ${email} and id = ${id}`
  return count === 1
}
