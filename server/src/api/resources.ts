// The resources of REST, a file for each. Whoever asks for them, with an API key or at the dashboard, is the request's caller.

import type { FastifyInstance } from 'fastify'
import { cardLinkRoutes } from './card-links.ts'
import { creditCardRoutes } from './credit-cards.ts'
import { customerLinkRoutes } from './customer-links.ts'
import { customerRoutes } from './customers.ts'
import { gatewayRoutes } from './gateways.ts'
import { hookDeliveryRoutes } from './hook-deliveries.ts'
import { hookEndpointRoutes } from './hook-endpoints.ts'
import { letterRoutes } from './letters.ts'
import { mailSettingsRoutes } from './mail-settings.ts'
import { offerRoutes } from './offers.ts'
import { paymentPageRoutes } from './payment-page.ts'
import type { ApiPorts } from './ports.ts'
import { sandboxRoutes } from './sandbox.ts'
import { sandboxDisputeRoutes } from './sandbox-disputes.ts'
import { tokenRoutes } from './tokens.ts'
import { transactionRoutes } from './transactions.ts'

export function resourceRoutes(rest: FastifyInstance, ports: ApiPorts): void {
  transactionRoutes(rest, ports)
  offerRoutes(rest, ports)
  customerLinkRoutes(rest, ports)
  tokenRoutes(rest, ports)
  creditCardRoutes(rest, ports)
  cardLinkRoutes(rest, ports)
  gatewayRoutes(rest, ports)
  paymentPageRoutes(rest, ports)
  mailSettingsRoutes(rest, ports)
  customerRoutes(rest, ports)
  hookEndpointRoutes(rest, ports)
  hookDeliveryRoutes(rest, ports)
  letterRoutes(rest, ports)
  if (ports.sandbox === null) return
  sandboxRoutes(rest, ports, ports.sandbox)
  sandboxDisputeRoutes(rest, ports)
}
