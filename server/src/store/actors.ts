// Whether whoever asked for a change still may make it, as of the commit that makes it.

import type { ActingSession, Actor, Standing } from '../core/actor.ts'
import { mayDo, type Role } from '../core/login.ts'
import type { Scope } from './database.ts'

/**
 * A removal, demotion, sign-out or revocation that was committed before is seen, and one that comes later waits until this commit. The
 * merchant is locked first, as by everybody who changes its people: a change that held the row of whoever makes it and waited
 * for the merchant would be in a deadlock with their removal.
 */
export async function lockActor(scope: Scope, actor: Actor): Promise<Standing> {
  await scope`select from merchant where merchant_id = ${actor.merchantId} for no key update`
  return actor.session === null ? lockApiKey(scope, actor) : lockLogin(scope, actor, actor.session)
}

async function lockApiKey(scope: Scope, { merchantId, name }: Actor): Promise<Standing> {
  const { count } = await scope`select from api_key
    where merchant_id = ${merchantId} and id = ${name} and revoked_at is null for share`
  return count === 1 ? 'allowed' : 'unknown'
}

/** The login first, then its session, as whoever changes a password. */
async function lockLogin(
  scope: Scope,
  { merchantId, name }: Actor,
  { id, shownSha256, needs }: ActingSession,
): Promise<Standing> {
  const [login] = await scope<{ role: Role }[]>`select role from login
    where merchant_id = ${merchantId} and email = ${name} for share`
  const { count } = await scope`select from console_session
    where merchant_id = ${merchantId} and id = ${id} and email = ${name}
      and (secret_sha256 = ${shownSha256} or former_sha256 = ${shownSha256}) for share`
  if (login === undefined || count === 0) return 'unknown'
  return mayDo(login.role, needs) ? 'allowed' : 'not allowed'
}
