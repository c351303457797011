// Where a customer enters a card on a link that the merchant sent. A GET changes nothing; the form stores one card, once. A
// card that is refused may be followed by another, and leaves the link as it was.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CardLink, cardLinkState } from '../core/card-link.ts'
import type { CardFields, EnteredCard } from '../core/gateway.ts'
import type { Look } from '../core/look.ts'
import type { Merchant } from '../core/people.ts'
import { takePlaceFor } from '../http/hold-places.ts'
import { type CardProblem, cardPage, storedPage, type WrongFields } from './card-page.ts'
import { formPages, sendNotice } from './form-pages.ts'
import { frameFor, type PageService, seeOther, sendPage } from './frame.ts'
import { isFromOurselves, readForm } from './own-form.ts'
import { shownWait } from './shown-time.ts'
import { typedCard } from './typed-card.ts'
import type { Said } from './words/said.ts'
import type { Words } from './words/words.ts'

export interface FoundLink {
  readonly link: CardLink
  readonly merchant: Merchant
  readonly look: Look
  /** Of the card that it was used for; null: not used, or the card was removed. */
  readonly mask: string | null
  /** Null: the gateway is inactive. */
  readonly fields: CardFields | null
}

export type StoredOnLink =
  /** Stored; or the link was used or ended meanwhile, or its gateway is inactive: its page says which. */
  | { readonly kind: 'see' }
  /** Another request is at it, and takes long. */
  | { readonly kind: 'busy' }
  /** The gateway does not take it; `sentence` is its own, in English. */
  | { readonly kind: 'refused'; readonly sentence: string }
  /** Whatever it is, it cannot be this customer's. */
  | { readonly kind: 'not_here' }
  /** By whoever is behind this address on the network, on whatever links. */
  | { readonly kind: 'too_many_tries'; readonly retryAfterS: number }
  /** The gateway did not say that it stored the card. Storing it again does no harm. */
  | { readonly kind: 'not_now'; readonly cause: string }

export interface CardPagePorts extends PageService {
  /** Null: there is no such link. */
  find(name: string): Promise<FoundLink | null>
  /** `address`: where the request came from on the network. */
  store(link: CardLink, card: EnteredCard, address: string): Promise<StoredOnLink>
  /** Whoever has the link may try cards, but not many. */
  mayTry(name: string): boolean
  formToken(name: string): string
  isFormToken(name: string, given: string): boolean
  now(): Date
}

const hidden = { schema: { hide: true } }
const bodyBytesMax = 4_096
const path = '/cards/:link'

export function cardRoutes(app: FastifyInstance, ports: CardPagePorts): void {
  formPages(app, ports)
  app.get(path, hidden, async (request, reply) => show(await visitTo(ports, request, reply), null))
  app.post(path, { ...hidden, bodyLimit: bodyBytesMax }, async (request, reply) =>
    enter(await visitTo(ports, request, reply)),
  )
}

type Visit = Awaited<ReturnType<typeof visitTo>>

async function visitTo(ports: CardPagePorts, request: FastifyRequest, reply: FastifyReply) {
  const { link: name } = request.params as { readonly link: string }
  const found = await ports.find(name)
  if (found !== null) await takePlaceFor(request, found.merchant.id)
  const frame = frameFor(ports, request, found)
  const notice = (status: number, says: Said) => sendNotice(reply, frame, status, says)
  return { ports, request, reply, name, found, frame, notice, path: `${frame.root}/cards/${name}` }
}

async function enter(visit: Visit): Promise<FastifyReply> {
  const { ports, request, reply, name, found, frame, notice } = visit
  const fields = found === null || cardLinkState(found.link, ports.now()) !== 'open' ? null : found.fields
  if (found === null || fields === null || fields.kind === 'none') return show(visit, null)
  const { card, cardLink } = frame.words
  const form = readForm(request.headers['content-type'], request.body)
  const isOwn = isFromOurselves(request.headers, ports.baseUrl()) && ports.isFormToken(name, form?.form_token ?? '')
  if (form === null || !isOwn) return notice(403, cardLink.notFromHere)
  if (!ports.mayTry(name)) return tooManyTries(visit, 30)
  const typed = typedCard(fields, form, ports.now())
  const consents = form.consent === 'yes'
  const wrong: WrongFields = {
    ...('wrong' in typed && typed.wrong),
    ...(!consents && { consent: 'consent' }),
  }
  if (!('card' in typed) || wrong.consent !== undefined)
    return show(visit, { says: summaryOf(card, wrong), wrong, consents })
  const entered = await ports.store(found.link, typed.card, request.ip)
  switch (entered.kind) {
    case 'see':
      return seeOther(reply, visit.path)
    case 'busy':
      return notice(503, cardLink.busy)
    case 'too_many_tries':
      return tooManyTries(visit, entered.retryAfterS)
    case 'not_now':
      request.log.warn({ merchant: found.merchant.id, cause: entered.cause }, 'a card could not be stored')
      return notice(503, cardLink.notNow)
    case 'not_here':
      return show(visit, { says: card.notHereEither, wrong: {}, consents })
    case 'refused':
      return show(visit, { says: card.refused(entered.sentence), wrong: {}, consents })
  }
}

function tooManyTries({ reply, frame, notice }: Visit, retryAfterS: number): FastifyReply {
  reply.header('Retry-After', String(retryAfterS))
  return notice(429, frame.words.cardLink.tooManyTries(shownWait(frame.words, retryAfterS)))
}

/** What has no field of its own is said in full. */
function summaryOf(card: Words['card'], wrong: WrongFields): string {
  return wrong.reference === undefined ? card.toCorrect(Object.keys(wrong).length) : card.wrong[wrong.reference]
}

/** How the link stands; while it is open, the form, with what was wrong with the card that was tried. */
function show(visit: Visit, problem: CardProblem | null): FastifyReply {
  const { ports, reply, name, found, frame, notice, path } = visit
  const { cardLink } = frame.words
  if (found === null) return notice(404, cardLink.nothingHere)
  const { link, merchant, mask, fields } = found
  const state = cardLinkState(link, ports.now())
  if (state === 'used') {
    if (mask === null) return notice(410, cardLink.removedSince(merchant.name))
    return sendPage(reply, frame, storedPage(frame.words, merchant, mask, link.returnUrl))
  }
  if (state === 'expired') return notice(410, cardLink.expired(merchant.name))
  if (fields === null) return notice(503, cardLink.takesNone(merchant.name))
  if (fields.kind === 'none') return notice(409, cardLink.addedByMerchant(merchant.name))
  const page = cardPage(frame.words, {
    merchant,
    email: link.email,
    fields,
    path,
    formToken: ports.formToken(name),
    problem,
  })
  return sendPage(reply, frame, page, problem === null ? 200 : 422)
}
