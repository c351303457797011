// Plays the card's bank, in the sandbox alone: one question, two answers, and back to where the customer came from.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type GatewayId, type OperationId, parseGatewayId, parseUuid } from '../core/ids.ts'
import type { Sale } from '../core/sale.ts'
import { parsedUrl } from '../core/web-address.ts'
import { takePlaceFor } from '../http/hold-places.ts'
import { brandNames } from './brands.ts'
import { formPages, sendNotice } from './form-pages.ts'
import { type Frame, type FramedPage, frameFor, type PageService, seeOther, sendPage } from './frame.ts'
import { html } from './html.ts'
import { isFromOurselves, readForm } from './own-form.ts'
import { shownAmount } from './shown-amount.ts'

export interface ChallengePorts extends PageService {
  /** Null: the sandbox has no such charge. */
  find(gatewayId: GatewayId, operationId: OperationId): Promise<Sale | null>
  answer(gatewayId: GatewayId, operationId: OperationId, result: 'pass' | 'fail'): Promise<'done' | 'unknown'>
}

const path = '/sandbox/challenges/:gateway/:operation'
const hidden = { schema: { hide: true } }
const bodyBytesMax = 4_096

interface Challenge {
  readonly gatewayId: GatewayId
  readonly operationId: OperationId
  readonly sale: Sale
  /** A page of ours. */
  readonly returnUrl: string
}

export function challengeRoutes(app: FastifyInstance, ports: ChallengePorts): void {
  formPages(app, ports)
  app.get(path, hidden, async (request, reply) => {
    const frame = frameFor(ports, request, null)
    const challenge = await challengeNamed(ports, request)
    if (challenge === null) return sendNotice(reply, frame, 404, frame.words.sandboxBank.nothingHere)
    return sendPage(reply, frame, challengePage(challenge, frame))
  })
  app.post(path, { ...hidden, bodyLimit: bodyBytesMax }, async (request, reply) => {
    const frame = frameFor(ports, request, null)
    const { nothingHere, notNow } = frame.words.sandboxBank
    const challenge = await challengeNamed(ports, request)
    const result = readForm(request.headers['content-type'], request.body)?.result
    const isOwn = isFromOurselves(request.headers, ports.baseUrl())
    if (challenge === null || !isOwn || (result !== 'pass' && result !== 'fail')) {
      return sendNotice(reply, frame, 404, nothingHere)
    }
    const answered = await ports.answer(challenge.gatewayId, challenge.operationId, result)
    return answered === 'unknown' ? sendNotice(reply, frame, 503, notNow) : seeOther(reply, challenge.returnUrl)
  })
}

async function challengeNamed(ports: ChallengePorts, request: FastifyRequest): Promise<Challenge | null> {
  const { gateway, operation } = request.params as { readonly gateway: string; readonly operation: string }
  const gatewayId = parseGatewayId(gateway)
  const operationId = parseUuid<OperationId>(operation)
  const returnUrl = ownPage((request.query as { readonly return?: unknown }).return, ports.baseUrl())
  if (gatewayId === null || operationId === null || returnUrl === null) return null
  const sale = await ports.find(gatewayId, operationId)
  if (sale !== null) await takePlaceFor(request, sale.merchant.id)
  return sale === null ? null : { gatewayId, operationId, sale, returnUrl }
}

/** Whoever writes the address must not lead anybody elsewhere with it. */
function ownPage(given: unknown, baseUrl: string): string | null {
  const url = typeof given === 'string' ? parsedUrl(given) : null
  const offers = URL.parse(`${baseUrl}/offers/`)
  const isOwn = url !== null && url.origin === offers?.origin && url.pathname.startsWith(offers.pathname)
  return isOwn ? url.href : null
}

function challengePage(challenge: Challenge, { words, root }: Frame): FramedPage {
  const { gatewayId, operationId, sale, returnUrl } = challenge
  const { merchant, transaction, card } = sale
  const { sandboxBank: bank, payment, locale } = words
  const action = `${root}/sandbox/challenges/${gatewayId}/${operationId}?return=${encodeURIComponent(returnUrl)}`
  const content = html`<p class="merchant">${bank.name}</p>
<h1 class="asks">${bank.asks.heading}</h1>
${bank.asks.sentences.map(sentence => html`<p>${sentence}</p>`)}
<dl>
<dt>${bank.to}</dt><dd dir="auto">${merchant.name}</dd>
<dt>${payment.amount}</dt><dd class="amount">${shownAmount(transaction.amountMinor, transaction.currency, locale)}</dd>
${card === null ? null : html`<dt>${payment.card}</dt><dd>${payment.cardEndingIn(brandNames[card.type], card.mask)}</dd>`}
</dl>
<form method="post" action="${action}">
<button name="result" value="pass">${bank.yes}</button>
<button name="result" value="fail" class="second">${bank.no}</button>
</form>`
  return { title: bank.name, content }
}
