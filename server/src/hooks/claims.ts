// The claims in this worker's hand, and how much of each: one of which nothing is left ends, and whatever of it is still due may be
// taken up again.

import type { HeldDelivery } from '../core/delivery.ts'
import type { ClaimId, MerchantId } from '../core/ids.ts'

export interface Claims {
  /** All that was taken up by one claim. */
  take(held: readonly HeldDelivery[]): void
  /** It is not in hand any more: its result is written, or it was given back. */
  leave(held: HeldDelivery): void
  has(id: ClaimId): boolean
  /** They are in other hands. */
  forgetAll(): void
}

export function createClaims(ended: (merchantId: MerchantId, id: ClaimId) => void): Claims {
  const left = new Map<ClaimId, number>()
  return {
    take(held) {
      const claimId = held[0]?.claimId ?? null
      if (claimId !== null) left.set(claimId, held.length)
    },
    leave({ merchantId, claimId }) {
      const count = claimId === null ? undefined : left.get(claimId)
      if (claimId === null || count === undefined) return
      if (count > 1) return void left.set(claimId, count - 1)
      left.delete(claimId)
      ended(merchantId, claimId)
    },
    has: id => left.has(id),
    forgetAll: () => left.clear(),
  }
}
