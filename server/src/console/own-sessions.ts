// Where one is signed in.

import type { FastifyInstance } from 'fastify'
import { answerText } from '../core/json.ts'
import { isoTime } from '../core/sale.ts'
import { ApiError } from '../http/errors.ts'
import type { SessionRecord } from './contract/people.ts'
import { loginOf, setSession } from './guard.ts'
import type { ConsolePorts, From, SignedIn } from './ports.ts'

export interface OwnSession extends From {
  readonly id: string
  readonly createdAt: Date
  readonly seenAt: Date
}

export interface OwnSessionPorts {
  readonly ownSessions: {
    list(who: SignedIn): Promise<readonly OwnSession[]>
    /** False: there is no such session of theirs. */
    end(who: SignedIn, id: string): Promise<boolean>
    /** And every copy of this one's cookie. Returns what it shows from now on; null: it has ended itself. */
    endOthers(who: SignedIn): Promise<string | null>
  }
}

export function ownSessionRoutes(app: FastifyInstance, ports: ConsolePorts & OwnSessionPorts): void {
  const { ownSessions } = ports
  app.get('/account/sessions', { config: { needs: 'viewer' } }, async (request, reply) => {
    const who = loginOf(request)
    const sessions = await ownSessions.list(who)
    return reply.send(answerText(sessions.map(session => recordOf(session, who))))
  })

  app.delete<{ Params: { id: string } }>(
    '/account/sessions/:id',
    { config: { needs: 'viewer', action: 'session_ended' } },
    async (request, reply) => {
      if (!(await ownSessions.end(loginOf(request), request.params.id))) throw ApiError.notKnown('id')
      return reply.code(204).send()
    },
  )

  app.delete('/account/sessions', { config: { needs: 'viewer', action: 'sessions_ended' } }, async (request, reply) => {
    const who = loginOf(request)
    const secret = await ownSessions.endOthers(who)
    if (secret !== null) setSession(reply, ports, { ...who, secret })
    return reply.code(204).send()
  })
}

function recordOf({ id, createdAt, seenAt, address, userAgent }: OwnSession, who: SignedIn): SessionRecord {
  const times = { created_at: isoTime(createdAt), seen_at: isoTime(seenAt) }
  return { id, ...times, address, user_agent: userAgent, is_this: id === who.sessionId }
}
