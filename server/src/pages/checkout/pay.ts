// Takes the form of an offer's page: reads it, pays, and says in the page what became of it.

import type { FastifyReply } from 'fastify'
import type { Html } from '../html.ts'
import { isFromOurselves, readForm } from '../own-form.ts'
import { shownAmount } from '../shown-amount.ts'
import { checkoutPath, parseReferrerContext } from './asked.ts'
import { failureSays } from './failures.ts'
import type { Paid, Visit } from './ports.ts'
import { type FormOf, formSent } from './secret.ts'
import { notForSale, noWayToPay, paymentPath } from './show.ts'
import { type Form, shownAgain } from './typed-line.ts'
import { readOrder } from './typed-order.ts'
import { parseQuantity, totalOf, unitsOf } from './units.ts'
import { goTo, notice, type Shown, showForm, type Visitor } from './visitor.ts'

/** A form of this page, as it came. */
interface Sent extends Visitor {
  readonly form: Form
  readonly of: FormOf
  readonly visit: Visit
}

export async function pay(visitor: Visitor): Promise<FastifyReply> {
  const { ports, request, found } = visitor
  const form = readForm(request.headers['content-type'], request.body)
  const of = form === null ? null : formSent(ports, found.offer.id, form)
  if (form === null || of === null || !isFromOurselves(request.headers, ports.baseUrl())) return beginAgain(visitor)
  const visit = await ports.visit(found, of.secret)
  return payFor({ ...visitor, form, of, visit })
}

/** The form cannot be believed, so nothing of it is used. */
export function beginAgain(visitor: Visitor): FastifyReply {
  const { found, frame, words } = visitor
  const way = { href: checkoutPath(frame.root, found.offer), says: words.checkout.backToOffer }
  return notice(visitor, 403, words.checkout.notFromHere, way)
}

async function payFor(sent: Sent): Promise<FastifyReply> {
  const { ports, request, found, form, of, visit } = sent
  const { fields, proven, standing } = visit
  const ways = { fields, proven, cards: proven?.cards ?? [], now: ports.now() }
  const { order, problems, isOtherTotal } = readOrder({ offer: found.offer, ...ways }, form)
  if (order !== null) return answer(sent, await ports.pay(found, { ...order, ...of, address: request.ip }))
  // Sent once more after it was paid: what is wrong with it does not matter any more.
  if (standing !== null && standing.transaction.status !== 'Failed') {
    return goTo(sent, paymentPath(sent, standing.transaction.id))
  }
  const says = isOtherTotal ? news(otherTotal(sent)) : null
  return noWayToPay(sent, visit) ?? formAgain(sent, 422, { problems, says })
}

function answer(sent: Sent, paid: Paid): Promise<FastifyReply> | FastifyReply {
  const { words, found, request, reply } = sent
  const says = words.checkout
  switch (paid.kind) {
    case 'see':
      return goTo(sent, paymentPath(sent, paid.transactionId))
    case 'failed': {
      const { text, status } = failureSays(words, paid.sale, found.merchant.name)
      return formAgain(sent, status, { attempt: paid.attempt, says: news(text) })
    }
    case 'card_refused':
      return formAgain(sent, 422, { says: news(`${says.cardRefused} ${words.card.refused(paid.sentence)}`) })
    case 'paid_before':
      return formAgain(sent, 409, { says: news(says.paidBefore(agoIn(sent, paid.at))), asksAgain: true })
    case 'too_many_tries':
      reply.header('Retry-After', String(paid.retryAfterS))
      return formAgain(sent, 429, { says: news(says.tooManyTries) })
    case 'not_for_sale':
      return noLongerForSale(sent, paid.why)
    case 'card_not_usable':
      return formAgain(sent, 422, { says: news(says.cardNotUsable) })
    case 'busy':
      return stillBusy(sent)
    case 'not_now':
      request.log.warn({ offer: found.offer.id, cause: paid.cause }, 'a customer could not pay')
      return formAgain(sent, 503, { says: news(says.notNow) })
  }
}

async function noLongerForSale(sent: Sent, why: (Paid & { kind: 'not_for_sale' })['why']): Promise<FastifyReply> {
  if (why === 'for_another') return formAgain(sent, 422, { problems: { email: 'notForThem' } })
  const found = (await sent.ports.find(sent.found.offer.id)) ?? sent.found
  const current = { ...sent, found }
  const gone = notForSale(current, { email: null })
  if (gone !== null) return gone
  const quantity = unitsOf(found.offer, quantityIn(sent))
  return formAgain(current, 409, { quantity, says: news(sent.words.checkout.fewerLeft(quantity)) })
}

/** Another request of the same checkout takes long. As soon as its payment is written down, that has a page. */
async function stillBusy(sent: Sent): Promise<FastifyReply> {
  const { ports, found, frame, words, of } = sent
  const { standing } = await ports.visit(found, of.secret)
  if (standing !== null && standing.transaction.status !== 'Failed') {
    return goTo(sent, paymentPath(sent, standing.transaction.id))
  }
  const way = { href: checkoutPath(frame.root, found.offer), says: words.checkout.seeHowItStands }
  return notice(sent, 503, words.checkout.busy, way)
}

/** With everything that was typed, but for the card. */
function formAgain(sent: Sent, status: number, more: Partial<Shown>): FastifyReply {
  const { form, of, visit, found } = sent
  const values = Object.fromEntries(
    Object.entries(form)
      .filter(([name]) => isShownAgain(name))
      .map(([name, text]) => [name, shownAgain(text)]),
  )
  const referrerContext = parseReferrerContext(form.referrer_context ?? '')
  const quantity = unitsOf({ ...found.offer, stockLeft: null }, quantityIn(sent))
  return showForm(sent, visit, status, { ...of, quantity, referrerContext, values, ...more })
}

/** Named one by one: what is not known to be harmless is not repeated. `card` is the choice among those that are stored. */
function isShownAgain(name: string): boolean {
  return /^(?:email|first_name|last_name|street2?|city|state|zip|country|phone|answer_[0-9]+|consent|card)$/.test(name)
}

function quantityIn({ form }: Sent): number | null {
  return parseQuantity(form.quantity ?? '')
}

function otherTotal(sent: Sent): string {
  const { found, words } = sent
  const { offer } = found
  const quantity = unitsOf({ ...offer, stockLeft: null }, quantityIn(sent))
  return words.checkout.otherTotal(shownAmount(totalOf(offer, quantity), offer.currency, words.locale))
}

function news(text: Html | string): NonNullable<Shown['says']> {
  return { text, isNews: true }
}

function agoIn({ ports, words }: Visitor, at: Date): string {
  const minutes = Math.max(1, Math.round((ports.now().getTime() - at.getTime()) / 60_000))
  return new Intl.RelativeTimeFormat(words.locale).format(-minutes, 'minute')
}
