// The addresses of an offer's page: what is sold, the form that pays for it, and the proof of an address.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OfferId, parseUuid } from '../../core/ids.ts'
import type { Sale } from '../../core/sale.ts'
import { formPages } from '../form-pages.ts'
import { askedFor } from './asked.ts'
import { showLink, useLink } from './links.ts'
import { pay } from './pay.ts'
import type { CheckoutPorts } from './ports.ts'
import { ask, showAsk, showMailed } from './proofs.ts'
import { beginAnother, show } from './show.ts'
import { atOffer, goTo, notice, type Visitor } from './visitor.ts'

/** All that may be typed, where each letter takes nine bytes on the way. */
const bodyBytesMax = 65_536
const posted = { schema: { hide: true }, bodyLimit: bodyBytesMax }

/** The payment by mail that an address names, where it waits for its customer. Null: it says how it stands by itself. */
export async function waitingAt(ports: CheckoutPorts, { params, query }: FastifyRequest): Promise<Sale | null> {
  const offerId = parseUuid<OfferId>((params as { readonly offer: string }).offer)
  const { resumes } = askedFor(query)
  return offerId === null || resumes === null ? null : ports.findWaiting(offerId, resumes)
}

/** `GET /offers/{id}`; with `?transaction={id}` where `resumes` is that payment. */
export function showCheckout(
  ports: CheckoutPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  resumes: Sale | null,
): Promise<FastifyReply> {
  return atOffer(ports, request, reply, async here => {
    const visitor = { ...here, resumes }
    const moved = inLowerCase(visitor)
    if (moved !== null) return goTo(visitor, moved)
    const asked = askedFor(request.query)
    if (asked.again) return beginAnother(visitor, asked)
    const { isMailed } = visitor.found
    if (isMailed && asked.proof !== null) return showLink(visitor, ports.proofs, asked, asked.proof)
    if (isMailed && asked.card === 'stored') return showAsk(visitor, asked)
    if (isMailed && asked.card === 'mailed') return showMailed(visitor, asked)
    return show(visitor, asked)
  })
}

/** A cookie belongs to an address letter by letter. Null: it is written as we write it. */
function inLowerCase({ request, frame, found }: Visitor): string | null {
  const { offer } = request.params as { readonly offer: string }
  const [, query] = request.url.split(/\?(.*)/s)
  const path = `${frame.root}/offers/${found.offer.id}`
  if (offer === found.offer.id) return null
  return query === undefined ? path : `${path}?${query}`
}

export function checkoutRoutes(app: FastifyInstance, ports: CheckoutPorts): void {
  formPages(app, ports)
  app.post('/offers/:offer', posted, (request, reply) => atOffer(ports, request, reply, pay))
  app.post('/offers/:offer/proofs', posted, (request, reply) =>
    atOffer(ports, request, reply, async visitor => {
      return visitor.found.isMailed ? ask(visitor, ports.proofs) : noProofs(visitor)
    }),
  )
  app.post('/offers/:offer/proofs/:secret', posted, (request, reply) =>
    atOffer(ports, request, reply, async visitor => {
      const { secret } = request.params as { readonly secret: string }
      return visitor.found.isMailed ? useLink(visitor, ports.proofs, secret) : noProofs(visitor)
    }),
  )
}

function noProofs(visitor: Visitor): FastifyReply {
  return notice(visitor, 404, visitor.words.proof.unknown)
}
