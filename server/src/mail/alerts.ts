// Tells a merchant's people by mail what they should know at once: an endpoint that was paused for failing, whose own answers
// cannot reach them any more; notifications that were dropped; operations in doubt.

import {
  type Alert,
  type AlertMail,
  type AlertReader,
  alertTriesMax,
  type OwedAlert,
  waitUnansweredMs,
} from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import type { MailOutcome, SendMail } from './mailer.ts'

export interface AlertPorts {
  /** Each answers one that is to be told, for this process alone for a while; null: there is none. */
  readonly claims: readonly (() => Promise<Alert | null>)[]
  readonly write: (alert: Alert, reader: AlertReader) => AlertMail
  /** From then on it counts as told, and the mails are owed. */
  readonly owe: (alert: Alert, mails: readonly AlertMail[]) => Promise<void>
  /** Answers one that is due, for this process alone until it is due again; null: there is none. */
  readonly claimOwed: () => Promise<OwedAlert | null>
  /** It was taken, or is given up. */
  readonly endOwed: (owed: OwedAlert) => Promise<void>
  /** No relay has answered for it: this try does not count. */
  readonly keepOwed: (owed: OwedAlert, waitMs: number) => Promise<void>
  /** How mail to this merchant's people goes out; null: it does not. */
  readonly roadOf: (merchantId: MerchantId) => Promise<SendMail | null>
  readonly now: () => Date
  readonly log: {
    told(owed: OwedAlert): void
    /** `isOver`: it is not tried again. */
    notTold(owed: OwedAlert, cause: string, isOver: boolean): void
    failed(error: unknown): void
  }
}

/** All that is to be told now, and was not taken before. One whose mailbox takes nothing keeps nobody else waiting. */
export async function tellAlerts(ports: AlertPorts): Promise<void> {
  for (const claim of ports.claims) {
    for (let alert = await claim(); alert !== null; alert = await claim()) await owe(ports, alert)
  }
  const { claimOwed } = ports
  for (let owed = await claimOwed(); owed !== null; owed = await claimOwed()) await send(ports, owed)
}

function owe(ports: AlertPorts, alert: Alert): Promise<void> {
  return ports.owe(
    alert,
    alert.readers.map(reader => ports.write(alert, reader)),
  )
}

async function send(ports: AlertPorts, owed: OwedAlert): Promise<void> {
  const { id, merchantId, email, subject, text, html } = owed
  const road = await ports.roadOf(merchantId)
  const mail = { about: `alert-${id}`, to: { name: '', address: email }, subject, text, html }
  const outcome: MailOutcome = road === null ? { kind: 'not_now', cause: 'There is no relay.' } : await road(mail)
  const isOver = await settle(ports, owed, outcome)
  if (outcome.kind === 'taken') ports.log.told(owed)
  else ports.log.notTold(owed, outcome.cause, isOver)
}

/** Whether it is not tried again, as what is refused for good. */
async function settle({ endOwed, keepOwed, now }: AlertPorts, owed: OwedAlert, outcome: MailOutcome): Promise<boolean> {
  if (outcome.kind === 'not_now') {
    const isAnswered = recipientRejected.test(outcome.cause)
    if (isAnswered && owed.tries < alertTriesMax) return false
    const waitMs = isAnswered ? null : waitUnansweredMs(owed, now())
    if (waitMs !== null) {
      await keepOwed(owed, waitMs)
      return false
    }
  }
  await endOwed(owed)
  return true
}

/** How the mail client begins what a relay said to the one recipient. All else is about the relay, or the way to it. */
const recipientRejected = /^Can't send mail - all recipients were rejected/

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
  const unlessStopped =
    <Claimed>(claim: () => Promise<Claimed | null>) =>
    async () =>
      stopped ? null : claim()
  const claims = ports.claims.map(unlessStopped)
  function tick(): void {
    telling = tellAlerts({ ...ports, claims, claimOwed: unlessStopped(ports.claimOwed) })
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
