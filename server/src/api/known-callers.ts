// Whose share a request has, before its credentials are looked up: that of the merchant who showed the same pair before. It opens
// nothing, and a wrong pair for a known key has no part in the merchant's share. Strangers share by address.

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { MerchantId } from '../core/ids.ts'
import { networkOf } from '../core/tries.ts'
import type { Known } from '../http/strangers.ts'
import type { Throttle } from '../http/throttle.ts'
import { credentialsFrom } from './authenticate.ts'

const knownMax = 10_000

export function knownCallers(throttle: Throttle) {
  const merchants = new Map<string, MerchantId>()
  const merchantOf = (request: FastifyRequest): MerchantId | null => {
    const shown = shownBy(request)
    return (shown === null ? undefined : merchants.get(shown)) ?? null
  }
  return {
    /** Null: nobody whose credentials were right before. */
    callerOf(request: FastifyRequest): Known | null {
      const name = merchantOf(request)
      return name === null ? null : { name, throttle }
    },
    nameOf: (request: FastifyRequest): string => merchantOf(request) ?? networkOf(request.ip),
    /** They are right no more: the key was revoked. */
    forget(request: FastifyRequest): void {
      const shown = shownBy(request)
      if (shown !== null) merchants.delete(shown)
    },
    remember(request: FastifyRequest, merchantId: MerchantId): Known {
      const shown = shownBy(request)
      if (shown !== null && !merchants.has(shown)) {
        if (merchants.size >= knownMax) merchants.clear()
        merchants.set(shown, merchantId)
      }
      return { name: merchantId, throttle }
    },
  }
}

/** However it is written: one pair has one place. Not the secret itself, which would stay in memory. */
function shownBy({ headers: { authorization } }: FastifyRequest): string | null {
  const pair = credentialsFrom(authorization)
  return pair === null ? null : hash('sha256', `${pair.key}:${pair.secret}`, 'base64')
}
