// A few mails at once: each costs work. Others wait, not too many of them, and the rest may come again later. Whose DNS does not
// answer waits outside, without a turn, or a few such mails would stop everybody's; and of one network only some may.

import { networkOf } from '../../core/tries.ts'
import type { Envelope, Taken } from './ports.ts'

export type Take = (envelope: Envelope, raw: Buffer) => Promise<Taken>

export interface Turn {
  /** Waits for others without keeping the turn. Null: too many do so already. */
  outside<Value>(clientAddress: string | null, wait: () => Promise<Value>): Promise<{ readonly value: Value } | null>
}

/** For whoever brings one mail by itself. */
export const alone: Turn = { outside: async (_, wait) => ({ value: await wait() }) }

export interface Turns {
  readonly atOnceMax: number
  readonly waitingMax: number
  readonly outsideMax: number
  readonly outsidePerNetworkMax: number
}

const usual: Turns = { atOnceMax: 4, waitingMax: 64, outsideMax: 64, outsidePerNetworkMax: 8 }
export const tooManyAtOnce: Taken = {
  kind: 'not_now',
  enhanced: '4.3.2',
  sentence: 'Too many mails at once. Try again later.',
}

export function inTurn(take: (...mail: [...Parameters<Take>, Turn]) => Promise<Taken>, limits: Turns = usual): Take {
  const queue = createQueue(limits.atOnceMax)
  const mayWait = createCounts(limits)
  const turn: Turn = {
    async outside(clientAddress, wait) {
      const back = mayWait(clientAddress === null ? null : networkOf(clientAddress))
      if (back === null) return null
      queue.leave()
      try {
        return { value: await wait() }
      } finally {
        back()
        await queue.enter()
      }
    },
  }
  return async (envelope, raw) => {
    if (queue.length() >= limits.waitingMax) return tooManyAtOnce
    await queue.enter()
    try {
      return await take(envelope, raw, turn)
    } finally {
      queue.leave()
    }
  }
}

function createQueue(atOnceMax: number) {
  const waiting: (() => void)[] = []
  let atWork = 0
  return {
    length: () => waiting.length,
    async enter(): Promise<void> {
      if (atWork < atOnceMax) atWork += 1
      else await new Promise<void>(resolve => waiting.push(resolve))
    },
    leave(): void {
      const next = waiting.shift()
      if (next === undefined) atWork -= 1
      else next() // the turn is handed on, so that nobody comes in between
    },
  }
}

/** Who may wait outside gets what they call when they are back. */
function createCounts({ outsideMax, outsidePerNetworkMax }: Turns): (network: string | null) => (() => void) | null {
  const byNetwork = new Map<string, number>()
  let all = 0
  return network => {
    const ofNetwork = network === null ? 0 : (byNetwork.get(network) ?? 0)
    if (all >= outsideMax || ofNetwork >= outsidePerNetworkMax) return null
    all += 1
    if (network !== null) byNetwork.set(network, ofNetwork + 1)
    return () => {
      all -= 1
      if (network === null) return
      const left = (byNetwork.get(network) ?? 0) - 1
      if (left > 0) byNetwork.set(network, left)
      else byNetwork.delete(network)
    }
  }
}
