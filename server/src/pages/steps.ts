// Where a payment goes on that waits for its customer, and where every other one says how it stands: the page behind
// `signup_url`, one button to the card's bank, and the way back. A GET begins nothing, so that whatever opens links in mails
// may open this one.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type StepOutcome, waitingCharge } from '../core/customer-step.ts'
import { type MerchantId, type OfferId, parseUuid, type TransactionId } from '../core/ids.ts'
import type { Look } from '../core/look.ts'
import type { Sale } from '../core/sale.ts'
import { takePlaceFor } from '../http/hold-places.ts'
import { formPages, sendNotice } from './form-pages.ts'
import { type Frame, frameFor, type PageOwner, type PageService, seeOther, sendPage } from './frame.ts'
import type { Html } from './html.ts'
import { isFromOurselves, readForm } from './own-form.ts'
import { pagePath, stepPage } from './step-page.ts'
import { stepWords } from './step-words.ts'
import type { Said } from './words/said.ts'

export interface StepPagePorts extends PageService {
  /** Null: there is no such payment. */
  find(offerId: OfferId, transactionId: TransactionId): Promise<Sale | null>
  findLook(merchantId: MerchantId): Promise<Look>
  /** Begins the customer's step at the gateway; `returnUrl` is where it leads back to. */
  begin(sale: Sale, returnUrl: string): Promise<StepOutcome>
  /** Asks the gateway how it stands; the sale as it then is. */
  lookAgain(sale: Sale): Promise<Sale>
  /** Whoever has the link may ask as often as they like; the gateway is not. */
  mayAsk(transactionId: TransactionId): boolean
  /** The same for every rendering of one payment's page, and known to nobody who has not seen it. */
  formToken(transactionId: TransactionId): string
  isFormToken(transactionId: TransactionId, given: string): boolean
  /** Where a bank's page may be. */
  readonly banks: readonly string[]
  now(): Date
}

const hidden = { schema: { hide: true } }
const bodyBytesMax = 4_096

interface Named {
  readonly offer: string
  readonly transaction?: unknown
}

export function stepRoutes(app: FastifyInstance, ports: StepPagePorts): void {
  formPages(app, ports)
  app.post('/offers/:offer/transactions/:transaction/step', { ...hidden, bodyLimit: bodyBytesMax }, (request, reply) =>
    beginStep(ports, request, reply),
  )
}

/** What the page of a payment has of the page of its offer. */
export interface OfferOfStep {
  /** Of an offer that has no such payment. */
  findOwner(offerId: OfferId): Promise<PageOwner | null>
  /** What a paid one says of the card that was saved with it. */
  savedCard(frame: Frame, sale: Sale): Promise<Html | null>
}

/** `GET /offers/{id}?transaction={id}`. */
export async function showStep(
  ports: StepPagePorts,
  ofOffer: OfferOfStep,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { transaction, returned } = request.query as { readonly [name: string]: unknown }
  const found = await saleNamed(ports, { ...(request.params as Named), transaction })
  if (found === null) {
    const offerId = parseUuid<OfferId>((request.params as Named).offer)
    return nothingHere(ports, request, reply, offerId === null ? null : await ofOffer.findOwner(offerId))
  }
  await takePlaceFor(request, found.merchant.id)
  const asks = returned === '1' && waitingCharge(found, ports.now()) !== null && ports.mayAsk(found.transaction.id)
  const sale = asks ? await ports.lookAgain(found) : found
  const frame = await frameOf(ports, request, sale)
  const says = stepWords(sale, frame.words, ports.now(), returned === '1')
  const formToken = ports.formToken(sale.transaction.id)
  const refreshS = refreshAfterS(sale, ports.now())
  if (refreshS !== null) reply.header('Refresh', String(refreshS))
  const savedCard = says.receipt ? await ofOffer.savedCard(frame, sale) : null
  return sendPage(reply, frame, stepPage(frame, { sale, says, formToken, banks: ports.banks, savedCard }))
}

const watchedForMs = 3_600_000

/**
 * A payment that is being made shows by itself how it ended. The longer it takes, the more seldom it is looked at, which asks
 * our database alone. Null: there is nothing to wait for, or nobody waits any more.
 */
export function refreshAfterS({ transaction, operations }: Sale, now: Date): number | null {
  // What was asked for by mail may have waited for days before anything was charged.
  const { createdAt } = operations.at(-1) ?? transaction
  const ageMs = now.getTime() - createdAt.getTime()
  if (transaction.status !== 'Processing' || ageMs > watchedForMs) return null
  return Math.min(60, Math.max(3, Math.round(ageMs / 5_000)))
}

async function beginStep(ports: StepPagePorts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const sale = await saleNamed(ports, request.params as Named)
  if (sale === null) return nothingHere(ports, request, reply, null)
  await takePlaceFor(request, sale.merchant.id)
  const { id } = sale.transaction
  const frame = await frameOf(ports, request, sale)
  const { notFromHere, tooFast, notNow, backToPayment } = frame.words.payment
  const backWith = (status: number, notice: Said) =>
    sendNotice(reply, frame, status, notice, { href: pagePath(sale, frame.root), says: backToPayment })
  const form = readForm(request.headers['content-type'], request.body)
  const isOwn = isFromOurselves(request.headers, ports.baseUrl()) && ports.isFormToken(id, form?.form_token ?? '')
  if (!isOwn) return backWith(403, notFromHere)
  if (!ports.mayAsk(id)) {
    reply.header('Retry-After', '5')
    return backWith(429, tooFast)
  }
  const outcome = await ports.begin(sale, `${pagePath(sale, ports.baseUrl())}&returned=1`)
  switch (outcome.kind) {
    case 'redirect':
      return seeOther(reply, outcome.url)
    case 'over':
      return seeOther(reply, `${pagePath(sale, frame.root)}&returned=1`)
    case 'not_now':
      request.log.warn({ transaction: id, cause: outcome.cause }, "a customer's step could not be begun")
      return backWith(503, notNow)
  }
}

async function saleNamed(ports: StepPagePorts, { offer, transaction }: Named): Promise<Sale | null> {
  const offerId = parseUuid<OfferId>(offer)
  const transactionId = typeof transaction === 'string' ? parseUuid<TransactionId>(transaction) : null
  return offerId === null || transactionId === null ? null : ports.find(offerId, transactionId)
}

async function frameOf(ports: StepPagePorts, request: FastifyRequest, { merchant }: Sale): Promise<Frame> {
  return frameFor(ports, request, { merchant, look: await ports.findLook(merchant.id) })
}

function nothingHere(
  ports: StepPagePorts,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: PageOwner | null,
): FastifyReply {
  const frame = frameFor(ports, request, owner)
  const { payment, checkout } = frame.words
  const { offer } = request.params as Named
  const way = owner === null ? null : { href: `${frame.root}/offers/${offer}`, says: checkout.backToOffer }
  return sendNotice(reply, frame, 404, payment.nothingHere, way)
}
