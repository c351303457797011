// Joins signing in to the logins that there are.

import type { From } from './console/ports.ts'
import type { Credentials, SessionPorts } from './console/session.ts'
import type { PeopleWorld } from './join-console-people.ts'
import { isHashedCheaply } from './keys/passwords.ts'
import { findLogin, type Login, readLogin, rehashPassword } from './store/logins.ts'

export function signInPorts(world: PeopleWorld): Pick<SessionPorts, 'signIn'> {
  const { foundation, proving, browsers } = world
  const { sql } = foundation

  const check = async (given: Credentials, from: From): ReturnType<SessionPorts['signIn']['check']> => {
    const { email, password, code, browser } = given
    const known = browsers.idOf(email, browser)
    const login = await findLogin(sql, email)
    const proven = await proving.password(login, password, proving.bucketsOf(email, { ...from, browser: known }))
    if (proven.kind === 'too often') return proven
    if (login === null || proven.kind === 'wrong') {
      if (login !== null) noteFailure(world, login, from)
      return { kind: 'wrong' }
    }
    if (login.totpSince !== null) {
      if (code === null) return { kind: 'needs code' }
      const fits = await proving.code(login, code, proving.bucket('code', email, known ?? ''))
      if (fits.kind === 'wrong') noteFailure(world, login, from)
      if (fits.kind !== 'ok') return fits.kind === 'wrong' ? { kind: 'wrong code' } : fits
    }
    if (isHashedCheaply(login.passwordHash)) world.later(() => rehash(world, login, password))
    const keeps = known === null || browser === null ? browsers.newFor(email) : browser
    return { kind: 'ok', merchantId: login.merchantId, email, proven: login, browser: keeps }
  }

  return {
    signIn: {
      check,
      async confirm(who, { password, code }) {
        const login = await readLogin(sql, who)
        const proven = await proving.password(login, password, [proving.bucket('browser', who.email, who.sessionId)])
        if (proven.kind !== 'ok' || login === null) return proven.kind === 'ok' ? { kind: 'wrong' } : proven
        if (login.totpSince === null) return proven
        if (code === null) return { kind: 'needs code' }
        const fits = await proving.code(login, code, proving.bucket('code', who.email, who.sessionId))
        return fits.kind === 'wrong' ? { kind: 'wrong code' } : fits
      },
    },
  }
}

/** Behind the answer, so that it takes no longer for a login that is there. */
function noteFailure({ foundation, later, note }: PeopleWorld, { merchantId, email }: Login, from: From): void {
  later(() => note(foundation.sql, { merchantId, email, role: null }, { action: 'sign_in_failed', status: 401 }, from))
}

async function rehash({ foundation, proving }: PeopleWorld, login: Login, password: string): Promise<void> {
  const hash = await proving.hash(password)
  if (typeof hash === 'string') await rehashPassword(foundation.sql, login, hash)
}
