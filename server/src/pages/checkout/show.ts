// Shows the page of an offer. Looking changes nothing, but that wrong guesses of whom an offer is for are counted.

import type { FastifyReply } from 'fastify'
import { canStillBeUsed, whyNotForSale } from '../../core/offer.ts'
import type { Sale } from '../../core/sale.ts'
import { hidden } from '../fields.ts'
import { type Html, html } from '../html.ts'
import type { Said } from '../words/said.ts'
import { type Asked, askedFor, checkoutPath } from './asked.ts'
import { failureSays } from './failures.ts'
import { filledIn } from './filled-in.ts'
import { knownPayment, knownPaymentText } from './known-payment.ts'
import type { Visit } from './ports.ts'
import type { Form } from './typed-line.ts'
import { unitsMax, unitsOf } from './units.ts'
import {
  emailOf,
  forWhoAsked,
  goTo,
  keepSecret,
  notice,
  page,
  paymentOf,
  resumedBy,
  showForm,
  tooManyTries,
  type Visitor,
} from './visitor.ts'

export async function show(visitor: Visitor, asked: Asked): Promise<FastifyReply> {
  const { ports, found, kept } = visitor
  const visit = await ports.visit(found, kept)
  const payment = paymentOf(visit)
  if (payment !== null) return showStanding(visitor, payment, asked)
  const guessed = await guessesTooMuch(visitor, asked.email)
  if (guessed !== null) return tooManyTries(visitor, guessed)
  const here = forWhoAsked(visitor, visit)
  return notForSale(here, asked) ?? noWayToPay(here, visit) ?? showOpen(here, visit, asked)
}

/** A checkout that has paid is kept: that a second payment is meant, its customer says with a form of ours (`buyAgain`). */
export async function beginAnother(visitor: Visitor, asked: Asked): Promise<FastifyReply> {
  const { ports, found, frame, kept } = visitor
  if (paymentOf(await ports.visit(found, kept)) === null) keepSecret(visitor, ports.newSecret())
  // On to the page itself: seen again, this address would begin yet another checkout.
  return goTo(visitor, checkoutPath(frame.root, found.offer, { ...asked, again: false }))
}

/** The button below what this browser has paid: it begins another purchase, which what was paid is not asked about for. */
export async function buyAgain(visitor: Visitor, formToken: string): Promise<FastifyReply> {
  const { ports, request, found, frame, kept } = visitor
  const asked = { ...askedFor(request.query), again: false }
  const page = checkoutPath(frame.root, found.offer, asked)
  const isPressedHere = kept !== null && ports.isFormToken(aboutBuyingAgain(visitor), formToken)
  // Such as by a reload, after which this browser has another checkout.
  if (!isPressedHere) return goTo(visitor, page)
  if (asked.proof !== null || asked.resumes !== null) {
    keepSecret(visitor, ports.newSecret())
    return goTo(visitor, page)
  }
  const payment = paymentOf(await ports.visit(found, kept))
  if (payment === null) return goTo(visitor, page)
  const anew = { ...visitor, kept: null }
  const visit = await ports.visit(found, null)
  const said = { again: knownPaymentText(knownPayment(payment)) }
  return notForSale(anew, asked) ?? noWayToPay(anew, visit) ?? showOpen(anew, visit, asked, said)
}

function aboutBuyingAgain({ found, kept }: Visitor): string {
  return `buy again ${found.offer.id} ${kept}`
}

/** Whom an offer is for cannot be found out by trying. Seconds to wait; null: it is no guess, or one of few. */
export async function guessesTooMuch({ ports, request, found }: Visitor, email: string | null): Promise<number | null> {
  const { offer } = found
  if (offer.email === null || email === null) return null
  const guess = await ports.mayGuess(found, request.ip, email === offer.email)
  return guess.ok ? null : guess.retryAfterS
}

function showOpen(visitor: Visitor, visit: Visit, asked: Asked, answered: Form = {}): FastifyReply {
  const { ports, found, words, resumes, kept } = visitor
  const { offer, merchant } = found
  const { standing, attempt } = visit
  const secret = kept ?? ports.newSecret()
  keepSecret(visitor, secret)
  const wanted = resumes?.transaction.quantity ?? asked.quantity ?? standing?.transaction.quantity ?? null
  const quantity = unitsOf(offer, wanted)
  const isFewer = (wanted ?? 1) > (offer.stockLeft ?? Number.POSITIVE_INFINITY)
  const failed = standing === null ? null : failureSays(words, standing, merchant.name).text
  const text = isFewer ? words.checkout.onlyLeft(quantity) : failed
  return showForm(visitor, visit, 200, {
    ...{ secret, attempt, quantity, resumes: resumedBy(visitor) },
    referrerContext: asked.referrerContext ?? standing?.transaction.referrerContext ?? null,
    emailAsked: asked.email,
    values: {
      ...filledIn(offer, visit, asked.email ?? emailOf(resumes)),
      ...answered,
    },
    says: text === null ? null : { text, isNews: false },
  })
}

/** Null: it is for sale. */
export function notForSale(visitor: Visitor, { email }: Pick<Asked, 'email'>): FastifyReply | null {
  const { ports, found, frame, words, resumes } = visitor
  const { offer, merchant } = found
  const says = words.checkout
  const quantity = resumes?.transaction.quantity ?? 1
  const why = whyNotForSale(offer, { quantity, email: email ?? offer.email, now: ports.now() })
  switch (why) {
    case 'inactive':
      return notice(visitor, 410, says.inactive(merchant.name, offer.title))
    case 'expired':
      return notice(visitor, 410, says.expired(merchant.name, offer.title))
    case 'used_up':
      return notice(visitor, 410, says.usedUp(merchant.name, offer.title))
    case 'for_another':
      return notice(visitor, 403, says.forAnother, {
        href: checkoutPath(frame.root, offer),
        says: says.continueWithOther,
      })
    case null:
      return unitsMax(offer) > 0 ? null : notice(visitor, 410, says.usedUp(merchant.name, offer.title))
  }
}

/** Null: there is one, or the page itself says what there is. */
export function noWayToPay(visitor: Visitor, { fields, proven }: Visit): FastifyReply | null {
  const hasCard = (proven?.cards.length ?? 0) > 0
  if (fields !== null || hasCard) return null
  return notice(visitor, 503, visitor.words.checkout.noWayToPay(visitor.found.merchant.name))
}

/** This browser has paid for it, or is about to: its payment has a page of its own. */
export function showStanding(visitor: Visitor, sale: Sale, asked: Asked): FastifyReply {
  const { ports, found, words } = visitor
  const mayBuy = sale.transaction.status !== 'Failed' && canStillBeUsed(found.offer, ports.now())
  const { toPayment } = words.checkout
  const { heading, sentences } = standingSays(visitor, sale)
  const content = html`<h1>${heading}</h1>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
<p class="ways"><a class="button" href="${paymentPath(visitor, sale.transaction.id)}">${toPayment}</a></p>
${mayBuy ? buyAgainForm(visitor, asked) : null}`
  return page(visitor, 200, { title: heading, content })
}

function buyAgainForm(visitor: Visitor, asked: Asked): Html {
  const { ports, found, frame, words } = visitor
  const path = checkoutPath(frame.root, found.offer, { ...asked, again: false, card: null })
  return html`<form class="ways" method="post" action="${path}">
${hidden('form_token', ports.formToken(aboutBuyingAgain(visitor)))}${hidden('buy_again', 'yes')}
<button class="second">${words.checkout.buyAgain}</button>
</form>`
}

function standingSays({ words }: Visitor, { transaction }: Sale): Said {
  const { inProgress, waitsForBank, reserved, calledOff, refunded, partlyRefunded, paid } = words.checkout
  switch (transaction.status) {
    case 'Failed': // and the gateway says otherwise
      return words.payment.lookedInto
    case 'Processing':
      return inProgress
    case 'Further Action Required':
      return waitsForBank
    case 'Authorized':
      return reserved
    case 'Voided':
      return calledOff
    case 'Refunded':
      return refunded
    case 'Partially Refunded':
      return partlyRefunded
    case 'Successful':
      return paid
  }
}

export function paymentPath({ frame, found }: Visitor, transactionId: string): string {
  return `${checkoutPath(frame.root, found.offer)}?transaction=${transactionId}`
}
