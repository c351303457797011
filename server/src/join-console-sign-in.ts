// Joins signing in to the logins that there are.

import type { SessionPorts } from './console/session.ts'
import type { Foundation } from './foundation.ts'
import { fitsPassword, hashPassword, newPassword } from './keys/passwords.ts'
import { findLogin } from './store/logins.ts'

export function signInPorts({ sql }: Foundation): Pick<SessionPorts, 'signIn'> {
  let nobodys: Promise<string> | null = null
  /** Who has no login waits as long as who has one. */
  const hashOfNobody = () => {
    nobodys ??= hashPassword(newPassword())
    return nobodys
  }
  return {
    signIn: {
      async check({ email, password }) {
        const login = await findLogin(sql, email)
        const fits = await fitsPassword(login?.passwordHash ?? (await hashOfNobody()), password)
        return login === null || !fits ? { kind: 'wrong' } : { kind: 'ok', merchantId: login.merchantId, email }
      },
    },
  }
}
