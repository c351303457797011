// Mail by HTTP: for operators whose mail is received by a provider, who posts it as it came.

import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyContentTypeParser, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lowerCaseEmail } from '../../core/email.ts'
import { verdictView } from '../../core/shown-letter.ts'
import type { NetworkLimiter } from './network-limiter.ts'
import { type Envelope, mailBytesMax, type Taken } from './ports.ts'
import type { Take } from './turns.ts'

export interface InboundRouteOptions {
  /** TILLBELL_MAIL_INBOUND_SECRET. */
  readonly secret: string
  readonly take: Take
  /** Counts what is refused by network. */
  readonly limiter: Pick<NetworkLimiter, 'turnsAway'>
  /** Gives the body as a Buffer. */
  readonly parseBody: FastifyContentTypeParser
}

const comeAgainS = 60

/** `POST /mail/inbound`. Whoever holds the secret is believed about the envelope. */
export function inboundRoute(app: FastifyInstance, { secret, take, limiter, parseBody }: InboundRouteOptions): void {
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(['message/rfc822', 'application/octet-stream'], parseBody)
    scope.setErrorHandler<FastifyError>((error, _, reply) => {
      const sentence = sentences[error.statusCode ?? 500]
      if (sentence === undefined) throw error
      return reply.code(error.statusCode ?? 500).send(refusal(sentence))
    })
    scope.post('/mail/inbound', {
      bodyLimit: mailBytesMax,
      schema: { hide: true },
      // Before the body is read: strangers send us no megabytes.
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        if (!isAllowed(request, secret)) {
          reply.header('www-authenticate', 'Bearer').code(401)
          return reply.send(refusal('The secret is missing or wrong.'))
        }
        request.server.strangers.giveBack(request)
        const { clientAddress } = envelopeOf(request)
        if (clientAddress !== null && isIP(clientAddress) === 0)
          return reply.code(422).send(refusal('Client-Address must be an IP address.'))
        const turned = limiter.turnsAway(clientAddress)
        if (turned !== null) return answer(reply, turned)
      },
      handler: async (request, reply) => {
        const { body } = request
        if (!Buffer.isBuffer(body) || body.length === 0) return reply.code(422).send(refusal('There is no mail.'))
        return answer(reply, await take(envelopeOf(request), body))
      },
    })
  })
}

const sentences: { readonly [status: number]: string } = {
  413: 'The mail is too big.',
  415: 'The Content-Type must be message/rfc822.',
}

const refusal = (general: string) => ({ mail: null, errors: { general } })

function answer(reply: FastifyReply, taken: Taken) {
  if (taken.kind === 'taken') {
    const { id, known, verdict } = taken
    return reply.send({ mail: { id, known, verdict: verdictView(verdict) } })
  }
  if (taken.kind === 'dropped') return reply.send({ mail: null, dropped: taken.why })
  if (taken.kind === 'refused') return reply.code(422).send(refusal(taken.sentence))
  return reply.code(503).header('retry-after', comeAgainS).send(refusal(taken.sentence))
}

function isAllowed({ headers }: FastifyRequest, secret: string): boolean {
  const [, given] = /^Bearer +(.+)$/i.exec(headers.authorization ?? '') ?? []
  // Hashed, so that the time says nothing about the length either.
  return given !== undefined && timingSafeEqual(sha256(given), sha256(secret))
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

function envelopeOf({ headers }: FastifyRequest): Envelope {
  const said = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value.trim().replace(/^<(.*)>$/, '$1') : null
  }
  const address = (name: string) => {
    const given = said(name)
    return given === null ? null : lowerCaseEmail(given)
  }
  return {
    mailFrom: address('mail-from'),
    rcptTo: address('rcpt-to') || null,
    clientAddress: said('client-address') || null,
    helo: said('helo') || null,
  }
}
