// A card that was saved while paying with an address that was only typed. Its customer confirms the address by a mailed link, in
// the browser that paid: the page of the payment offers the link, to that browser alone, and the link's button confirms the card.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckoutSecret } from '../../core/checkout.ts'
import { maskedEmail } from '../../core/email.ts'
import type { Card } from '../../core/people.ts'
import type { Sale } from '../../core/sale.ts'
import { brandNames } from '../brands.ts'
import { hidden } from '../fields.ts'
import type { Frame } from '../frame.ts'
import { type Html, html } from '../html.ts'
import { isFromOurselves, readForm } from '../own-form.ts'
import { checkoutPath } from './asked.ts'
import { beginAgain } from './pay.ts'
import type { CheckoutPorts, FoundOffer, Proof, ProofPorts } from './ports.ts'
import { secretIn } from './secret.ts'
import { paymentPath } from './show.ts'
import { goTo, page, paymentOf, type Visitor } from './visitor.ts'

/** The card that the customer agreed to have kept; null: there is none, or it is gone. */
export function savedCardOf({ card }: Sale): Card | null {
  const isKept = card !== null && card.removedAt === null && card.removeAt === null
  return isKept && card.consentedAt !== null ? card : null
}

/** Null: this browser has not paid for this offer. */
export async function ownPayment(
  ports: CheckoutPorts,
  found: FoundOffer,
  kept: CheckoutSecret | null,
): Promise<Sale | null> {
  return kept === null ? null : paymentOf(await ports.visit(found, kept))
}

/** The payment of this browser with a saved card that waits for its address to be confirmed. Null: there is none. */
export async function unconfirmedPayment({ ports, found, kept }: Visitor): Promise<Sale | null> {
  const payment = await ownPayment(ports, found, kept)
  return payment !== null && savedCardOf(payment)?.confirmedAt === null ? payment : null
}

/** What the page of a payment says of its saved card: to the browser that paid, and to nobody else who has the address. */
export function savedCardPart(ports: CheckoutPorts, request: Pick<FastifyRequest, 'headers'>) {
  return async ({ words, root }: Frame, sale: Sale): Promise<Html | null> => {
    const card = savedCardOf(sale)
    const kept = secretIn(request.headers.cookie, ports.now())
    if (card === null || kept === null) return null
    const found = await ports.find(sale.transaction.offerId)
    const payment = found === null ? null : await ownPayment(ports, found, kept)
    if (found === null || payment?.transaction.id !== sale.transaction.id) return null
    if (card.confirmedAt !== null) return html`<p>${words.savedCard.isSaved}</p>`
    if (!found.isMailed || isInFrame(request)) return null
    return html`<p>${words.savedCard.asks}</p>
<form class="entry" method="post" action="${checkoutPath(root, found.offer)}/proofs">
${hidden('form_token', ports.formToken(aboutAsking(found, kept)))}${hidden('saved_card', 'yes')}
<button class="second">${words.savedCard.send}</button>
</form>`
  }
}

/** Browsers keep the cookie of a frame for the site around it: the mailed link, in a window of its own, would not have it. */
function isInFrame({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['sec-fetch-dest'] === 'iframe'
}

/** Whether the form that asks for a link was sent from the payment's page in this browser. */
export function isAskedHere({ ports, found, kept }: Visitor, formToken: string): boolean {
  return kept !== null && ports.isFormToken(aboutAsking(found, kept), formToken)
}

function aboutAsking({ offer }: FoundOffer, kept: CheckoutSecret): string {
  return `ask for a saved card ${offer.id} ${kept}`
}

/**
 * Whether a link that is open confirms the card of this payment. Only one that was asked for on the payment's own page does: others may
 * have been asked for by whoever reads the mail of an address that the customer mistyped.
 */
export function confirmsCardOf(payment: Sale, { email, isForSavedCard }: Proof): boolean {
  return isForSavedCard && savedCardOf(payment)?.confirmedAt === null && payment.customer.email === email
}

/** Behind the link, in the browser that paid. A button: what opens links in mails by itself does not press it. */
export function showCardLink(
  visitor: Visitor,
  kept: CheckoutSecret,
  secret: string,
  { card }: Sale,
  { email }: Proof,
): FastifyReply {
  const { ports, found, frame, words } = visitor
  const { heading, sentences } = words.savedCard.confirm(found.merchant.name, maskedEmail(email))
  const { payment } = words
  const path = `${checkoutPath(frame.root, found.offer)}/proofs/${encodeURIComponent(secret)}`
  const content = html`<h1 class="asks">${heading}</h1>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
${card === null ? null : html`<dl>\n<dt>${payment.card}</dt><dd>${payment.cardEndingIn(brandNames[card.type], card.mask)}</dd>\n</dl>`}
<form class="entry" method="post" action="${path}">
${hidden('form_token', ports.formToken(aboutConfirming(found, kept, secret)))}${hidden('saved_card', 'yes')}
<button>${words.savedCard.confirmButton}</button>
</form>`
  return page(visitor, 200, { title: heading, content })
}

function aboutConfirming({ offer }: FoundOffer, kept: CheckoutSecret, secret: string): string {
  return `confirm a saved card ${offer.id} ${kept} ${secret}`
}

/** Null: the link did not confirm the card of this browser's payment, now or before. */
export async function confirmCardBy(
  visitor: Visitor,
  proofs: ProofPorts,
  secret: string,
): Promise<FastifyReply | null> {
  const { ports, request, found, kept } = visitor
  const form = readForm(request.headers['content-type'], request.body)
  const isOwn =
    kept !== null &&
    isFromOurselves(request.headers, ports.baseUrl()) &&
    ports.isFormToken(aboutConfirming(found, kept, secret), form?.form_token ?? '')
  if (!isOwn) return beginAgain(visitor)
  const [proof, payment] = await Promise.all([proofs.find(found, secret, kept), ownPayment(ports, found, kept)])
  if (proof === null || payment === null) return null
  if (confirmsCardOf(payment, proof)) await proofs.confirmCard(found, secret, kept)
  return toConfirmedCard(visitor, proof)
}

/** Its payment says that the card is saved. Null: this browser has no such payment. */
export async function toConfirmedCard(visitor: Visitor, { email }: Proof): Promise<FastifyReply | null> {
  const { ports, found, kept } = visitor
  const payment = await ownPayment(ports, found, kept)
  const card = payment === null ? null : savedCardOf(payment)
  if (payment === null || card === null || card.confirmedAt === null || payment.customer.email !== email) return null
  return goTo(visitor, paymentPath(visitor, payment.transaction.id))
}
