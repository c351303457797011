// What a mailed link does: it proves an address by a button, and once. One for a payment by mail that waits also shows that
// payment, and pays it at a press where a stored card can.

import type { FastifyReply } from 'fastify'
import { type CheckoutSecret, parseCheckoutSecret } from '../../core/checkout.ts'
import { type CardToken, parseCardToken } from '../../core/ids.ts'
import type { Sale } from '../../core/sale.ts'
import type { FramedPage } from '../frame.ts'
import { isFromOurselves, readForm } from '../own-form.ts'
import { type Asked, checkoutPath } from './asked.ts'
import { cardAtOnce, confirm } from './confirm.ts'
import { confirmPage } from './confirm-page.ts'
import { beginAgain } from './pay.ts'
import type { Proof, ProofPorts } from './ports.ts'
import { linkPage } from './proof-pages.ts'
import { confirmCardBy, confirmsCardOf, ownPayment, showCardLink, toConfirmedCard } from './saved-card.ts'
import { notForSale, paymentPath, showStanding } from './show.ts'
import { goTo, keepSecret, notice, page, paymentOf, type Visitor } from './visitor.ts'

/**
 * The page behind a mailed link. What its button proves is a new checkout, whose secret was in no cookie before: the browser's
 * own may have been put there by somebody else, who would then be proven, too.
 */
export async function showLink(
  visitor: Visitor,
  proofs: ProofPorts,
  asked: Asked,
  secret: string,
): Promise<FastifyReply> {
  const { ports, found, kept } = visitor
  const proof = await proofs.find(found, secret, kept)
  if (proof === null || proof.state !== 'open') return notOpen(visitor, proof)
  const resumes = await waitingFor(visitor, proof)
  if (proof.resumes !== null && resumes === null) return goTo(visitor, paymentPath(visitor, proof.resumes))
  const payment = await ownPayment(ports, found, kept)
  if (kept !== null && payment !== null && confirmsCardOf(payment, proof))
    return showCardLink(visitor, kept, secret, payment, proof)
  if (payment !== null) return showStanding(visitor, payment, asked)
  if (resumes === null) return page(visitor, 200, linkPage({ ...asPressed(visitor, secret, null), email: proof.email }))
  const gone = notForSale({ ...visitor, resumes }, proof)
  return gone ?? page(visitor, 200, await confirmationOf(visitor, proofs, { proof, resumes, secret }))
}

async function confirmationOf(
  visitor: Visitor,
  proofs: ProofPorts,
  { proof, resumes, secret }: { readonly proof: Proof; readonly resumes: Sale; readonly secret: string },
): Promise<FramedPage> {
  const card = await cardAtOnce(visitor, proofs, proof, resumes)
  return confirmPage({ ...asPressed(visitor, secret, card?.token ?? null), email: proof.email, sale: resumes, card })
}

/** What the page's button sends. */
function asPressed(visitor: Visitor, secret: string, card: CardToken | null) {
  const { ports, found, frame, words } = visitor
  const checkout = ports.newSecret()
  const path = `${checkoutPath(frame.root, found.offer)}/proofs/${encodeURIComponent(secret)}`
  const formToken = ports.formToken(aboutLink(visitor, secret, checkout, card))
  return { words, root: frame.root, found, formToken, path, checkout }
}

export async function useLink(visitor: Visitor, proofs: ProofPorts, secret: string): Promise<FastifyReply> {
  const { ports, request, found, frame, kept } = visitor
  const form = readForm(request.headers['content-type'], request.body)
  if (form?.saved_card !== undefined) {
    return (await confirmCardBy(visitor, proofs, secret)) ?? notOpen(visitor, await proofs.find(found, secret, kept))
  }
  const given = (form?.checkout ?? '') as CheckoutSecret
  const card = parseCardToken(form?.card ?? '')
  const isOwn =
    isFromOurselves(request.headers, ports.baseUrl()) &&
    ports.isFormToken(aboutLink(visitor, secret, given, card), form?.form_token ?? '')
  if (!isOwn) return beginAgain(visitor)
  const checkout = parseCheckoutSecret(given, ports.now())
  // Its page was open for too long: it is shown as it is now.
  if (checkout === null) return goTo(visitor, checkoutPath(frame.root, found.offer, { proof: secret }))
  const proof = await proofs.find(found, secret, kept)
  if (proof === null) return notOpen(visitor, null)
  const isPaid = kept !== checkout && paymentOf(await ports.visit(found, kept)) !== null
  if (isPaid) return goTo(visitor, checkoutPath(frame.root, found.offer, { proof: secret }))
  keepSecret(visitor, checkout)
  const here = { ...visitor, kept: checkout }
  const isTheirs = (await proofs.use(found, secret, checkout)) || (await isProvenBy(here, proof))
  if (!isTheirs) return notOpen(here, await proofs.find(found, secret, kept))
  const isConfirmed = proof.resumes !== null && card !== null && form?.other === undefined
  return isConfirmed ? confirm(here, proof, { secret: checkout, card }) : toForm(here, proof)
}

function toForm(visitor: Visitor, { quantity, referrerContext, resumes }: Proof): FastifyReply {
  const { frame, found } = visitor
  return goTo(visitor, checkoutPath(frame.root, found.offer, { quantity, referrerContext, resumes }))
}

async function waitingFor({ ports, found }: Visitor, { resumes }: Proof): Promise<Sale | null> {
  return resumes === null ? null : ports.findWaiting(found.offer.id, resumes)
}

/** Used by this very browser, as by a double click, it has done its work. */
async function isProvenBy({ ports, found, kept }: Visitor, { email }: Proof): Promise<boolean> {
  return (await ports.visit(found, kept)).proven?.email === email
}

/** Where nothing waits for it any more, the payment says how it stands: then no link is needed. */
async function notOpen(visitor: Visitor, proof: Proof | null): Promise<FastifyReply> {
  const { found, frame, words } = visitor
  const resumes = proof?.resumes ?? null
  if (proof !== null && resumes !== null && (await waitingFor(visitor, proof)) === null) {
    return goTo(visitor, paymentPath(visitor, resumes))
  }
  if (proof?.state === 'used') {
    const saved = await toConfirmedCard(visitor, proof)
    if (saved !== null) return saved
    if (await isProvenBy(visitor, proof)) return toForm(visitor, proof)
  }
  const way = { href: checkoutPath(frame.root, found.offer, { card: 'stored', resumes }), says: words.proof.newLink }
  if (proof === null) return notice(visitor, 404, words.proof.unknown, way)
  return notice(visitor, 410, proof.state === 'used' ? words.proof.used : words.proof.expired, way)
}

/** `card`: the one that the page names and its button charges. */
function aboutLink({ found }: Visitor, secret: string, checkout: CheckoutSecret, card: CardToken | null): string {
  return `prove ${found.offer.id} ${secret} ${checkout} ${card ?? ''}`
}
