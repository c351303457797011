// Held in a worker's name, but not in its hand: a commit that went through unheard, or a bug. What is seen so twice is
// freed; once is not enough, because one that is just being claimed or settled is on its way.

import type { LaneName } from '../core/delivery.ts'
import type { DeliveryId, MerchantId, WorkerId } from '../core/ids.ts'

export interface StrayStore {
  listHeld(holder: WorkerId): Promise<readonly (LaneName & { readonly id: DeliveryId })[]>
  freeSome(merchantId: MerchantId, holder: WorkerId, ids: readonly DeliveryId[]): Promise<void>
}

export interface StrayWorld {
  readonly store: StrayStore
  readonly isInHand: (id: DeliveryId) => boolean
  readonly freed: (count: number) => void
}

export function strayCatcher({ store, isInHand, freed }: StrayWorld): (holder: WorkerId) => Promise<void> {
  let seenBefore: ReadonlySet<DeliveryId> = new Set()
  return async holder => {
    const astray = (await store.listHeld(holder)).filter(({ id }) => !isInHand(id))
    const again = astray.filter(({ id }) => seenBefore.has(id))
    seenBefore = new Set(astray.map(({ id }) => id))
    for (const [merchantId, own] of Map.groupBy(again, row => row.merchantId)) {
      const ids = own.map(({ id }) => id)
      await store.freeSome(merchantId, holder, ids)
      freed(ids.length)
    }
  }
}
