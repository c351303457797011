// Joins the console's sessions to the database. A secret is replaced every hour: a cookie that was copied is of use until the
// next replacement at most, and showing it after that ends the session for both.

import type { ConsolePorts, SignedIn } from './console/ports.ts'
import type { Foundation } from './foundation.ts'
import { newConsoleSecret, sameHash, secretHash } from './keys/new-ids.ts'
import {
  type ConsoleSession,
  endSession,
  findSession,
  insertSession,
  replaceSessionSecret,
  touchSession,
  wholeMaxS,
} from './store/console-sessions.ts'

export function consoleSessions({ sql, newUuid }: Foundation): ConsolePorts['sessions'] {
  return {
    wholeMaxS,
    async begin({ merchantId, email }, { address, userAgent }) {
      const [sessionId, secret] = [newUuid(), newConsoleSecret()]
      const secretSha256 = secretHash(secret)
      await insertSession(sql, { merchantId, id: sessionId, email, secretSha256, address, userAgent })
      return { merchantId, sessionId, secret }
    },
    async find({ merchantId, sessionId, secret }) {
      const session = await findSession(sql, { merchantId, id: sessionId })
      if (session === null) return null
      const shown = secretHash(secret)
      if (sameHash(session.secretSha256, shown)) return goOn(session)
      if (session.formerSha256 === null || !sameHash(session.formerSha256, shown)) return null
      if (!session.isReplaced) return { who: signedIn(session), fresh: null }
      await endSession(sql, session)
      return null
    },
    end: ({ merchantId, sessionId }) => endSession(sql, { merchantId, id: sessionId }),
  }

  async function goOn(session: ConsoleSession) {
    const who = signedIn(session)
    if (session.isToReplace) {
      const fresh = newConsoleSecret()
      return { who, fresh: (await replaceSessionSecret(sql, session, secretHash(fresh))) ? fresh : null }
    }
    if (session.isToTouch || session.isFirstUse) await touchSession(sql, session)
    return { who, fresh: null }
  }
}

function signedIn({ merchantId, id, email, role, language, secondFactor }: ConsoleSession): SignedIn {
  return { merchantId, sessionId: id, email, role, language, secondFactor }
}
