// Pre-Sale: all endpoints are asked at the same time, each once. What they said is evidence; core decides what follows.

import type { LaneName } from '../core/delivery.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Ports, PreSaleAnswer, PreSaleEndpoint } from '../core/ports.ts'
import { signed } from './sign.ts'
import { storable } from './storable.ts'
import type { Post } from './wire/sender.ts'

export interface PreSaleWorld {
  readonly post: Post
  readonly privateKeyOf: (merchantId: MerchantId) => Promise<string>
  readonly secretsOf: (lane: LaneName) => Promise<readonly string[]>
}

export function preSaleAsker(world: PreSaleWorld): Ports['askPreSale'] {
  return async (merchantId, endpoints, details) => {
    const privateKey = await world.privateKeyOf(merchantId)
    const ask = async ({ id, url, timeoutMs, paused, standardWebhooks }: PreSaleEndpoint): Promise<PreSaleAnswer> => {
      if (paused) return { endpointId: id, status: null, reason: 'The endpoint is paused.', durationMs: 0, answer: '' }
      const secrets = standardWebhooks ? await world.secretsOf({ merchantId, endpointId: id }) : []
      const messageId = `${JSON.parse(details).transaction}_${id}`
      const posted = await world.post({ url, timeoutMs, ...signed(messageId, details, privateKey, secrets) })
      return { ...posted, endpointId: id, answer: storable(posted.answer) }
    }
    return Promise.all(endpoints.map(ask))
  }
}
