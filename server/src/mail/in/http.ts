// Mail by HTTP: for operators whose mail is received by a provider, who posts it as it came.

import type { FastifyInstance } from 'fastify'
import type { Take } from './turns.ts'

export interface InboundRouteOptions {
  /** TILLBELL_MAIL_INBOUND_SECRET. */
  readonly secret: string
  readonly take: Take
}

/** `POST /mail/inbound`. */
export function inboundRoute(_app: FastifyInstance, _options: InboundRouteOptions): void {}
