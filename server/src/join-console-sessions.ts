// Joins the console's sessions to the database.
//
// A secret is replaced every hour, as an answer leaves. The browser may have sent a dozen requests with the former one by then,
// and the answer may be lost; so the former is good until a minute after the new one was seen. What of the new one
// never is? Whoever shows the former half a minute later gets another: a thief who was first and threw the new one away
// has not stopped the replacing, and nobody is signed out by a lost answer. An hour later the former is good no more, whoever
// asks how often.
//
// Whichever answer comes last, the browser ends up with a good cookie: of requests at once one replaces (the others find
// that it was just done) and only its answer has a cookie. Two that differ left half a minute apart, the second to
// a browser that in all this time had not got the first.
//
// The former, shown after that, is shown by a thief, or by the person who was robbed: the session ends for both, and the audit
// log says so. One that is neither, as where it was replaced unseen, is refused and says nothing: its answer may have been slow.

import type { ConsolePorts, From, SignedIn } from './console/ports.ts'
import type { Foundation } from './foundation.ts'
import { newConsoleSecret, sameHash, secretHash } from './keys/new-ids.ts'
import { insertChange } from './store/console-changes.ts'
import {
  type ConsoleSession,
  endSession,
  findSession,
  insertSession,
  replaceSessionSecret,
  touchSession,
  wholeMaxS,
} from './store/console-sessions.ts'

export function consoleSessions(foundation: Foundation): ConsolePorts['sessions'] {
  const { sql, newUuid } = foundation
  return {
    wholeMaxS,
    async begin({ merchantId, email, proven }, { address, userAgent }) {
      const [sessionId, secret] = [newUuid(), newConsoleSecret()]
      const session = { merchantId, id: sessionId, email, secretSha256: secretHash(secret), address, userAgent }
      return (await insertSession(sql, session, proven)) ? { merchantId, sessionId, secret } : null
    },
    async find({ merchantId, sessionId, secret }, from) {
      const session = await findSession(sql, { merchantId, id: sessionId })
      if (session === null) return null
      const shown = secretHash(secret)
      const who = signedIn(session, shown)
      if (sameHash(session.secretSha256, shown)) {
        if (session.isToTouch || session.isFirstUse) await sql.worksFor(session, () => touchSession(sql, session))
        return { who, replaces: session.isToReplace ? 'current' : null }
      }
      if (session.formerSha256 === null || !sameHash(session.formerSha256, shown)) return null
      if (!session.isFormerOver) return { who, replaces: session.isToReplaceAgain ? 'former' : null }
      await endStolen(foundation, session, from)
      return null
    },
    async roleNow({ merchantId, sessionId, shownSha256: shown }) {
      const session = await findSession(sql, { merchantId, id: sessionId })
      // The former one is enough, however old: an answer that takes long shows nothing again.
      const known = [session?.secretSha256, session?.formerSha256]
      return session !== null && known.some(each => each && sameHash(each, shown)) ? session.role : null
    },
    async replace({ merchantId, sessionId, shownSha256: shown }, as) {
      const fresh = newConsoleSecret()
      const secrets = { shown, fresh: secretHash(fresh) }
      return (await replaceSessionSecret(sql, { merchantId, id: sessionId }, secrets, as)) ? fresh : null
    },
    end: async ({ merchantId, sessionId }) => void (await endSession(sql, { merchantId, id: sessionId })),
  }
}

function signedIn(session: ConsoleSession, shownSha256: Buffer): SignedIn {
  const { merchantId, id, email, role, language, secondFactor } = session
  return { merchantId, sessionId: id, shownSha256, email, role, language, secondFactor }
}

async function endStolen({ sql, clock, newUuid }: Foundation, session: ConsoleSession, from: From): Promise<void> {
  const { merchantId, id, email } = session
  await sql.begin(async scope => {
    if (!(await endSession(scope, session))) return
    const change = { merchantId, id: newUuid(), at: clock.now(), by: email, role: null, detail: {}, ...from }
    await insertChange(scope, { ...change, action: 'copied_session_ended', about: id, status: 401 })
  })
}
