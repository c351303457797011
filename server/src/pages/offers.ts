// What is behind an offer's address: the page of one payment where the address names it, else the page that sells it; which is
// also where a payment by mail is gone on with.

import type { FastifyInstance } from 'fastify'
import { rootOf } from '../core/root-path.ts'
import type { CheckoutPorts } from './checkout/ports.ts'
import { showCheckout, waitingAt } from './checkout/routes.ts'
import { savedCardPart } from './checkout/saved-card.ts'
import { formPages } from './form-pages.ts'
import { type StepPagePorts, showStep } from './steps.ts'

export function offerPages(app: FastifyInstance, steps: StepPagePorts, checkout: CheckoutPorts): void {
  formPages(app, steps)
  // Also for whatever only asks whether the link leads somewhere.
  const shown = { schema: { hide: true }, exposeHeadRoute: true }
  app.get('/offers/:offer', shown, async (request, reply) => {
    const namesPayment = Object.hasOwn(request.query as object, 'transaction')
    const waiting = namesPayment ? await waitingAt(checkout, request) : null
    const isOver = namesPayment && waiting === null
    if (!isOver) return showCheckout(checkout, request, reply, waiting)
    const ofOffer = { findOwner: checkout.find, savedCard: savedCardPart(checkout, request) }
    return showStep(steps, ofOffer, request, reply)
  })
  // As some programs write links. Our own have no such end, and a cookie belongs to an address letter by letter.
  app.get<{ Params: { offer: string } }>('/offers/:offer/', shown, ({ params, url }, reply) => {
    const [, query] = url.split(/\?(.*)/s)
    const path = `${rootOf(checkout.baseUrl())}/offers/${encodeURIComponent(params.offer)}`
    return reply.redirect(query === undefined ? path : `${path}?${query}`, 308)
  })
}
