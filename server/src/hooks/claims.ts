// The claims in this worker's hand, and what is left of each: one of which nothing is left ends, and whatever of it is still due may be
// taken up again. Nothing here fails: what the database was not told is found by comparing.

import type { HeldDelivery } from '../core/delivery.ts'
import type { ClaimId, DeliveryId, MerchantId } from '../core/ids.ts'

/** Of a claim that lasts: what has left it, and need not be listed by it any more. */
export interface Outlasting {
  readonly merchantId: MerchantId
  readonly id: ClaimId
  readonly left: readonly DeliveryId[]
}

export interface Claims {
  /** All that was taken up by one claim. */
  take(held: readonly HeldDelivery[]): void
  /** It is not in hand any more: its result is written, or it was given back. To leave twice is to leave once. */
  leave(held: HeldDelivery): void
  ids(): Set<ClaimId>
  /** Those that were here when this was last asked, and that something has left since. */
  outlasting(): Outlasting[]
  /** They are in other hands. */
  forgetAll(): void
}

interface Claim {
  readonly merchantId: MerchantId
  readonly inHand: Set<DeliveryId>
  left: DeliveryId[]
  isOld: boolean
}

export function createClaims(ended: (merchantId: MerchantId, id: ClaimId) => void): Claims {
  const claims = new Map<ClaimId, Claim>()
  return {
    take(held) {
      const [first] = held
      if (first === undefined || first.claimId === null) return
      const inHand = new Set(held.map(({ id }) => id))
      claims.set(first.claimId, { merchantId: first.merchantId, inHand, left: [], isOld: false })
    },
    leave({ merchantId, claimId, id }) {
      const claim = claimId === null ? undefined : claims.get(claimId)
      if (claimId === null || claim === undefined || !claim.inHand.delete(id)) return
      claim.left.push(id)
      if (claim.inHand.size > 0) return
      claims.delete(claimId)
      ended(merchantId, claimId)
    },
    ids: () => new Set(claims.keys()),
    outlasting() {
      const found: Outlasting[] = []
      for (const [id, claim] of claims) {
        if (claim.isOld && claim.left.length > 0) {
          found.push({ merchantId: claim.merchantId, id, left: claim.left })
          claim.left = []
        }
        claim.isOld = true
      }
      return found
    },
    forgetAll: () => claims.clear(),
  }
}
