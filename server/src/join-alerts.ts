// Joins alerts to the rows that owe them, the words they are told in, and the log.

import type { Alert, AlertMail, AlertReader, OwedAlert } from './core/alert.ts'
import type { MerchantId } from './core/ids.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { type AlertPorts, type Announcer, createAnnouncer } from './mail/alerts.ts'
import type { Logger } from './observe/log.ts'
import { alertMail } from './pages/mails/alerts.ts'
import { wordsFor } from './pages/words/words.ts'
import { claimDoubt, claimDropped, markDoubtTold, markDroppedTold } from './store/alert-digests.ts'
import { claimOwedAlert, endOwedAlert, keepOwedAlert } from './store/owed-alerts.ts'
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
  const { sql, clock, newUuid } = foundation
  const claiming =
    <Claimed>(claim: (only: MerchantId | null) => Promise<Claimed | null>) =>
    async () => {
      const whose = await only()
      return whose === 'nobody' ? null : claim(whose)
    }
  return createAnnouncer({
    claims: [
      claiming<Alert>(whose => claimPause(sql, whose)),
      claiming(whose => claimDropped(sql, whose)),
      claiming(whose => claimDoubt(sql, whose, clock.now())),
    ],
    write: (alert, reader) => ({ id: newUuid(), ...written(service, alert, reader) }),
    owe: (alert, mails) => markTold(foundation, alert, mails),
    claimOwed: claiming(whose => claimOwedAlert(sql, whose)),
    endOwed: owed => endOwedAlert(sql, owed),
    keepOwed: (owed, waitMs) => keepOwedAlert(sql, owed, waitMs),
    roadOf,
    now: clock.now,
    log: {
      told: owed => log.info(named(owed), 'told by mail'),
      notTold: (owed, cause, isOver) => log.error({ ...named(owed), cause, isOver }, 'an alert was not taken'),
      failed: error => log.error({ err: error }, 'telling alerts failed'),
    },
  })
}

function markTold({ sql, clock }: Foundation, alert: Alert, mails: readonly AlertMail[]): Promise<void> {
  switch (alert.kind) {
    case 'endpoint_paused':
      return markPauseTold(sql, alert, mails, clock.now())
    case 'hook_dropped':
      return markDroppedTold(sql, alert, mails)
    case 'in_doubt':
      return markDoubtTold(sql, alert, mails)
  }
}

function named({ merchantId: merchant, kind: alert, id, tries }: OwedAlert) {
  return { merchant, alert, mail: id, tries }
}

export function written(service: ServiceFacts, alert: Alert, { email, language }: AlertReader): Omit<AlertMail, 'id'> {
  return { email, ...alertMail(wordsFor(language ?? 'en'), service, alert) }
}
