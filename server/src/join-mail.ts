// Joins mail out to the world: the relay, the database, the clock and the log.

import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { type Announcer, createAnnouncer } from './mail/announce-pauses.ts'
import { createMailer } from './mail/mailer.ts'
import type { Logger } from './observe/log.ts'
import { claimPause, markPauseTold } from './store/pause-announcements.ts'

export function joinMail({ config, sql, clock }: Foundation, log: Logger, service: ServiceFacts): Announcer {
  if (config.mailRelay === null) {
    return { start: () => log.info('TILLBELL_MAIL_RELAY is not set: no mail goes out'), stop: async () => {} }
  }
  return createAnnouncer({
    claim: () => claimPause(sql),
    markTold: paused => markPauseTold(sql, paused, clock.now()),
    send: createMailer(config.mailRelay, config.mailDomain),
    service,
    log: {
      told: ({ merchantId, id }) => log.info({ merchant: merchantId, endpoint: id }, 'told by mail of the pause'),
      notTold: ({ merchantId, id }, cause) =>
        log.error({ merchant: merchantId, endpoint: id, cause }, 'the mail about a paused endpoint was not taken'),
      failed: error => log.error({ err: error }, 'announcing pauses failed'),
    },
  })
}
