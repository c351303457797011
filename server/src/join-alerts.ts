// Joins alerts to the rows that owe them, the words they are told in, and the log.

import { createHash } from 'node:crypto'
import type { Alert, AlertReader } from './core/alert.ts'
import type { MerchantId } from './core/ids.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { type AlertPorts, type Announcer, createAnnouncer } from './mail/alerts.ts'
import type { Mail } from './mail/mailer.ts'
import type { Logger } from './observe/log.ts'
import { alertMail } from './pages/mails/alerts.ts'
import { wordsFor } from './pages/words/words.ts'
import { claimDoubt, claimDropped, markDoubtTold, markDroppedTold } from './store/alert-digests.ts'
import { claimPause, markPauseTold } from './store/pause-announcements.ts'

/** `only`: the one merchant whose mail goes out; null: everybody's does. */
export interface AlertRoads {
  readonly roadOf: AlertPorts['roadOf']
  readonly only: () => Promise<MerchantId | null | 'nobody'>
}

export function announcerOf(
  foundation: Foundation,
  log: Logger,
  service: ServiceFacts,
  { roadOf, only }: AlertRoads,
): Announcer {
  const { sql, clock } = foundation
  const claiming = (claim: (only: MerchantId | null) => Promise<Alert | null>) => async () => {
    const whose = await only()
    return whose === 'nobody' ? null : claim(whose)
  }
  return createAnnouncer({
    claims: [
      claiming(whose => claimPause(sql, whose)),
      claiming(whose => claimDropped(sql, whose)),
      claiming(whose => claimDoubt(sql, whose, clock.now())),
    ],
    markTold: alert => markTold(foundation, alert),
    write: (alert, reader) => written(service, alert, reader),
    roadOf,
    log: {
      told: alert => log.info(named(alert), 'told by mail'),
      notTold: (alert, cause) => log.error({ ...named(alert), cause }, 'an alert was not taken'),
      failed: error => log.error({ err: error }, 'telling alerts failed'),
    },
  })
}

function markTold({ sql, clock }: Foundation, alert: Alert): Promise<void> {
  switch (alert.kind) {
    case 'endpoint_paused':
      return markPauseTold(sql, alert.endpoint, clock.now())
    case 'hook_dropped':
      return markDroppedTold(sql, alert)
    case 'in_doubt':
      return markDoubtTold(sql, alert)
  }
}

function named(alert: Alert) {
  const { merchantId: merchant, kind } = alert
  if (alert.kind === 'endpoint_paused') return { merchant, alert: kind, endpoint: alert.endpoint.id }
  return { merchant, alert: kind, count: alert.count }
}

export function written(service: ServiceFacts, alert: Alert, { email, language }: AlertReader): Mail {
  return {
    about: `${newsOf(alert)}-${createHash('sha256').update(email).digest('hex').slice(0, 12)}`,
    to: { name: '', address: email },
    ...alertMail(wordsFor(language ?? 'en'), service, alert),
  }
}

/** The same for the same news: one that is told twice can be known as one. */
function newsOf(alert: Alert): string {
  if (alert.kind === 'endpoint_paused') return `pause-${alert.endpoint.id}-${alert.endpoint.failingSince.getTime()}`
  return `${alert.kind.replace('_', '-')}-${alert.first[0]?.id ?? alert.merchantId}`
}
