// Where one is signed in.

import type { FastifyInstance } from 'fastify'
import { answerText } from '../core/json.ts'
import { isoTime } from '../core/sale.ts'
import { ApiError } from '../http/errors.ts'
import type { SessionRecord } from './contract/people.ts'
import { loginOf } from './guard.ts'
import type { From, SignedIn } from './ports.ts'

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
    endOthers(who: SignedIn): Promise<void>
  }
}

export function ownSessionRoutes(app: FastifyInstance, { ownSessions }: OwnSessionPorts): void {
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
    await ownSessions.endOthers(loginOf(request))
    return reply.code(204).send()
  })
}

function recordOf({ id, createdAt, seenAt, address, userAgent }: OwnSession, who: SignedIn): SessionRecord {
  const times = { created_at: isoTime(createdAt), seen_at: isoTime(seenAt) }
  return { id, ...times, address, user_agent: userAgent, is_this: id === who.sessionId }
}
