// Shows the page of an offer. Looking changes nothing.

import type { FastifyReply } from 'fastify'
import { canStillBeUsed, whyNotForSale } from '../../core/offer.ts'
import type { Customer } from '../../core/people.ts'
import type { Sale } from '../../core/sale.ts'
import { html } from '../html.ts'
import type { Said } from '../words/said.ts'
import { type Asked, checkoutPath } from './asked.ts'
import { failureSays } from './failures.ts'
import type { Visit } from './ports.ts'
import { addressParts } from './typed-address.ts'
import type { Form } from './typed-line.ts'
import { unitsMax, unitsOf } from './units.ts'
import { goTo, keepSecret, notice, page, showForm, type Visitor } from './visitor.ts'

export async function show(visitor: Visitor, asked: Asked): Promise<FastifyReply> {
  const { ports, found, frame, kept } = visitor
  if (asked.again) {
    // On to the page itself: seen again, this address would begin yet another purchase.
    keepSecret(visitor, ports.newSecret())
    return goTo(visitor, checkoutPath(frame.root, found.offer, { ...asked, again: false }))
  }
  const visit = await ports.visit(found, kept)
  if (visit.standing !== null && visit.standing.transaction.status !== 'Failed') {
    return showStanding(visitor, visit.standing, asked)
  }
  return notForSale(visitor, asked) ?? noWayToPay(visitor, visit) ?? showOpen(visitor, visit, asked)
}

function showOpen(visitor: Visitor, visit: Visit, asked: Asked): FastifyReply {
  const { ports, found, words, kept } = visitor
  const { offer, merchant } = found
  const { proven, standing, attempt } = visit
  const quantity = unitsOf(offer, asked.quantity)
  const email = proven?.email ?? asked.email
  const isFewer = (asked.quantity ?? 1) > (offer.stockLeft ?? Number.POSITIVE_INFINITY)
  const failed = standing === null ? null : failureSays(words, standing, merchant.name).text
  const text = isFewer ? words.checkout.onlyLeft(quantity) : failed
  return showForm(visitor, visit, 200, {
    ...{ secret: kept ?? ports.newSecret(), attempt, quantity },
    referrerContext: asked.referrerContext,
    emailAsked: asked.email,
    values: { ...knownOf(proven?.customer ?? null, offer.address), ...(email !== null && { email }) },
    says: text === null ? null : { text, isNews: false },
  })
}

/** Only for who has proven to be this customer. */
function knownOf(customer: Customer | null, kind: 'shipping' | 'billing' | null): Form {
  const address = kind === null ? null : (customer?.[kind] ?? null)
  const parts = addressParts.flatMap(part => {
    const line = address?.[part]
    return line === undefined ? [] : [[part, line] as const]
  })
  const names = { first_name: customer?.firstName ?? '', last_name: customer?.lastName ?? '' }
  return { ...names, ...Object.fromEntries(parts) }
}

/** Null: it is for sale. */
export function notForSale(visitor: Visitor, { email }: Pick<Asked, 'email'>): FastifyReply | null {
  const { ports, found, frame, words } = visitor
  const { offer, merchant } = found
  const says = words.checkout
  const why = whyNotForSale(offer, { quantity: 1, email: email ?? offer.email, now: ports.now() })
  switch (why) {
    case 'inactive':
      return notice(visitor, 410, says.inactive(merchant.name))
    case 'expired':
      return notice(visitor, 410, says.expired(merchant.name))
    case 'used_up':
      return notice(visitor, 410, says.usedUp(merchant.name))
    case 'for_another':
      return notice(visitor, 403, says.forAnother, {
        href: checkoutPath(frame.root, offer),
        says: says.continueWithOther,
      })
    case null:
      return unitsMax(offer) > 0 ? null : notice(visitor, 410, says.usedUp(merchant.name))
  }
}

/** Null: there is one, or the page itself says what there is. */
export function noWayToPay(visitor: Visitor, { fields, proven }: Visit): FastifyReply | null {
  const hasCard = (proven?.cards.length ?? 0) > 0
  if (fields !== null || hasCard) return null
  return notice(visitor, 503, visitor.words.checkout.noWayToPay(visitor.found.merchant.name))
}

/** This browser has paid for it, or is about to: its payment has a page of its own. */
function showStanding(visitor: Visitor, sale: Sale, asked: Asked): FastifyReply {
  const { ports, found, frame, words } = visitor
  const { toPayment, buyAgain } = words.checkout
  const { heading, sentences } = standingSays(visitor, sale)
  const again = checkoutPath(frame.root, found.offer, { ...asked, again: true, card: null })
  const content = html`<h1>${heading}</h1>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
<p class="ways"><a class="button" href="${paymentPath(visitor, sale.transaction.id)}">${toPayment}</a></p>
${canStillBeUsed(found.offer, ports.now()) ? html`<p class="ways"><a href="${again}">${buyAgain}</a></p>` : null}`
  return page(visitor, 200, { title: heading, content })
}

function standingSays({ words }: Visitor, { transaction }: Sale): Said {
  const { inProgress, waitsForBank, reserved, calledOff, paid } = words.checkout
  switch (transaction.status) {
    case 'Processing':
      return inProgress
    case 'Further Action Required':
      return waitsForBank
    case 'Authorized':
      return reserved
    case 'Voided':
      return calledOff
    default:
      return paid
  }
}

export function paymentPath({ frame, found }: Visitor, transactionId: string): string {
  return `${checkoutPath(frame.root, found.offer)}?transaction=${transactionId}`
}
