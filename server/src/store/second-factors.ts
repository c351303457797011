// The second factor of a login, sealed, and the codes that stand in for it. Each is taken once.

import type { Database, Scope } from './database.ts'
import type { Login, LoginName } from './logins.ts'

/** Not asked for until a code has confirmed it. False: one is in force already. */
export async function beginSecondFactor(
  scope: Scope,
  { merchantId, email }: LoginName,
  sealed: Buffer,
): Promise<boolean> {
  const { count } = await scope`update login set totp_sealed = ${sealed}, totp_used_period = null
    where merchant_id = ${merchantId} and email = ${email} and totp_since is null`
  return count === 1
}

/** False: it is in force already, or another one was begun meanwhile. */
export async function confirmSecondFactor(
  scope: Scope,
  { merchantId, email }: LoginName,
  confirmed: { readonly sealed: Buffer; readonly period: number; readonly codesSha256: readonly Buffer[] },
): Promise<boolean> {
  const { count } = await scope`update login set totp_since = now(), totp_used_period = ${confirmed.period}
    where merchant_id = ${merchantId} and email = ${email} and totp_since is null and totp_sealed = ${confirmed.sealed}`
  if (count === 0) return false
  await scope`insert into recovery_code (merchant_id, email, code_sha256)
    select ${merchantId}, ${email}, unnest(${confirmed.codesSha256}::bytea[])`
  return true
}

/** False: a code of this period, or of a later one, was taken before. */
export async function takeTotpPeriod(
  sql: Database,
  { merchantId, email }: LoginName,
  period: number,
): Promise<boolean> {
  const { count } = await sql`update login set totp_used_period = ${period}
    where merchant_id = ${merchantId} and email = ${email} and coalesce(totp_used_period < ${period}, true)`
  return count === 1
}

export async function takeRecoveryCode(
  sql: Database,
  { merchantId, email }: LoginName,
  sha256: Buffer,
): Promise<boolean> {
  const { count } = await sql`delete from recovery_code
    where merchant_id = ${merchantId} and email = ${email} and code_sha256 = ${sha256}`
  return count === 1
}

export async function countRecoveryCodes(sql: Database, { merchantId, email }: LoginName): Promise<number> {
  const [row] = await sql<{ count: bigint }[]>`select count(*) from recovery_code
    where merchant_id = ${merchantId} and email = ${email}`
  return Number(row?.count ?? 0)
}

/** False: another password or another second factor is in force by now than those that were shown. */
export async function endSecondFactor(
  scope: Scope,
  { merchantId, email, passwordHash, totpSealed }: Login,
): Promise<boolean> {
  const { count } = await scope`select from login where merchant_id = ${merchantId} and email = ${email}
    and password_hash = ${passwordHash} and totp_sealed = ${totpSealed} for update`
  if (count === 1) await dropSecondFactor(scope, { merchantId, email })
  return count === 1
}

/** Whatever it is. */
export async function dropSecondFactor(scope: Scope, { merchantId, email }: LoginName): Promise<void> {
  await scope`update login set totp_sealed = null, totp_since = null, totp_used_period = null
    where merchant_id = ${merchantId} and email = ${email}`
  await scope`delete from recovery_code where merchant_id = ${merchantId} and email = ${email}`
}
