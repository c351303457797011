// Deliveries for the tests of this room: what a test says of one counts, the rest is as usual.

import type { Attempt, AttemptResult, HeldDelivery } from '../../src/core/delivery.ts'
import type { DeliveryId, EndpointId, MerchantId, WorkerId } from '../../src/core/ids.ts'
import { afterAttempt, isAccepted } from '../../src/core/retry-schedule.ts'

export const noon = new Date('2026-11-15T12:00:00Z')

let made = 0

/** `endpoint` is its merchant's name, a dot, and its own: `a.1`. */
export function heldFor(endpoint: string, more: Partial<HeldDelivery> = {}): HeldDelivery {
  made += 1
  return {
    merchantId: merchantOf(endpoint),
    endpointId: endpoint as EndpointId,
    id: `d${made}` as DeliveryId,
    holder: 'w' as WorkerId,
    claimId: null,
    attempts: 0,
    url: `http://${endpoint}.test/`,
    timeoutMs: 15_000,
    standardWebhooks: false,
    sendsJson: false,
    endpointFails: false,
    keyId: 'k',
    details: '{}',
    state: 'pending',
    scheduledMade: 0,
    originalAt: null,
    lastAt: null,
    resendAt: null,
    ...more,
  }
}

/** A retry: not a first attempt. */
export function laterFor(endpoint: string, more: Partial<HeldDelivery> = {}): HeldDelivery {
  return heldFor(endpoint, { scheduledMade: 1, originalAt: noon, lastAt: noon, ...more })
}

export function merchantOf(endpoint: string): MerchantId {
  return endpoint.split('.')[0] as MerchantId
}

export function laneNamed(endpoint: string) {
  return { merchantId: merchantOf(endpoint), endpointId: endpoint as EndpointId }
}

export function attemptWith(status: number | null, at = noon): Attempt {
  return { at, status, reason: status === null ? 'The connection broke.' : null, durationMs: 7, response: '' }
}

export function resultOf(held: HeldDelivery, status: number | null = 200): AttemptResult {
  const attempt = attemptWith(status)
  const accepted = isAccepted(status)
  return {
    held,
    attempt,
    after: afterAttempt(held, { at: attempt.at, accepted }),
  }
}
