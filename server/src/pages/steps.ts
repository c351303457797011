// Where a payment that waits for its customer goes on: the page behind `signup_url`, one button to the card's bank, and the
// way back. A GET begins nothing, so that whatever opens links in mails may open this one.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type StepOutcome, waitingCharge } from '../core/customer-step.ts'
import { type OfferId, parseUuid, type TransactionId } from '../core/ids.ts'
import type { Sale } from '../core/sale.ts'
import { formPages, sendNotice } from './form-pages.ts'
import { isFromOurselves, readForm } from './own-form.ts'
import { noticeWithLink, plainHeaders, rootOf } from './plain-page.ts'
import { pagePath, stepPage } from './step-page.ts'
import { wordsFor } from './step-words.ts'

export interface StepPagePorts {
  /** Null: there is no such payment. */
  find(offerId: OfferId, transactionId: TransactionId): Promise<Sale | null>
  /** Begins the customer's step at the gateway; `returnUrl` is where it leads back to. */
  begin(sale: Sale, returnUrl: string): Promise<StepOutcome>
  /** Asks the gateway how it stands; the sale as it then is. */
  lookAgain(sale: Sale): Promise<Sale>
  /** Whoever has the link may ask as often as they like; the gateway is not. */
  mayAsk(transactionId: TransactionId): boolean
  /** The same for every rendering of one payment's page, and known to nobody who has not seen it. */
  formToken(transactionId: TransactionId): string
  isFormToken(transactionId: TransactionId, given: string): boolean
  readonly isSandbox: boolean
  /** Where a bank's page may be. */
  readonly banks: readonly string[]
  baseUrl(): string
  now(): Date
}

const hidden = { schema: { hide: true } }
const bodyBytesMax = 4_096

interface Named {
  readonly offer: string
  readonly transaction?: unknown
}

export function stepRoutes(app: FastifyInstance, ports: StepPagePorts): void {
  formPages(app, ports.baseUrl)
  app.get('/offers/:offer', hidden, (request, reply) => showStep(ports, request, reply))
  app.post('/offers/:offer/transactions/:transaction/step', { ...hidden, bodyLimit: bodyBytesMax }, (request, reply) =>
    beginStep(ports, request, reply),
  )
}

async function showStep(ports: StepPagePorts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { transaction, returned } = request.query as { readonly [name: string]: unknown }
  const found = await saleNamed(ports, { ...(request.params as Named), transaction })
  if (found === null) return nothingHere(reply, ports)
  const asks = returned === '1' && waitingCharge(found, ports.now()) !== null && ports.mayAsk(found.transaction.id)
  const sale = asks ? await ports.lookAgain(found) : found
  const words = wordsFor(sale, ports.now(), returned === '1')
  const formToken = ports.formToken(sale.transaction.id)
  const { isSandbox } = ports
  return reply
    .headers(plainHeaders(ports.banks))
    .send(stepPage({ sale, words, root: rootOf(ports.baseUrl()), formToken, isSandbox }))
}

async function beginStep(ports: StepPagePorts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const sale = await saleNamed(ports, request.params as Named)
  if (sale === null) return nothingHere(reply, ports)
  const { id } = sale.transaction
  const form = readForm(request.headers['content-type'], request.body)
  const isOwn = isFromOurselves(request.headers, ports.baseUrl()) && ports.isFormToken(id, form?.form_token ?? '')
  const backWith = (status: number, ...said: [string, string]) => backToPayment(ports, reply, sale, status, ...said)
  if (!isOwn) return backWith(403, 'Not from here', 'Open the page of your payment, and continue from there.')
  if (!ports.mayAsk(id)) {
    reply.header('Retry-After', '5')
    return backWith(429, 'Too fast', 'Wait a moment, then go back and try again.')
  }
  const page = pagePath(sale, ports.baseUrl())
  const outcome = await ports.begin(sale, `${page}&returned=1`)
  switch (outcome.kind) {
    case 'redirect':
      return seeOther(reply, outcome.url)
    case 'over':
      return seeOther(reply, `${pagePath(sale, rootOf(ports.baseUrl()))}&returned=1`)
    case 'not_now':
      request.log.warn({ transaction: id, cause: outcome.cause }, "a customer's step could not be begun")
      return backWith(503, 'Not now', 'The payment service cannot be reached just now. Go back and try again soon.')
  }
}

async function saleNamed(ports: StepPagePorts, { offer, transaction }: Named): Promise<Sale | null> {
  const offerId = parseUuid<OfferId>(offer)
  const transactionId = typeof transaction === 'string' ? parseUuid<TransactionId>(transaction) : null
  return offerId === null || transactionId === null ? null : ports.find(offerId, transactionId)
}

function seeOther(reply: FastifyReply, url: string): FastifyReply {
  return reply.code(303).headers(plainHeaders()).header('Location', url).send('')
}

function nothingHere(reply: FastifyReply, ports: StepPagePorts): FastifyReply {
  return sendNotice(reply, ports.baseUrl(), 404, 'Nothing here', 'There is no payment to finish here.')
}

function backToPayment(
  ports: StepPagePorts,
  reply: FastifyReply,
  sale: Sale,
  status: number,
  ...said: [string, string]
): FastifyReply {
  const root = rootOf(ports.baseUrl())
  const link = { href: pagePath(sale, root), says: 'Back to your payment' }
  return reply
    .code(status)
    .headers(plainHeaders())
    .send(noticeWithLink(root, ...said, link))
}
