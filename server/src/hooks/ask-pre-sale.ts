// Pre-Sale: all endpoints are asked at the same time, each once. What they said is evidence; core decides what follows.

import { hookBody } from '@tillbell/sdk'
import { maskCardNumbers } from '../core/card-number.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Ports, PreSaleAnswer } from '../core/ports.ts'
import type { Post } from './wire/sender.ts'

export function preSaleAsker(
  privateKeyOf: (merchantId: MerchantId) => Promise<string>,
  post: Post,
): Ports['askPreSale'] {
  return async (merchantId, endpoints, details) => {
    const body = hookBody(details, await privateKeyOf(merchantId))
    return Promise.all(
      endpoints.map(async ({ id, url, timeoutMs, paused }): Promise<PreSaleAnswer> => {
        if (paused)
          return { endpointId: id, status: null, reason: 'The endpoint is paused.', durationMs: 0, answer: '' }
        const posted = await post({ url, body, timeoutMs })
        return { ...posted, endpointId: id, answer: storable(posted.answer) }
      }),
    )
  }
}

/** PostgreSQL's text holds no NUL, and nobody's card number may be kept. */
function storable(answer: string): string {
  return maskCardNumbers(answer.replaceAll('\0', '\uFFFD'))
}
