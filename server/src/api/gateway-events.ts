// Where gateways post what they tell by themselves. They have no credentials of ours: a notice proves itself, to the
// adapter, by how it is signed. It is neither parsed nor logged here. What proves nothing is slowed down by address, and
// what is authentic by merchant: nobody's false notices hold up a gateway's own.

import type { FastifyInstance } from 'fastify'
import { type GatewayId, type MerchantId, parseGatewayId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { At, Heard } from '../core/notice.ts'
import { ApiError } from '../http/errors.ts'
import { createThrottle, type Throttle } from '../http/throttle.ts'
import type { ApiPorts } from './ports.ts'

/** tells_nothing: gateways of its type post no notices. */
export type ReadNotice =
  | { readonly kind: 'authentic'; readonly follow: () => Promise<Heard> }
  | { readonly kind: 'not_authentic'; readonly sentence: string }
  | { readonly kind: 'tells_nothing' }

export interface GatewayEventPorts {
  readonly ownerOf: (gatewayId: GatewayId) => Promise<MerchantId | null>
  readonly read: (
    at: At,
    body: Buffer,
    headers: { readonly [name: string]: string | string[] | undefined },
  ) => Promise<ReadNotice>
}

const bodyBytesMax = 262_144
/** When the gateway may say it again; most have a schedule of their own. */
const sayAgainAfterS = 10
/** From one address: what comes from nobody, or is for nobody. */
const falseNotices = { perS: 1, burst: 20 }

export function gatewayEventRoutes(
  app: FastifyInstance,
  notices: GatewayEventPorts,
  { finish, requestsPerS }: Pick<ApiPorts, 'finish' | 'requestsPerS'>,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  const ofAddress = createThrottle(falseNotices)
  const ofMerchant = createThrottle({ perS: requestsPerS, burst: requestsPerS })
  // The merchant's own application does not call it, so it is not in the document for it.
  const options = { schema: { hide: true }, bodyLimit: bodyBytesMax }
  app.post<{ Params: { readonly id: string } }>('/gateways/:id/events', options, async (request, reply) => {
    const at = await placeOf(notices, request.params.id)
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const notice = at === null ? nothing : await notices.read(at, body, request.headers)
    if (at === null || notice.kind !== 'authentic') {
      take(ofAddress, request.ip)
      throw refusalOf(notice)
    }
    take(ofMerchant, at.merchantId)
    if ((await finish(notice.follow())) === 'not_now') throw sayAgain()
    return reply.send(answerText({ received: true }))
  })
}

const nothing = { kind: 'tells_nothing' } as const

async function placeOf({ ownerOf }: GatewayEventPorts, id: string): Promise<At | null> {
  const gatewayId = parseGatewayId(id)
  const merchantId = gatewayId === null ? null : await ownerOf(gatewayId)
  return gatewayId === null || merchantId === null ? null : { merchantId, gatewayId }
}

function take(throttle: Throttle, name: string): void {
  const taken = throttle.take(name)
  if (!taken.ok) throw ApiError.tooMany('Too many notices.', taken.retryAfterS)
}

function refusalOf(notice: ReadNotice): ApiError {
  if (notice.kind === 'not_authentic') return new ApiError(400, { general: notice.sentence })
  return new ApiError(404, { general: 'No gateway tells anything here.' })
}

function sayAgain(): ApiError {
  const general = 'The notice cannot be followed up just now. Send it again later.'
  return new ApiError(503, { general }, { 'Retry-After': String(sayAgainAfterS) })
}
