// Joins taking mail in to the world: the listener, the route, the log and the metrics.

import type { FastifyInstance } from 'fastify'
import { type Config, usualMailPort } from './config.ts'
import type { Foundation } from './foundation.ts'
import { bodyParser } from './http/bodies.ts'
import { inboundPorts, mailResolver } from './join-letters.ts'
import { inboundRoute } from './mail/in/http.ts'
import { createMailThreads } from './mail/in/mail-threads.ts'
import { createNetworkLimiter, type NetworkLimiter } from './mail/in/network-limiter.ts'
import type { InboundPorts, Taken } from './mail/in/ports.ts'
import { isRecipient } from './mail/in/recipient.ts'
import { createSmtpServer, type SmtpServer } from './mail/in/smtp.ts'
import { takeIn } from './mail/in/take-in.ts'
import { inTurn, mailNetworkOf, type Take } from './mail/in/turns.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { saySparingly } from './observe/say-sparingly.ts'

export interface JoinedMailIn {
  /** `POST /mail/inbound`; null: this process takes no mail, or no provider has a secret. */
  readonly route: ((app: FastifyInstance) => Promise<void>) | null
  /** The port that was picked; null: this process takes no mail. */
  listen(tls: { readonly cert: Buffer; readonly key: Buffer } | null, problem: ListenProblem): Promise<number | null>
  /** Lets mails under way finish. */
  close(): Promise<void>
  /** Once no request is under way either: a provider may have posted a mail. */
  endThreads(): Promise<void>
}

type ListenProblem = (error: NodeJS.ErrnoException) => Error

export function joinMailIn(foundation: Foundation, log: Logger, metrics: Metrics): JoinedMailIn {
  const { config } = foundation
  if (!config.roles.includes('mail'))
    return { route: null, listen: async () => null, close: async () => {}, endThreads: async () => {} }
  const threads = createMailThreads()
  const resolver = mailResolver(foundation)
  const inbound = inboundPorts(foundation, resolver.resolve)
  const ports = tellingOfDns(inbound, config.dns, (said, sentence) => log.warn(said, sentence))
  const limiter = createNetworkLimiter(config.trustedProxies)
  const take = observed(
    log,
    metrics,
    limiter,
    inTurn((envelope, raw, turn) => {
      const reader = threads.of(mailNetworkOf(envelope.clientAddress))
      return takeIn({ ...ports, reader }, envelope, raw, turn)
    }),
  )
  const secret = config.mailInboundSecret
  let server: SmtpServer | null = null
  return {
    route:
      secret === null
        ? null
        : async app => inboundRoute(app, { secret, take, limiter, parseBody: bodyParser(body => body) }),
    async listen(tls, problem) {
      const listenOn = async (port: number) => {
        const opened = createSmtpServer({
          hostname: config.mailDomain,
          tls: tls === null ? null : { cert: tls.cert.toString(), key: tls.key.toString() },
          take,
          limiter,
          isRecipient: address => isRecipient(ports, address),
          turnedAway: outcome => metrics.mailsIn.inc({ outcome }),
          failed: error => log.error({ err: error }, 'taking mail in failed'),
        })
        const picked = await opened.listen(config.host, port)
        server = opened
        return picked
      }
      return listenOn(config.mailPort).catch(error => {
        if (error.code !== 'EADDRINUSE' || !mayPickAnother(config)) throw problem(error)
        log.warn({ port: config.mailPort }, 'the usual port of mail is in use: another one is picked')
        return listenOn(0)
      })
    },
    close: async () => server?.close(),
    async endThreads() {
      await Promise.all([threads.close(), resolver.close()])
    },
  }
}

/** Two sandboxes on one machine are no mistake; who runs one for real, or names another port, means that port. */
function mayPickAnother({ mode, mailPort }: Config): boolean {
  return mode === 'sandbox' && mailPort === usualMailPort
}

/** What DNS says when there is no such record. */
const noRecord = ['ENOTFOUND', 'ENODATA']

/** Where the resolver is wrong, nobody's mail is taken: the operator hears of it. A domain is no person. */
export function tellingOfDns<Ports extends Pick<InboundPorts, 'resolve'>>(
  ports: Ports,
  dns: string | null,
  warn: (said: object, sentence: string) => void,
): Ports {
  const sparingly = saySparingly()
  const resolver = dns ?? 'of the system'
  return {
    ...ports,
    async resolve(name, type) {
      try {
        return await ports.resolve(name, type)
      } catch (error) {
        const { code = 'unknown' } = error as NodeJS.ErrnoException
        if (!noRecord.includes(code))
          sparingly('dns', unsaid => warn({ resolver, code, name, type, unsaid }, 'the resolver does not answer'))
        throw error
      }
    },
  }
}

/** Who sent it, and what it says, stay out of the log. */
function observed(log: Logger, metrics: Metrics, limiter: NetworkLimiter, take: Take): Take {
  return async (envelope, raw) => {
    const settle = limiter.reserve(envelope.clientAddress)
    const taken = await take(envelope, raw).catch(error => {
      settle(null)
      throw error
    })
    settle(taken)
    metrics.mailsIn.inc({ outcome: outcomeOf(taken) })
    const { kind } = taken
    if (kind === 'taken')
      log.info({ letter: taken.id, known: taken.known, outcome: outcomeOf(taken) }, 'took a mail in')
    else if (kind === 'dropped' && taken.cameBack !== undefined)
      log.info({ outcome: kind, messageId: taken.cameBack }, 'a mail of ours came back')
    else log.info({ outcome: kind, why: kind === 'dropped' ? taken.why : taken.sentence }, 'took no mail in')
    return taken
  }
}

function outcomeOf(taken: Taken): string {
  if (taken.kind !== 'taken') return taken.kind
  if (taken.known) return 'known'
  return taken.verdict.isProven ? 'proven' : 'not_proven'
}
