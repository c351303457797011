// In which order requests begin. Their work is done in the turns of one event loop, and each step of a request waits for the end of a turn: a
// hundred requests of one merchant that begin at once make long turns for everybody. Where several merchants ask, they take turns, and only so
// many requests begin in a turn of the event loop that it stays short.

import type { MerchantId } from '../core/ids.ts'

export interface TurnsToBegin {
  /** Null: at once. */
  take(merchantId: MerchantId): Promise<void> | null
}

export interface Time {
  nowMs(): number
  /** In the next turn of the event loop. */
  afterTurn(then: () => void): void
}

const realTime: Time = {
  nowMs: () => performance.now(),
  afterTurn: then => void setImmediate(then),
}

/** After a turn that took longer, half as many begin in the next. */
const longTurnMs = 10
/** After a shorter one, one more. */
const shortTurnMs = 5
export const inTurnMax = 32
/** A merchant that has been the only one for so long waits for nobody. */
export const aloneAfterMs = 5_000

export function createTurnsToBegin(time = realTime): TurnsToBegin {
  /** Merchants that have waited longest for a turn come first. */
  const lines = new Map<MerchantId, (() => void)[]>()
  let begun = 0
  let inTurn = inTurnMax
  let turnBeganMs = 0
  let latest: MerchantId | null = null
  let anotherCameMs = Number.NEGATIVE_INFINITY

  function isAlone(merchantId: MerchantId): boolean {
    const nowMs = time.nowMs()
    if (latest !== null && latest !== merchantId) anotherCameMs = nowMs
    latest = merchantId
    return nowMs - anotherCameMs > aloneAfterMs
  }

  function begin(): void {
    begun += 1
    if (begun > 1) return
    turnBeganMs = time.nowMs()
    time.afterTurn(endTurn)
  }

  function endTurn(): void {
    const tookMs = time.nowMs() - turnBeganMs
    if (tookMs > longTurnMs) inTurn = Math.max(1, inTurn >> 1)
    else if (tookMs < shortTurnMs) inTurn = Math.min(inTurnMax, inTurn + 1)
    begun = 0
    while (begun < inTurn && lines.size > 0) letInNext()
  }

  function letInNext(): void {
    const [first] = lines
    if (first === undefined) return
    const [merchantId, line] = first
    const next = line.shift()
    lines.delete(merchantId)
    if (line.length > 0) lines.set(merchantId, line) // its others come after everybody else
    begin()
    next?.()
  }

  return {
    take(merchantId) {
      const alone = isAlone(merchantId)
      if (lines.size === 0 && (alone || begun < inTurn)) {
        if (!alone) begin()
        return null
      }
      const line = lines.get(merchantId) ?? []
      lines.set(merchantId, line)
      return new Promise(resolve => void line.push(resolve))
    },
  }
}
