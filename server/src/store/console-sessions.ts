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
  /** The former secret is no longer good: the one that replaced it has been seen, or should have been long ago. */
  readonly isFormerOver: boolean
  readonly isFirstUse: boolean
  /** By who shows the secret. */
  readonly isToReplace: boolean
  /** By who shows the former one. */
  readonly isToReplaceAgain: boolean
  readonly isToTouch: boolean
}

/** Without a request for so long, and at the latest after so long, one signs in again. */
export const idleMax = '12 hours'
export const wholeMaxS = 7 * 86_400
const replaceAfter = '1 hour'
/** The new secret was sent, and not seen so long after: its answer is lost. */
const againAfter = '30 seconds'
/** The former is good so long after the new one was seen, and where it never is, so long after it was replaced first. */
const formerGoodFor = '1 minute'
const formerMax = '1 hour'
const touchAfter = '1 minute'
/** Of one person; whoever signs in once more ends the one not seen for longest. */
const sessionsMax = 50

export interface NewSession {
  readonly merchantId: MerchantId
  readonly id: string
  readonly email: string
  readonly secretSha256: Buffer
  readonly address: string
  readonly userAgent: string
}

/** What somebody has proven to know, as it was when they did. */
export interface ProvenLogin {
  readonly passwordHash: string
  readonly totpSince: Date | null
}

/**
 * Only where the login is still as it was proven: proving takes time. The lock is waited for by whoever changes the login, who
 * ends its sessions after that, this one too; and it waits for them, and then finds another hash. False: there is no session.
 */
export async function insertSession(sql: Database, session: NewSession, proven: ProvenLogin): Promise<boolean> {
  const { merchantId, id, email, secretSha256, address, userAgent } = session
  // Dates of ours have milliseconds.
  const { count } = await sql`
    insert into console_session (merchant_id, id, email, secret_sha256, address, user_agent)
    select merchant_id, ${id}, email, ${secretSha256}, ${address}, ${userAgent} from login
    where merchant_id = ${merchantId} and email = ${email} and password_hash = ${proven.passwordHash}
      and date_trunc('milliseconds', totp_since) is not distinct from ${proven.totpSince}
    for share`
  if (count === 0) return false
  await sql`delete from console_session where merchant_id = ${merchantId} and id in (
    select id from console_session where merchant_id = ${merchantId} and email = ${email}
    order by seen_at desc, id desc offset ${sessionsMax})`
  return true
}

export async function findSession(
  sql: Database,
  { merchantId, id }: Pick<ConsoleSession, 'merchantId' | 'id'>,
): Promise<ConsoleSession | null> {
  const [row] = await sql<ConsoleSession[]>`
    select s.merchant_id, s.id, s.email, s.secret_sha256, s.former_sha256, l.role, l.language,
      l.totp_since is not null as second_factor,
      coalesce(s.first_used_at < now() - ${formerGoodFor}::interval, false)
        or s.replaced_at < now() - ${formerMax}::interval as is_former_over,
      s.first_used_at is null as is_first_use,
      s.replaced_at < now() - ${replaceAfter}::interval as is_to_replace,
      s.first_used_at is null and s.seen_at < now() - ${againAfter}::interval as is_to_replace_again,
      s.seen_at < now() - ${touchAfter}::interval as is_to_touch
    from console_session s join login l on l.merchant_id = s.merchant_id and l.email = s.email
    where s.merchant_id = ${merchantId} and s.id = ${id} and s.seen_at > now() - ${idleMax}::interval
      and s.created_at > now() - make_interval(secs => ${wholeMaxS})`
  return row ?? null
}

type Place = Pick<ConsoleSession, 'merchantId' | 'id'>

/** Its secret was shown. */
export async function touchSession(sql: Database, { merchantId, id, secretSha256 }: ConsoleSession): Promise<void> {
  await sql`update console_session set seen_at = now(), first_used_at = coalesce(first_used_at, now())
    where merchant_id = ${merchantId} and id = ${id} and secret_sha256 = ${secretSha256}`
}

/**
 * `as` is what the secret that was shown has been when it was: a request that took long does not replace what another has replaced
 * meanwhile. Until a new one is seen, `seen_at` is when it was made. False: another request of the same browser was faster.
 */
export async function replaceSessionSecret(
  sql: Database,
  { merchantId, id }: Place,
  { shown, fresh }: { readonly shown: Buffer; readonly fresh: Buffer },
  as: 'current' | 'former',
): Promise<boolean> {
  const { count } = await sql`
    update console_session set secret_sha256 = ${fresh}, former_sha256 = ${shown}, first_used_at = null, seen_at = now(),
      replaced_at = case when secret_sha256 = ${shown} then now() else replaced_at end
    where merchant_id = ${merchantId} and id = ${id} and ${
      as === 'current'
        ? sql`secret_sha256 = ${shown} and replaced_at < now() - ${replaceAfter}::interval`
        : sql`former_sha256 = ${shown} and first_used_at is null and seen_at < now() - ${againAfter}::interval`
    }`
  return count === 1
}

/**
 * Ends all other sessions of the person, and every copy of this one's cookie. `shown` is what the request came with. False: it is
 * good no more, and nothing was done: the session has ended, or another request has just ended every copy, this one too.
 */
export async function keepThisSessionAlone(
  scope: Scope,
  { merchantId, id, email, shown }: Pick<ConsoleSession, 'merchantId' | 'id' | 'email'> & { readonly shown: Buffer },
  fresh: Buffer,
): Promise<boolean> {
  const { count } = await scope`update console_session set secret_sha256 = ${fresh}, former_sha256 = null,
      first_used_at = null, replaced_at = now(), seen_at = now()
    where merchant_id = ${merchantId} and id = ${id} and (secret_sha256 = ${shown} or former_sha256 = ${shown})`
  if (count === 0) return false
  await scope`delete from console_session where merchant_id = ${merchantId} and email = ${email} and id <> ${id}`
  return true
}

/** False: it had ended before. */
export async function endSession(scope: Scope, { merchantId, id }: Place): Promise<boolean> {
  const { count } = await scope`delete from console_session where merchant_id = ${merchantId} and id = ${id}`
  return count === 1
}

/** All of a person's. */
export async function endSessionsOf(
  scope: Scope,
  { merchantId, email }: Pick<ConsoleSession, 'merchantId' | 'email'>,
): Promise<void> {
  await scope`delete from console_session where merchant_id = ${merchantId} and email = ${email}`
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
    order by seen_at desc, id limit ${sessionsMax}`
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
