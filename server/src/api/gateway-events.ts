// Where gateways post what they tell by themselves. They have no credentials of ours: a notice proves itself, to the
// adapter, by how it is signed. It is neither parsed nor logged here. Requests are counted before anything is done for them: what is
// too much is refused without its body, a look into the database, or opening credentials.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type GatewayId, type MerchantId, parseGatewayId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { At, Heard } from '../core/notice.ts'
import { networkOf } from '../core/tries.ts'
import { bodyParser } from '../http/bodies.ts'
import { ApiError } from '../http/errors.ts'
import { takePlaceFor } from '../http/hold-places.ts'
import { createThrottle, type Taken } from '../http/throttle.ts'
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
/** From one network: for one gateway and not authentic, or for none that there is. */
const falseNotices = { perS: 1, burst: 20 }
const knownMax = 10_000

export function gatewayEventRoutes(
  app: FastifyInstance,
  notices: GatewayEventPorts,
  { finish, requestsPerS }: Pick<ApiPorts, 'finish' | 'requestsPerS'>,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    bodyParser(body => body),
  )
  const limits = requestLimits(requestsPerS)
  // The merchant's own application does not call it, so it is not in the document for it.
  const options = {
    schema: { hide: true },
    bodyLimit: bodyBytesMax,
    onRequest: async (request: FastifyRequest<OfGateway>) => limits.count(sourceOf(request)),
  }
  app.post<OfGateway>('/gateways/:id/events', options, async (request, reply) => {
    const source = sourceOf(request)
    const at = await placeOf(notices, source.gatewayId)
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const notice = at === null ? nothing : await notices.read(at, body, request.headers)
    if (at !== null) limits.remember(at.gatewayId)
    if (at === null || notice.kind !== 'authentic') {
      limits.countFalse(source)
      throw refusalOf(notice)
    }
    request.server.strangers.giveBack(request)
    await takePlaceFor(request, at.merchantId)
    if ((await finish(notice.follow())) === 'not_now') throw sayAgain()
    return reply.send(answerText({ received: true }))
  })
}

interface OfGateway {
  Params: { readonly id: string }
}

/** `gatewayId` is null where the path can be the id of none. */
interface Source {
  readonly network: string
  readonly gatewayId: GatewayId | null
}

function sourceOf({ ip, params }: FastifyRequest<OfGateway>): Source {
  return { network: networkOf(ip), gatewayId: parseGatewayId(params.id) }
}

/**
 * A network and a gateway have as many requests as a merchant has. False ones are few: who has sent those waits, for that gateway only,
 * so that a wrong secret of one does not hold up others whose notices come from the same machines. Stray ones, for gateways that are not
 * known, do not hold up those that are.
 */
function requestLimits(requestsPerS: number) {
  const ofNetwork = createThrottle({ perS: requestsPerS, burst: requestsPerS })
  const ofGateway = createThrottle({ perS: requestsPerS, burst: requestsPerS })
  const ofFalse = createThrottle(falseNotices)
  const known = new Set<GatewayId>()
  const falseName = ({ network, gatewayId }: Source) =>
    gatewayId !== null && known.has(gatewayId) ? `${network} ${gatewayId}` : network
  return {
    count(source: Source): void {
      refuse(ofNetwork.take(source.network))
      refuse(ofFalse.left(falseName(source)))
      if (source.gatewayId !== null) refuse(ofGateway.take(source.gatewayId))
    },
    countFalse(source: Source): void {
      ofFalse.take(falseName(source))
    },
    remember(gatewayId: GatewayId): void {
      if (known.size >= knownMax) known.clear()
      known.add(gatewayId)
    },
  }
}

const nothing = { kind: 'tells_nothing' } as const

async function placeOf({ ownerOf }: GatewayEventPorts, gatewayId: GatewayId | null): Promise<At | null> {
  const merchantId = gatewayId === null ? null : await ownerOf(gatewayId)
  return gatewayId === null || merchantId === null ? null : { merchantId, gatewayId }
}

function refuse(taken: Taken): void {
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
