// Held in a worker's name, but not in its hand: a commit that went through unheard, or a bug. What is seen so twice is
// freed; once is not enough, because one that is just being claimed or settled is on its way.

import type { MerchantId, WorkerId } from '../core/ids.ts'

/** A delivery that was born in its hand, or a claim. */
interface Held<Id> {
  readonly merchantId: MerchantId
  readonly id: Id
  /** How many deliveries it is. */
  readonly count: number
}

export interface StrayWorld<Id> {
  readonly list: (holder: WorkerId) => Promise<readonly Held<Id>[]>
  readonly free: (merchantId: MerchantId, holder: WorkerId, ids: readonly Id[]) => Promise<void>
  readonly inHand: () => ReadonlySet<Id>
  readonly freed: (count: number) => void
}

export function strayCatcher<Id>({ list, free, inHand, freed }: StrayWorld<Id>): (holder: WorkerId) => Promise<void> {
  let seenBefore: ReadonlySet<Id> = new Set()
  return async holder => {
    const listed = await list(holder)
    const known = inHand()
    const astray = listed.filter(({ id }) => !known.has(id))
    const again = astray.filter(({ id }) => seenBefore.has(id))
    seenBefore = new Set(astray.map(({ id }) => id))
    for (const [merchantId, own] of Map.groupBy(again, row => row.merchantId)) {
      await free(
        merchantId,
        holder,
        own.map(({ id }) => id),
      )
      freed(own.reduce((sum, { count }) => sum + count, 0))
    }
  }
}
