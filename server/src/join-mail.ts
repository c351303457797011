// Joins mail out to the world: the relay, the database, the clock and the log.

import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { type Announcer, createAnnouncer } from './mail/announce-pauses.ts'
import { createMailer, type SendMail } from './mail/mailer.ts'
import { createPost, type Post } from './mail/post.ts'
import type { Logger } from './observe/log.ts'
import { claimPause, markPauseTold } from './store/pause-announcements.ts'

export interface JoinedMail {
  /** For what somebody on a page asks for; null: there is no relay. */
  readonly post: Post | null
  /** Tells what is to be told by itself. */
  start(): void
  /** Lets what is on its way go out. */
  stop(): Promise<void>
}

export function joinMail(foundation: Foundation, log: Logger, service: ServiceFacts): JoinedMail {
  const { mailRelay, mailDomain } = foundation.config
  if (mailRelay === null) {
    const start = () => log.info('TILLBELL_MAIL_RELAY is not set: no mail goes out')
    return { post: null, start, stop: async () => {} }
  }
  const send = createMailer(mailRelay, mailDomain)
  const announcer = announcerOf(foundation, log, service, send)
  const post = postOf(log, send)
  return {
    post,
    start: announcer.start,
    stop: async () => void (await Promise.all([announcer.stop(), post.stop()])),
  }
}

/** What a mail says stays out of the log: it may hold a secret. */
function postOf(log: Logger, send: SendMail): Post {
  return createPost(send, {
    sent: ({ about }) => log.info({ mail: about }, 'sent a mail'),
    notSent: ({ about }, { kind, cause }) => {
      const facts = { mail: about, cause }
      if (kind === 'refused') log.warn(facts, 'the relay refused a mail')
      else log.error(facts, 'the relay took no mail')
    },
  })
}

function announcerOf({ sql, clock }: Foundation, log: Logger, service: ServiceFacts, send: SendMail): Announcer {
  return createAnnouncer({
    claim: () => claimPause(sql),
    markTold: paused => markPauseTold(sql, paused, clock.now()),
    send,
    service,
    log: {
      told: ({ merchantId, id }) => log.info({ merchant: merchantId, endpoint: id }, 'told by mail of the pause'),
      notTold: ({ merchantId, id }, cause) =>
        log.error({ merchant: merchantId, endpoint: id, cause }, 'the mail about a paused endpoint was not taken'),
      failed: error => log.error({ err: error }, 'announcing pauses failed'),
    },
  })
}
