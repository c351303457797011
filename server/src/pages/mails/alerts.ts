// Alerts to a merchant's own people: what happened, the first few of it with a link to each, and where to go on.

import type { Alert, DoubtAlert, DroppedAlert, PauseAlert } from '../../core/alert.ts'
import type { ServiceFacts } from '../../core/sale.ts'
import { shownAmount } from '../shown-amount.ts'
import { shownDate } from '../shown-time.ts'
import type { Words } from '../words/words.ts'
import { type MailLetterhead, type ToldMail, type WrittenMail, writtenMail } from './mail.ts'
import { isolated, named } from './named.ts'

type Told = Omit<ToldMail, 'notes'>

export function alertMail(words: Words, service: ServiceFacts, alert: Alert): WrittenMail {
  const dashboard = `${service.baseUrl}/dashboard`
  const head: MailLetterhead = {
    merchant: 'Tillbell',
    colors: { buttonColor: null, backgroundColor: null },
    logoUrl: null,
    supportEmail: null,
    isSandbox: service.mode === 'sandbox',
  }
  return writtenMail(words, head, { ...toldOf(words, dashboard, alert), notes: [words.alerts.why] })
}

function toldOf(words: Words, dashboard: string, alert: Alert): Told {
  const merchant = named(alert.merchantName)
  switch (alert.kind) {
    case 'endpoint_paused':
      return paused(words, dashboard, alert, merchant)
    case 'hook_dropped':
      return dropped(words, dashboard, alert, merchant)
    case 'in_doubt':
      return doubt(words, dashboard, alert, merchant)
  }
}

const numberIn = (words: Words, count: number) => new Intl.NumberFormat(words.locale).format(count)

function countOf(words: Words, { count, andMore }: DroppedAlert | DoubtAlert): string {
  return andMore ? words.alerts.moreThan(numberIn(words, count)) : numberIn(words, count)
}

function paused(words: Words, dashboard: string, { endpoint }: PauseAlert, merchant: string): Told {
  const { paused: says, hooks, address, kind, id } = words.alerts
  return {
    subject: says.subject(new URL(endpoint.url).host),
    heading: says.heading,
    sentences: [
      says.failing(merchant, shownDate(endpoint.failingSince, words.locale)),
      says.waiting(endpoint.waiting, numberIn(words, endpoint.waiting)),
      says.how,
    ],
    facts: [
      [address, endpoint.url],
      [kind, hooks[endpoint.kind]],
      [id, endpoint.id],
    ],
    button: { says: says.button, url: `${dashboard}/api-settings` },
  }
}

function dropped(words: Words, dashboard: string, alert: DroppedAlert, merchant: string): Told {
  const { dropped: says, hooks, test } = words.alerts
  const count = countOf(words, alert)
  return {
    subject: says.subject(isolated(merchant), alert.count, count),
    heading: says.heading,
    sentences: [says.what(merchant, alert.count, count), says.how],
    facts: alert.first.map(({ id, kind, url, transactionId }) => {
      const name = transactionId === null ? `${hooks[kind]} (${test})` : hooks[kind]
      return [`${name} → ${new URL(url).host}`, `${dashboard}/deliveries/${id}`] as const
    }),
    button: { says: says.button, url: `${dashboard}/deliveries?state=dropped` },
  }
}

function doubt(words: Words, dashboard: string, alert: DoubtAlert, merchant: string): Told {
  const { doubt: says, operations, onlyPerson } = words.alerts
  const count = countOf(words, alert)
  return {
    subject: says.subject(isolated(merchant), alert.count, count),
    heading: says.heading,
    sentences: [says.what(merchant, alert.count, count), says.how],
    facts: alert.first.map(({ id, kind, amountMinor, currency, createdAt, isForPerson }) => {
      const amount = shownAmount(amountMinor, currency, words.locale)
      const what = `${operations[kind]}, ${amount}, ${shownDate(createdAt, words.locale)}`
      return [isForPerson ? `${what} (${onlyPerson})` : what, `${dashboard}/doubt/${id}`] as const
    }),
    button: { says: says.button, url: `${dashboard}/doubt` },
  }
}
