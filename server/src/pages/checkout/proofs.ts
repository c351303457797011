// Asks for a link that proves an address, which is mailed. The answers are the same whether or not anybody with that address was
// ever here. What the link does is in `links.ts`.

import type { FastifyReply } from 'fastify'
import { parseEmail } from '../../core/email.ts'
import { isAskedBy } from '../../core/go-on.ts'
import { parseUuid, type TransactionId } from '../../core/ids.ts'
import type { Sale } from '../../core/sale.ts'
import { isFromOurselves, readForm } from '../own-form.ts'
import { shownWait } from '../shown-time.ts'
import { type Asked, checkoutPath, parseReferrerContext } from './asked.ts'
import { beginAgain } from './pay.ts'
import type { ProofPorts } from './ports.ts'
import { askPage } from './proof-pages.ts'
import { isAskedHere, unconfirmedPayment } from './saved-card.ts'
import { paymentPath } from './show.ts'
import { shownAgain } from './typed-line.ts'
import { parseQuantity, unitsOf } from './units.ts'
import { emailOf, goTo, notice, page, resumedBy, type Visitor } from './visitor.ts'

export function showAsk(visitor: Visitor, asked: Pick<Asked, 'quantity' | 'referrerContext' | 'email'>): FastifyReply {
  return askAgain(visitor, asked, asked.email ?? emailOf(visitor.resumes) ?? '', false)
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
  const resumes = resumedBy(visitor)
  const shown = { words, root, found, formToken, email, isWrong, quantity: units, referrerContext, resumes }
  return page(visitor, isWrong ? 422 : 200, askPage(shown))
}

export async function showMailed(visitor: Visitor, asked: Asked): Promise<FastifyReply> {
  const { words } = visitor
  const payment = await unconfirmedPayment(visitor)
  if (payment !== null) return notice(visitor, 200, words.savedCard.mailed, wayToPayment(visitor, payment))
  return notice(visitor, 200, words.proof.mailed, wayToForm(visitor, asked))
}

/** Shown again, the answer mails nothing: it is a page of its own. */
export async function ask(here: Visitor, proofs: ProofPorts): Promise<FastifyReply> {
  const { ports, request, reply, found, frame, words } = here
  const form = readForm(request.headers['content-type'], request.body)
  if (form === null || !isFromOurselves(request.headers, ports.baseUrl())) return beginAgain(here)
  if (form.saved_card !== undefined) return askForSavedCard(here, proofs, form.form_token ?? '')
  if (!ports.isFormToken(aboutAsking(here), form.form_token ?? '')) return beginAgain(here)
  const named = parseUuid<TransactionId>(form.transaction ?? '')
  const visitor = { ...here, resumes: named === null ? null : await ports.findWaiting(found.offer.id, named) }
  const resumes = resumedBy(visitor)
  const quantity = unitsOf(found.offer, parseQuantity(form.quantity ?? ''))
  const referrerContext = parseReferrerContext(form.referrer_context ?? '')
  const email = parseEmail(form.email ?? '')
  if (email === null) return askAgain(visitor, { quantity, referrerContext }, shownAgain(form.email ?? ''), true)
  const { language } = words
  // Whoever gets the link did not ask for that payment, unless it goes to who did.
  const isTheirs = visitor.resumes !== null && isAskedBy(visitor.resumes, email)
  const about = { quantity, referrerContext, resumes: isTheirs ? resumes : null }
  const asked = await proofs.ask(found, { email, ...about, savedCardOf: null, address: request.ip, language })
  if (asked.ok) return goTo(visitor, checkoutPath(frame.root, found.offer, { card: 'mailed', ...about }))
  reply.header('Retry-After', String(asked.retryAfterS))
  return notice(visitor, 429, words.proof.tooOften(shownWait(words, asked.retryAfterS)), wayToForm(visitor, about))
}

/** The link goes to the address that was typed with the payment, whoever's it is: the form does not say it. */
async function askForSavedCard(visitor: Visitor, proofs: ProofPorts, formToken: string): Promise<FastifyReply> {
  const { request, reply, found, frame, words, kept } = visitor
  if (!isAskedHere(visitor, formToken)) return beginAgain(visitor)
  const payment = await unconfirmedPayment(visitor)
  const email = payment?.customer.email ?? null
  if (payment === null || email === null) return goTo(visitor, checkoutPath(frame.root, found.offer))
  const about = { quantity: 1, referrerContext: null, resumes: null, savedCardOf: kept }
  const asked = await proofs.ask(found, { email, ...about, address: request.ip, language: words.language })
  if (asked.ok) return goTo(visitor, checkoutPath(frame.root, found.offer, { card: 'mailed' }))
  reply.header('Retry-After', String(asked.retryAfterS))
  const said = words.savedCard.tooOften(shownWait(words, asked.retryAfterS))
  return notice(visitor, 429, said, wayToPayment(visitor, payment))
}

function wayToPayment(visitor: Visitor, { transaction }: Sale) {
  return { href: paymentPath(visitor, transaction.id), says: visitor.words.payment.backToPayment }
}

function wayToForm(
  { frame, found, words }: Visitor,
  { quantity, referrerContext, resumes }: Pick<Asked, 'quantity' | 'referrerContext' | 'resumes'>,
) {
  const href = checkoutPath(frame.root, found.offer, { quantity, referrerContext, resumes })
  return { href, says: words.proof.backToForm }
}

function aboutAsking({ found }: Visitor): string {
  return `ask ${found.offer.id}`
}
