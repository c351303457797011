// Tells a merchant's people by mail what they should know at once: an endpoint that was paused for failing, whose own answers
// cannot reach them any more; notifications that were dropped; operations in doubt.

import type { Alert, AlertReader } from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Mail, MailOutcome, SendMail } from './mailer.ts'

export interface AlertPorts {
  /** Each answers one that is to be told, for this process alone for a while; null: there is none. */
  readonly claims: readonly (() => Promise<Alert | null>)[]
  readonly markTold: (alert: Alert) => Promise<void>
  readonly write: (alert: Alert, reader: AlertReader) => Mail
  /** How mail to this merchant's people goes out; null: it does not. */
  readonly roadOf: (merchantId: MerchantId) => Promise<SendMail | null>
  readonly log: {
    told(alert: Alert): void
    notTold(alert: Alert, cause: string): void
    failed(error: unknown): void
  }
}

/** All that are to be told now. A relay that takes no mail is tried again later. */
export async function tellAlerts(ports: AlertPorts): Promise<void> {
  for (const claim of ports.claims) {
    for (;;) {
      const alert = await claim()
      if (alert === null || !(await tell(ports, alert))) break
    }
  }
}

/** Whether the relay takes mail. Whoever was told already is told twice where it does not, rather than somebody not at all. */
async function tell({ write, roadOf, markTold, log }: AlertPorts, alert: Alert): Promise<boolean> {
  const send = await roadOf(alert.merchantId)
  let taken = 0
  for (const reader of alert.readers) {
    const outcome: MailOutcome =
      send === null ? { kind: 'not_now', cause: 'There is no relay.' } : await send(write(alert, reader))
    if (outcome.kind === 'taken') taken += 1
    else log.notTold(alert, outcome.cause)
    if (outcome.kind === 'not_now') return false
  }
  // What is refused for good is not tried again.
  await markTold(alert)
  if (taken > 0) log.told(alert)
  return true
}

const everyMs = 1_000

export interface Announcer {
  start(): void
  /** Lets a mail that is on its way go out. */
  stop(): Promise<void>
}

export function createAnnouncer(ports: AlertPorts): Announcer {
  let timer: NodeJS.Timeout | null = null
  let telling: Promise<unknown> = Promise.resolve()
  let stopped = false
  const claims = ports.claims.map(claim => async () => (stopped ? null : claim()))
  function tick(): void {
    telling = tellAlerts({ ...ports, claims })
      .catch(error => ports.log.failed(error))
      .then(() => {
        if (!stopped) timer = setTimeout(tick, everyMs)
      })
  }
  return {
    start: tick,
    async stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
      await telling
    },
  }
}
