// What is behind an offer's address: the page of one payment where the address names it, else the page that sells it.

import type { FastifyInstance } from 'fastify'
import type { CheckoutPorts } from './checkout/ports.ts'
import { showCheckout } from './checkout/routes.ts'
import { formPages } from './form-pages.ts'
import { type StepPagePorts, showStep } from './steps.ts'

export function offerPages(app: FastifyInstance, steps: StepPagePorts, checkout: CheckoutPorts): void {
  formPages(app, steps)
  app.get('/offers/:offer', { schema: { hide: true } }, (request, reply) => {
    const namesPayment = Object.hasOwn(request.query as object, 'transaction')
    return namesPayment ? showStep(steps, request, reply) : showCheckout(checkout, request, reply)
  })
}
