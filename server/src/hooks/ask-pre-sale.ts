// Pre-Sale: all endpoints are asked at the same time, each once. What they said is evidence; core decides what follows.

import type { LaneName } from '../core/delivery.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Ports, PreSaleAnswer } from '../core/ports.ts'
import type { PostTo } from './relay.ts'
import { signed } from './sign.ts'
import { storable } from './storable.ts'

export interface PreSaleWorld {
  readonly post: PostTo
  readonly privateKey: (merchantId: MerchantId, keyId: string) => string | Promise<string>
  readonly secretsOf: (lane: LaneName) => Promise<readonly string[]>
  readonly worldNow: () => Date
  /** The service stops, and takes no answers of listeners any more. */
  readonly stopping: AbortSignal
}

export function preSaleAsker(world: PreSaleWorld): Ports['askPreSale'] {
  return async (merchantId, endpoints, details, askBy) => {
    const requests = await Promise.all(
      endpoints.map(async ({ id, url, timeoutMs, paused, standardWebhooks, sendsJson, keyId }) => {
        const privateKey = await world.privateKey(merchantId, keyId)
        const lane = { merchantId, endpointId: id }
        const secrets = standardWebhooks ? await world.secretsOf(lane) : []
        const messageId = `${JSON.parse(details).transaction}_${id}`
        const request = signed(messageId, details, { privateKey, secrets, sendsJson }, world.worldNow)
        return { id, paused, request: { lane, url, timeoutMs, ...request } }
      }),
    )
    // After all that can take long, and directly before it leaves.
    if (askBy.aborted) return null
    return Promise.all(
      requests.map(async ({ id, paused, request }): Promise<PreSaleAnswer> => {
        if (paused)
          return { endpointId: id, status: null, reason: 'The endpoint is paused.', durationMs: 0, answer: '' }
        const posted = await world.post({ ...request, cut: world.stopping })
        return { ...posted, endpointId: id, answer: storable(posted.answer) }
      }),
    )
  }
}
