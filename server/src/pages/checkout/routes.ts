// The page of an offer: what is sold, the form that pays for it, and what becomes of that.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formPages } from '../form-pages.ts'
import type { CheckoutPorts } from './ports.ts'

/** `GET /offers/{id}`. */
export async function showCheckout(
  _ports: CheckoutPorts,
  _request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return reply.code(404).send('')
}

export function checkoutRoutes(app: FastifyInstance, ports: CheckoutPorts): void {
  formPages(app, ports)
}
