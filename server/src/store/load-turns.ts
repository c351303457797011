// One sale may have megabytes of refunds, and all merchants share the connections to the database and the event loop. So a merchant's are read
// a few at a time, and after a large one the next waits until others had their turn.

import type { MerchantId } from '../core/ids.ts'
import type { EarlierRequest } from '../core/ports.ts'
import type { Sale } from '../core/sale.ts'
import { createTurns, endAfterRest } from '../core/turns.ts'

/** A usual sale is read in a millisecond: four at a time are more than a merchant needs, and with rests leave the event loop more than half of its time. */
const atOnceMax = 4
/** `lengthOf`: of what was loaded, as text. */
export type InLoadTurn = <Loaded>(
  merchantId: MerchantId,
  load: () => Promise<Loaded>,
  lengthOf: (loaded: Loaded) => number,
) => Promise<Loaded>

export function createLoadTurns(): InLoadTurn {
  const turns = createTurns(atOnceMax)
  return async (merchantId, load, lengthOf) => {
    const turn = await turns.enter(merchantId)
    let length = 0
    try {
      const loaded = await load()
      length = lengthOf(loaded)
      return loaded
    } finally {
      if (turn !== null) endAfterRest(turn, length)
    }
  }
}

/** Of an operation without its notes. */
const operationLength = 500

/** What it may have much of: refunds, and their notes. */
export function lengthOfSale(sale: Sale | null): number {
  const lengths = (sale?.operations ?? []).map(
    ({ refundedBy, refundedReason }) => operationLength + (refundedBy?.length ?? 0) + (refundedReason?.length ?? 0),
  )
  return lengths.reduce((sum, length) => sum + length, 0)
}

export function lengthOfEarlier(earlier: EarlierRequest | null): number {
  if (earlier === null) return 0
  return earlier.first.kind === 'answer' ? earlier.first.text.length : lengthOfSale(earlier.first.sale)
}
