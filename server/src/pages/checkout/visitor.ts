// Somebody at the page of an offer: what they asked for, and how they are answered.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CheckoutSecret, mayHavePaid } from '../../core/checkout.ts'
import { isAskedBy } from '../../core/go-on.ts'
import { type OfferId, parseUuid, type TransactionId } from '../../core/ids.ts'
import type { Sale } from '../../core/sale.ts'
import { takePlaceFor } from '../../http/hold-places.ts'
import { sendNotice } from '../form-pages.ts'
import { type Frame, type FramedPage, frameFor, seeOther, sendPage } from '../frame.ts'
import { shownWait } from '../shown-time.ts'
import type { Said } from '../words/said.ts'
import type { Words } from '../words/words.ts'
import { countryBy } from './countries.ts'
import { type CheckoutPage, checkoutPage } from './page.ts'
import type { CheckoutPorts, FoundOffer, Visit } from './ports.ts'
import { checkoutCookie, type FormOf, formTokenOf, secretIn } from './secret.ts'

export interface Visitor {
  readonly ports: CheckoutPorts
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly found: FoundOffer
  readonly frame: Frame
  readonly words: Words
  /** The payment by mail that they go on with; null: they begin one of their own. */
  readonly resumes: Sale | null
  /** What this browser kept; null: nothing. */
  readonly kept: CheckoutSecret | null
}

/** Answers with `go`, where there is such an offer. */
export async function atOffer(
  ports: CheckoutPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  go: (visitor: Visitor) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  reply.header('Cache-Control', 'no-store')
  const { offer } = request.params as { readonly offer: string }
  const offerId = parseUuid<OfferId>(offer)
  const found = offerId === null ? null : await ports.find(offerId)
  const frame = frameFor(ports, request, found)
  if (found === null) return sendNotice(reply, frame, 404, frame.words.checkout.noSuchOffer)
  await takePlaceFor(request, found.merchant.id)
  const kept = secretIn(request.headers.cookie, ports.now())
  return go({ ports, request, reply, found, frame, words: frame.words, resumes: null, kept })
}

export function notice({ reply, frame }: Visitor, status: number, said: Said, way?: Way): FastifyReply {
  return sendNotice(reply, frame, status, said, way ?? null)
}

export interface Way {
  readonly href: string
  readonly says: string
}

export function page({ reply, frame }: Visitor, status: number, shown: FramedPage): FastifyReply {
  return sendPage(reply, frame, shown, status)
}

export function goTo({ reply }: Visitor, path: string): FastifyReply {
  return seeOther(reply, path)
}

export function tooManyTries(visitor: Visitor, retryAfterS: number): FastifyReply {
  const { reply, words } = visitor
  reply.header('Retry-After', String(retryAfterS))
  return notice(visitor, 429, words.checkout.tooManyGuesses(shownWait(words, retryAfterS)))
}

/** The payment of a checkout that was made, or may have been. Null: it may be paid. */
export function paymentOf({ standing }: Visit): Sale | null {
  return standing !== null && mayHavePaid(standing) ? standing : null
}

/** Kept no longer than from when it was made: while a browser remembers a checkout, so do we. */
export function keepSecret({ ports, reply, found, kept }: Visitor, secret: CheckoutSecret): void {
  if (secret !== kept) reply.header('Set-Cookie', checkoutCookie(ports.baseUrl(), found, secret))
}

/** In a browser that has proven another address than that of who asked by mail, they begin a payment of their own. */
export function forWhoAsked<V extends Visitor>(visitor: V, { proven }: Visit): V {
  const { resumes } = visitor
  const isAnother = resumes !== null && proven !== null && !isAskedBy(resumes, proven.email)
  return isAnother ? { ...visitor, resumes: null } : visitor
}

/**
 * Of who asked for it by mail, for whoever has the link: that is who wrote, or got it from us or the merchant, who is told the
 * address together with the link. Nobody can guess one. It says whose payment this is, and the receipt goes there; what else is
 * known of its customer is shown to who has proven to be them.
 */
export function emailOf(resumes: Sale | null): string | null {
  return resumes?.customer.email ?? null
}

/** For addresses and forms. */
export function resumedBy({ resumes }: Visitor): TransactionId | null {
  return resumes?.transaction.id ?? null
}

export type Shown = FormOf &
  Pick<CheckoutPage, 'quantity' | 'referrerContext' | 'values'> &
  Partial<Pick<CheckoutPage, 'problems' | 'says' | 'asksBesides' | 'emailAsked'>>

export function showForm(visitor: Visitor, visit: Visit, status: number, shown: Shown): FastifyReply {
  const { ports, request, found, frame, words } = visitor
  const { isSandbox } = ports
  const country = countryBy(request.headers['accept-language'])
  const formToken = formTokenOf(ports, found.offer.id, shown)
  const isAnswer = request.method === 'POST'
  const askedBy = shown.resumes === null ? null : emailOf(visitor.resumes)
  const about = { words, root: frame.root, found, visit, isSandbox, country, formToken, isAnswer, askedBy }
  const nothingYet = { problems: {}, says: null, asksBesides: null, emailAsked: null }
  return page(visitor, status, checkoutPage({ ...about, ...nothingYet, ...shown, takesProofs: found.isMailed }))
}
