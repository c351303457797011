// Where a customer enters a card on a link that the merchant sent. A GET changes nothing; the form stores one card, once. A
// card that is refused may be followed by another, and leaves the link as it was.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CardLink, cardLinkState } from '../core/card-link.ts'
import type { CardDetails, CardFields, CardReference } from '../core/gateway.ts'
import type { Merchant } from '../core/people.ts'
import { cardHeaders, cardPage, storedPage } from './card-page.ts'
import { formPages, sendNotice } from './form-pages.ts'
import { isFromOurselves, readForm } from './own-form.ts'
import { plainHeaders, rootOf } from './plain-page.ts'
import { typedCard } from './typed-card.ts'

export interface FoundLink {
  readonly link: CardLink
  readonly merchant: Merchant
  /** Of the card that it was used for; null: not used, or the card was removed. */
  readonly mask: string | null
  /** Null: the gateway is inactive. */
  readonly fields: CardFields | null
}

export type EnteredCard =
  /** Stored; or the link was used or ended meanwhile, or its gateway is inactive: its page says which. */
  | { readonly kind: 'see' }
  /** Another request is at it, and takes long. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly sentence: string }
  /** The gateway did not say that it stored the card. Storing it again does no harm. */
  | { readonly kind: 'not_now'; readonly cause: string }

export interface CardPagePorts {
  /** Null: there is no such link. */
  find(name: string): Promise<FoundLink | null>
  store(link: CardLink, card: CardDetails | CardReference): Promise<EnteredCard>
  /** Whoever has the link may try cards, but not many. */
  mayTry(name: string): boolean
  formToken(name: string): string
  isFormToken(name: string, given: string): boolean
  baseUrl(): string
  now(): Date
}

const hidden = { schema: { hide: true } }
const bodyBytesMax = 4_096
const path = '/cards/:link'

export function cardRoutes(app: FastifyInstance, ports: CardPagePorts): void {
  formPages(app, ports.baseUrl)
  app.get(path, hidden, async (request, reply) => {
    const found = await ports.find(nameIn(request))
    return show(ports, request, reply, found, null)
  })
  app.post(path, { ...hidden, bodyLimit: bodyBytesMax }, (request, reply) => enter(ports, request, reply))
}

function nameIn(request: FastifyRequest): string {
  return (request.params as { readonly link: string }).link
}

async function enter(ports: CardPagePorts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const name = nameIn(request)
  const notice = (status: number, ...said: [string, string]) => sendNotice(reply, ports.baseUrl(), status, ...said)
  const found = await ports.find(name)
  const fields = found === null || cardLinkState(found.link, ports.now()) !== 'open' ? null : found.fields
  if (found === null || fields === null || fields.kind === 'none') return show(ports, request, reply, found, null)
  const form = readForm(request.headers['content-type'], request.body)
  const isOwn = isFromOurselves(request.headers, ports.baseUrl()) && ports.isFormToken(name, form?.form_token ?? '')
  if (form === null || !isOwn) return notice(403, 'Not from here', 'Open your link again, and continue from there.')
  if (!ports.mayTry(name)) {
    reply.header('Retry-After', '30')
    return notice(429, 'Too many tries', 'Wait a while, then open your link again.')
  }
  const typed = typedCard(fields, form)
  if ('wrong' in typed) return show(ports, request, reply, found, typed.wrong)
  const entered = await ports.store(found.link, typed.card)
  switch (entered.kind) {
    case 'see':
      return reply.code(303).headers(plainHeaders()).header('Location', pathOf(ports, name)).send('')
    case 'busy':
      return notice(503, 'One moment', 'Your card is still being stored. Open your link again to see how it ended.')
    case 'not_now':
      request.log.warn({ merchant: found.merchant.id, cause: entered.cause }, 'a card could not be stored')
      return notice(
        503,
        'Not now',
        'Your card could not be stored at the moment. Open your link again and try again soon.',
      )
    case 'refused':
      return show(ports, request, reply, found, entered.sentence)
  }
}

function pathOf(ports: CardPagePorts, name: string): string {
  return `${rootOf(ports.baseUrl())}/cards/${name}`
}

/** How the link stands; while it is open, the form, with what was wrong with the card that was tried. */
function show(
  ports: CardPagePorts,
  request: FastifyRequest,
  reply: FastifyReply,
  found: FoundLink | null,
  problem: string | null,
): FastifyReply {
  const notice = (status: number, ...said: [string, string]) => sendNotice(reply, ports.baseUrl(), status, ...said)
  if (found === null) {
    return notice(404, 'Nothing here', 'There is no card to enter here. Ask whoever sent you the link for a new one.')
  }
  const { link, merchant, mask, fields } = found
  const root = rootOf(ports.baseUrl())
  const state = cardLinkState(link, ports.now())
  if (state === 'used') {
    return mask === null
      ? notice(410, 'This link was used', `The card that was entered here is no longer stored for ${merchant.name}.`)
      : reply.headers(plainHeaders()).send(storedPage(merchant, mask, link.returnUrl, root))
  }
  if (state === 'expired') {
    return notice(410, 'This link has expired', `No card was stored. Ask ${merchant.name} for a new link.`)
  }
  if (fields === null) {
    return notice(503, 'Not now', `${merchant.name} takes no cards here at the moment. No card was stored.`)
  }
  if (fields.kind === 'none') {
    return notice(409, 'Not on this page', `Cards are added by ${merchant.name} itself. No card was stored.`)
  }
  const name = nameIn(request)
  const page = { merchant, fields, path: pathOf(ports, name), root, formToken: ports.formToken(name), problem }
  return reply
    .code(problem === null ? 200 : 422)
    .headers(cardHeaders(fields))
    .send(cardPage(page))
}
