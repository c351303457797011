// Takes the form of an offer's page: reads it, pays, and says in the page what became of it.

import type { FastifyReply } from 'fastify'
import { parseEmail } from '../../core/email.ts'
import { isAskedBy } from '../../core/go-on.ts'
import type { TransactionId } from '../../core/ids.ts'
import type { KnownPayment } from '../../core/ports.ts'
import type { Sale } from '../../core/sale.ts'
import { type Html, html } from '../html.ts'
import { isFromOurselves, readForm } from '../own-form.ts'
import { shownAmount } from '../shown-amount.ts'
import { shownAgo, shownWait } from '../shown-time.ts'
import { checkoutPath, parseReferrerContext } from './asked.ts'
import { failureSays } from './failures.ts'
import { knownPayment } from './known-payment.ts'
import type { Paid, Visit } from './ports.ts'
import { type FormOf, formSent } from './secret.ts'
import { buyAgain, guessesTooMuch, notForSale, noWayToPay, paymentPath } from './show.ts'
import { partOfField } from './typed-address.ts'
import { type Form, shownAgain } from './typed-line.ts'
import { readOrder } from './typed-order.ts'
import { parseQuantity, totalOf, typedUnits, unitsOf } from './units.ts'
import {
  forWhoAsked,
  goTo,
  keepSecret,
  notice,
  paymentOf,
  resumedBy,
  type Shown,
  showForm,
  type Visitor,
} from './visitor.ts'

/** A form of this page, as it came. */
export interface Sent extends Visitor {
  readonly form: Form
  readonly of: FormOf
  readonly visit: Visit
}

export async function pay(visitor: Visitor): Promise<FastifyReply> {
  const { ports, request, found } = visitor
  const form = readForm(request.headers['content-type'], request.body)
  if (form === null || !isFromOurselves(request.headers, ports.baseUrl())) return beginAgain(visitor)
  if (form.buy_again !== undefined) return buyAgain(visitor, form.form_token ?? '')
  const of = formSent(ports, found.offer.id, form)
  if (of === null) return beginAgain(visitor)
  const [visit, resumes] = await Promise.all([ports.visit(found, of.secret), waitingFor(visitor, of)])
  if (of.resumes !== null && resumes === null && !isTryOf(visit, of.resumes))
    return goTo(visitor, paymentPath(visitor, of.resumes))
  const asked = resumes === null ? form : { ...form, ...asAskedByMail(resumes) }
  const sent = forWhoAsked({ ...visitor, resumes, form: asked, of, visit }, visit)
  return of.isOver ? openTooLong(sent) : payFor(sent)
}

async function waitingFor({ ports, found }: Visitor, { resumes }: FormOf): Promise<Sale | null> {
  return resumes === null ? null : ports.findWaiting(found.offer.id, resumes)
}

/** What became of the payment by mail is this form's own doing. */
function isTryOf({ standing }: Visit, transactionId: TransactionId): boolean {
  return standing?.transaction.id === transactionId
}

/** However many a form may say. */
export function asAskedByMail({ transaction }: Sale): Form {
  const quantity = String(transaction.quantity)
  return { quantity, units: quantity }
}

/** The form cannot be believed, so nothing of it is used. */
export function beginAgain(visitor: Visitor): FastifyReply {
  const { found, frame, words } = visitor
  const way = { href: checkoutPath(frame.root, found.offer), says: words.checkout.backToOffer }
  return notice(visitor, 403, words.checkout.notFromHere, way)
}

/** What it paid is shown as long as we know of it. Else the page begins anew, with what was typed. */
async function openTooLong(sent: Sent): Promise<FastifyReply> {
  const { ports, found, kept, words, visit } = sent
  const payment = paymentOf(visit)
  if (payment !== null) return goTo(sent, paymentPath(sent, payment.transaction.id))
  const of = { secret: ports.newSecret(), attempt: 0, resumes: resumedBy(sent) }
  if (kept === null) keepSecret(sent, of.secret)
  const anew: Sent = { ...sent, of, visit: await ports.visit(found, null) }
  const gone = notForSale(anew, { email: null }) ?? noWayToPay(anew, anew.visit)
  return gone ?? formAgain(anew, 409, { says: news(words.checkout.openTooLong) })
}

async function payFor(sent: Sent): Promise<FastifyReply> {
  const { ports, request, found, form, of, visit } = sent
  const { fields, proven } = visit
  const payment = paymentOf(visit)
  const ways = { fields, proven, cards: proven?.cards ?? [], now: ports.now() }
  const { order, problems, isOtherTotal } = readOrder({ offer: found.offer, ...ways }, form)
  // Sent once more after it was paid: what is wrong with it does not matter any more.
  if (payment !== null) return toPayment(sent, payment.transaction.id)
  if (form.update !== undefined) return updateUnits(sent)
  const guessed = await guessesTooMuch(sent, parseEmail(form.email ?? ''))
  if (guessed !== null) return waitFirst(sent, guessed)
  if (order !== null) {
    const other = await paidInOtherTab(sent)
    if (other !== null && !isKnown(knownPayment(other), order.besides))
      return formAgain(sent, 409, { says: news(paidHere(sent, other)), asksBesides: knownPayment(other) })
    const resumes = sent.resumes !== null && isAskedBy(sent.resumes, order.email) ? of.resumes : null
    return answer(sent, await ports.pay(found, { ...order, ...of, resumes, address: request.ip }))
  }
  const says = isOtherTotal ? news(otherTotal(sent)) : null
  return noWayToPay(sent, visit) ?? formAgain(sent, 422, { problems, says })
}

/** From now on this browser's checkout is the one that paid: a tab that was opened before may have begun another. */
export function toPayment(sent: Pick<Sent, 'of'> & Visitor, transactionId: TransactionId): FastifyReply {
  keepSecret(sent, sent.of.secret)
  return goTo(sent, paymentPath(sent, transactionId))
}

/** They were told of it, or of a newer one. */
function isKnown(payment: KnownPayment, known: KnownPayment | null): boolean {
  return known !== null && (payment.id === known.id || payment.at <= known.at)
}

/** The payment of another checkout of this browser, which the customer may have forgotten. Null: there is none. */
async function paidInOtherTab({ ports, found, kept, of }: Sent): Promise<Sale | null> {
  return kept === null || kept === of.secret ? null : paymentOf(await ports.visit(found, kept))
}

function paidHere(sent: Sent, { transaction }: Sale): Html {
  const { toPayment, paidHere } = sent.words.checkout
  const link = html`<a href="${paymentPath(sent, transaction.id)}">${toPayment}</a>`
  return html`${paidHere(agoAt(sent, transaction.createdAt))} ${link}`
}

function paidBefore(sent: Sent, { payment, status, isByMail, isSameCard }: Paid & { kind: 'paid_before' }): string {
  const says = sent.words.checkout.paidBefore
  const ago = agoAt(sent, payment.at)
  switch (status) {
    case 'Failed': // and the gateway says otherwise
    case 'Processing':
      return says.inProgress(ago, isByMail)
    case 'Further Action Required':
      return says.waitsForBank(ago, isByMail)
    default:
      return isSameCard ? says.byThisCard(ago) : says.paid(ago)
  }
}

export function answer(sent: Sent, paid: Paid): Promise<FastifyReply> | FastifyReply {
  const { words, found, request } = sent
  const says = words.checkout
  switch (paid.kind) {
    case 'see':
      return toPayment(sent, paid.transactionId)
    case 'failed': {
      const { text, status } = failureSays(words, paid.sale, found.merchant.name)
      // What was asked for by mail has failed with it: the next try is a payment of its own.
      return formAgain({ ...sent, resumes: null }, status, { attempt: paid.attempt, says: news(text) })
    }
    case 'card_refused':
      return formAgain(sent, 422, { says: news(`${says.cardRefused} ${words.card.refused(paid.sentence)}`) })
    case 'paid_before':
      return formAgain(sent, 409, { says: news(paidBefore(sent, paid)), asksBesides: paid.payment })
    case 'too_many_tries':
      return waitFirst(sent, paid.retryAfterS)
    case 'not_for_sale':
      return noLongerForSale(sent, paid.why)
    case 'token_used':
      return notice(sent, 410, says.tokenUsed)
    case 'card_not_usable':
      return formAgain(sent, 422, { says: news(says.cardNotUsable) })
    case 'waits_no_more':
      return goTo(sent, paymentPath(sent, paid.transactionId))
    case 'busy':
      return stillBusy(sent)
    case 'not_now':
      request.log.warn({ offer: found.offer.id, cause: paid.cause }, 'a customer could not pay')
      return formAgain(sent, 503, { says: news(says.notNow) })
  }
}

function waitFirst(sent: Sent, retryAfterS: number): FastifyReply {
  const { reply, words } = sent
  reply.header('Retry-After', String(retryAfterS))
  return formAgain(sent, 429, { says: news(words.checkout.tooManyTries(shownWait(words, retryAfterS))) })
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
  const payment = paymentOf(await ports.visit(found, of.secret))
  if (payment !== null) return toPayment(sent, payment.transaction.id)
  keepSecret(sent, of.secret)
  const href = checkoutPath(frame.root, found.offer, { resumes: of.resumes })
  const way = { href, says: words.checkout.seeHowItStands }
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
  const resumes = resumedBy(sent)
  return showForm(sent, visit, status, { ...of, resumes, quantity, referrerContext, values, ...more })
}

/** Named one by one: what is not known to be harmless is not repeated. `card` is the choice among those that are stored. */
function isShownAgain(name: string): boolean {
  return /^(?:email|first_name|last_name|street2?|city|state|zip|country|phone|answer_[0-9]+|consent|card|again|units)$/.test(
    partOfField(name),
  )
}

function quantityIn({ found, form }: Sent): number | null {
  return typedUnits(found.offer, form.units ?? '') ?? parseQuantity(form.quantity ?? '')
}

/** The button beside the quantity, for browsers that run no script: nothing is bought, and the total is another. */
function updateUnits(sent: Sent): FastifyReply {
  const { found, form, words } = sent
  const units = typedUnits(found.offer, form.units ?? '')
  if (units === null) return formAgain(sent, 422, { problems: { units: 'units' } })
  const quantity = unitsOf(found.offer, units)
  return formAgain(sent, 200, { quantity, says: quantity < units ? news(words.checkout.onlyLeft(quantity)) : null })
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

function agoAt({ ports, words }: Visitor, at: Date): string {
  return shownAgo(words, ports.now().getTime() - at.getTime())
}
