// Plays the card's bank, in the sandbox alone: one question, two answers, and back to where the customer came from.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type GatewayId, type OperationId, parseGatewayId, parseUuid } from '../core/ids.ts'
import type { Sale } from '../core/sale.ts'
import { html } from './html.ts'
import { isFromOurselves, readForm } from './own-form.ts'
import { plainHeaders, plainNotice, plainPage, rootOf } from './plain-page.ts'
import { shownAmount } from './shown-amount.ts'

export interface ChallengePorts {
  /** Null: the sandbox has no such charge. */
  find(gatewayId: GatewayId, operationId: OperationId): Promise<Sale | null>
  answer(gatewayId: GatewayId, operationId: OperationId, result: 'pass' | 'fail'): Promise<'done' | 'unknown'>
  baseUrl(): string
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
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body))
  const root = () => rootOf(ports.baseUrl())
  const notice = (reply: FastifyReply, status: number, ...said: [string, string]) =>
    reply
      .code(status)
      .headers(plainHeaders())
      .send(plainNotice(root(), ...said))
  app.get(path, hidden, async (request, reply) => {
    const challenge = await challengeNamed(ports, request)
    if (challenge === null) return notice(reply, 404, 'Nothing here', 'There is no payment to confirm here.')
    return reply.headers(plainHeaders()).send(challengePage(challenge, root()))
  })
  app.post(path, { ...hidden, bodyLimit: bodyBytesMax }, async (request, reply) => {
    const challenge = await challengeNamed(ports, request)
    const result = readForm(request.headers['content-type'], request.body)?.result
    const isOwn = isFromOurselves(request.headers, ports.baseUrl())
    if (challenge === null || !isOwn || (result !== 'pass' && result !== 'fail')) {
      return notice(reply, 404, 'Nothing here', 'There is no payment to confirm here.')
    }
    const answered = await ports.answer(challenge.gatewayId, challenge.operationId, result)
    if (answered === 'unknown') return notice(reply, 503, 'Not now', 'The sandbox gateway does not answer. Try again.')
    return reply.code(303).headers(plainHeaders()).header('Location', challenge.returnUrl).send('')
  })
}

async function challengeNamed(ports: ChallengePorts, request: FastifyRequest): Promise<Challenge | null> {
  const { gateway, operation } = request.params as { readonly gateway: string; readonly operation: string }
  const gatewayId = parseGatewayId(gateway)
  const operationId = parseUuid<OperationId>(operation)
  const returnUrl = ownPage((request.query as { readonly return?: unknown }).return, ports.baseUrl())
  if (gatewayId === null || operationId === null || returnUrl === null) return null
  const sale = await ports.find(gatewayId, operationId)
  return sale === null ? null : { gatewayId, operationId, sale, returnUrl }
}

/** Whoever writes the address must not lead anybody elsewhere with it. */
function ownPage(given: unknown, baseUrl: string): string | null {
  const url = typeof given === 'string' ? URL.parse(given) : null
  const offers = URL.parse(`${baseUrl}/offers/`)
  const isOwn = url !== null && url.origin === offers?.origin && url.pathname.startsWith(offers.pathname)
  return isOwn ? url.href : null
}

function challengePage({ gatewayId, operationId, sale, returnUrl }: Challenge, root: string): string {
  const { merchant, transaction, card } = sale
  const action = `${root}/sandbox/challenges/${gatewayId}/${operationId}?return=${encodeURIComponent(returnUrl)}`
  const content = html`<p class="merchant">The sandbox bank</p>
<h1 class="asks">Is it you who pays?</h1>
<p>A real bank would ask for a code or a fingerprint here. This one takes your word.</p>
<dl>
<dt>To</dt><dd dir="auto">${merchant.name}</dd>
<dt>Amount</dt><dd class="amount">${shownAmount(transaction.amountMinor, transaction.currency)}</dd>
<dt>Card</dt><dd>ending in ${card.mask}</dd>
</dl>
<form method="post" action="${action}">
<button name="result" value="pass">Yes, confirm</button>
<button name="result" value="fail" class="second">No, refuse</button>
</form>`
  return plainPage({ title: 'The sandbox bank', content, root })
}
