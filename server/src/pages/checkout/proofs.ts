// Proves an address: a link is asked for, mailed, and used up by a button. The answers are the same whether or not anybody
// with that address was ever here.

import type { FastifyReply } from 'fastify'
import { type CheckoutSecret, parseCheckoutSecret } from '../../core/checkout.ts'
import { parseEmail } from '../../core/email.ts'
import { isFromOurselves, readForm } from '../own-form.ts'
import { shownWait } from '../shown-time.ts'
import { type Asked, checkoutPath, parseReferrerContext } from './asked.ts'
import { beginAgain } from './pay.ts'
import type { Proof, ProofPorts } from './ports.ts'
import { askPage, linkPage } from './proof-pages.ts'
import { showStanding } from './show.ts'
import { shownAgain } from './typed-line.ts'
import { parseQuantity, unitsOf } from './units.ts'
import { goTo, keepSecret, notice, page, paymentOf, type Visitor } from './visitor.ts'

export function showAsk(visitor: Visitor, asked: Pick<Asked, 'quantity' | 'referrerContext' | 'email'>): FastifyReply {
  return askAgain(visitor, asked, asked.email ?? '', false)
}

function askAgain(
  visitor: Visitor,
  { quantity, referrerContext }: Pick<Asked, 'quantity' | 'referrerContext'>,
  email: string,
  isWrong: boolean,
): FastifyReply {
  const { ports, found, frame, words } = visitor
  const { root } = frame
  const formToken = ports.formToken(aboutAsking(visitor))
  const units = unitsOf(found.offer, quantity)
  const shown = { words, root, found, formToken, email, isWrong, quantity: units, referrerContext }
  return page(visitor, isWrong ? 422 : 200, askPage(shown))
}

export function showMailed(visitor: Visitor, asked: Asked): FastifyReply {
  const { words } = visitor
  return notice(visitor, 200, words.proof.mailed, wayToForm(visitor, asked))
}

/** Shown again, the answer mails nothing: it is a page of its own. */
export async function ask(visitor: Visitor, proofs: ProofPorts): Promise<FastifyReply> {
  const { ports, request, reply, found, frame, words } = visitor
  const form = readForm(request.headers['content-type'], request.body)
  const isOwn =
    isFromOurselves(request.headers, ports.baseUrl()) && ports.isFormToken(aboutAsking(visitor), form?.form_token ?? '')
  if (form === null || !isOwn) return beginAgain(visitor)
  const quantity = unitsOf(found.offer, parseQuantity(form.quantity ?? ''))
  const referrerContext = parseReferrerContext(form.referrer_context ?? '')
  const email = parseEmail(form.email ?? '')
  if (email === null) return askAgain(visitor, { quantity, referrerContext }, shownAgain(form.email ?? ''), true)
  const { language } = words
  const asked = await proofs.ask(found, { email, quantity, referrerContext, address: request.ip, language })
  if (asked.ok)
    return goTo(visitor, checkoutPath(frame.root, found.offer, { card: 'mailed', quantity, referrerContext }))
  reply.header('Retry-After', String(asked.retryAfterS))
  return notice(
    visitor,
    429,
    words.proof.tooOften(shownWait(words, asked.retryAfterS)),
    wayToForm(visitor, { quantity, referrerContext }),
  )
}

function wayToForm({ frame, found, words }: Visitor, { quantity, referrerContext }: Partial<Asked>) {
  const href = checkoutPath(frame.root, found.offer, {
    quantity: quantity ?? null,
    referrerContext: referrerContext ?? null,
  })
  return { href, says: words.proof.backToForm }
}

function aboutAsking({ found }: Visitor): string {
  return `ask ${found.offer.id}`
}

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
  const { ports, found, frame, words, kept } = visitor
  const proof = await proofs.find(found, secret)
  if (proof === null || proof.state !== 'open') return notOpen(visitor, proof)
  const payment = paymentOf(await ports.visit(found, kept))
  if (payment !== null) return showStanding(visitor, payment, asked)
  const checkout = ports.newSecret()
  const path = `${checkoutPath(frame.root, found.offer)}/proofs/${encodeURIComponent(secret)}`
  const formToken = ports.formToken(aboutLink(visitor, secret, checkout))
  return page(visitor, 200, linkPage({ words, root: frame.root, found, formToken, path, checkout }))
}

export async function useLink(visitor: Visitor, proofs: ProofPorts, secret: string): Promise<FastifyReply> {
  const { ports, request, found, frame, kept } = visitor
  const form = readForm(request.headers['content-type'], request.body)
  const checkout = parseCheckoutSecret(form?.checkout ?? '', ports.now())
  const isOwn =
    checkout !== null &&
    isFromOurselves(request.headers, ports.baseUrl()) &&
    ports.isFormToken(aboutLink(visitor, secret, checkout), form?.form_token ?? '')
  if (!isOwn) return beginAgain(visitor)
  const proof = await proofs.find(found, secret)
  if (proof === null) return notOpen(visitor, null)
  const isPaid = kept !== checkout && paymentOf(await ports.visit(found, kept)) !== null
  if (isPaid) return goTo(visitor, checkoutPath(frame.root, found.offer, { proof: secret }))
  keepSecret(visitor, checkout)
  const isUsed = await proofs.use(found, secret, checkout)
  return isUsed ? toForm(visitor, proof) : notOpen({ ...visitor, kept: checkout }, await proofs.find(found, secret))
}

function toForm(visitor: Visitor, { quantity, referrerContext }: Proof): FastifyReply {
  return goTo(visitor, checkoutPath(visitor.frame.root, visitor.found.offer, { quantity, referrerContext }))
}

/** Used by this very browser, as by a double click, it has done its work. */
async function notOpen(visitor: Visitor, proof: Proof | null): Promise<FastifyReply> {
  const { ports, found, frame, words, kept } = visitor
  if (proof?.state === 'used') {
    const { proven } = await ports.visit(found, kept)
    if (proven?.email === proof.email) return toForm(visitor, proof)
  }
  const way = { href: checkoutPath(frame.root, found.offer, { card: 'stored' }), says: words.proof.newLink }
  if (proof === null) return notice(visitor, 404, words.proof.unknown, way)
  return notice(visitor, 410, proof.state === 'used' ? words.proof.used : words.proof.expired, way)
}

function aboutLink({ found }: Visitor, secret: string, checkout: CheckoutSecret): string {
  return `prove ${found.offer.id} ${secret} ${checkout}`
}
