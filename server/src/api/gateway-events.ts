// Where gateways post what they tell by themselves. They have no credentials of ours: a notice proves itself, to the
// adapter, by how it is signed. It is neither parsed nor logged here.

import type { FastifyInstance } from 'fastify'
import { type GatewayId, type MerchantId, parseGatewayId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { At, Heard } from '../core/notice.ts'
import { ApiError } from './errors.ts'
import type { ApiPorts } from './ports.ts'
import { createThrottle } from './throttle.ts'

/** tells_nothing: gateways of its type post no notices. not_now: it should be sent again later. */
export type HeardNotice =
  | { readonly kind: Heard | 'tells_nothing' }
  | { readonly kind: 'not_authentic'; readonly sentence: string }

export interface GatewayEventPorts {
  readonly ownerOf: (gatewayId: GatewayId) => Promise<MerchantId | null>
  readonly hear: (
    at: At,
    body: Buffer,
    headers: { readonly [name: string]: string | string[] | undefined },
  ) => Promise<HeardNotice>
}

const bodyBytesMax = 262_144
/** When the gateway may say it again; most have a schedule of their own. */
const sayAgainAfterS = 10

const notHere = () => new ApiError(404, { general: 'No gateway tells anything here.' })

export function gatewayEventRoutes(
  app: FastifyInstance,
  notices: GatewayEventPorts,
  { finish, requestsPerS }: Pick<ApiPorts, 'finish' | 'requestsPerS'>,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  const throttle = createThrottle({ perS: requestsPerS, burst: requestsPerS })
  // The merchant's own application does not call it, so it is not in the document for it.
  const options = { schema: { hide: true }, bodyLimit: bodyBytesMax }
  app.post<{ Params: { readonly id: string } }>('/gateways/:id/events', options, async (request, reply) => {
    const gatewayId = parseGatewayId(request.params.id)
    const merchantId = gatewayId === null ? null : await notices.ownerOf(gatewayId)
    if (gatewayId === null || merchantId === null) throw notHere()
    const taken = throttle.take(merchantId)
    if (!taken.ok) throw ApiError.tooMany('Too many notices.', taken.retryAfterS)
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const heard = await finish(notices.hear({ merchantId, gatewayId }, body, request.headers))
    switch (heard.kind) {
      case 'done':
        return reply.send(answerText({ received: true }))
      case 'tells_nothing':
        throw notHere()
      case 'not_authentic':
        throw new ApiError(400, { general: heard.sentence })
      case 'not_now': {
        const general = 'The notice cannot be followed up just now. Send it again later.'
        throw new ApiError(503, { general }, { 'Retry-After': String(sayAgainAfterS) })
      }
    }
  })
}
