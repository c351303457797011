// A few mails at once: each costs work. Others wait, not too many of them, and the rest may come again later. Whose DNS does not
// answer waits outside, without a turn, or a few such mails would stop everybody's; and of one network only some may.

import { networkOf } from '../../core/tries.ts'
import type { Envelope, Taken } from './ports.ts'

export type Take = (envelope: Envelope, raw: Buffer) => Promise<Taken>

export interface Turn {
  /** Waits for others without keeping the turn. Null: too many do so already, of all or of this network. */
  outside<Value>(clientAddress: string | null, wait: () => Promise<Value>): Outside<Value>
}

/** For whoever brings one mail by itself. */
export const alone: Turn = { outside: async (_, wait) => ({ value: await wait() }) }

export interface Turns {
  readonly atOnceMax: number
  readonly waitingMax: number
  readonly outsideMax: number
  readonly outsidePerNetworkMax: number
  /** Before those: a provider brings many at once, and DNS that answers is done with them soon. */
  readonly waitingPerNetworkMax: number
}

const usual: Turns = { atOnceMax: 4, waitingMax: 64, outsideMax: 64, outsidePerNetworkMax: 8, waitingPerNetworkMax: 24 }
export const tooManyAtOnce: Taken = {
  kind: 'not_now',
  enhanced: '4.3.2',
  sentence: 'Too many mails at once. Try again later.',
}

export function inTurn(take: (...mail: [...Parameters<Take>, Turn]) => Promise<Taken>, limits: Turns = usual): Take {
  const queue = createQueue(limits.atOnceMax)
  const outside = createOutside(limits)
  const turn: Turn = {
    async outside(clientAddress, wait) {
      queue.leave()
      try {
        return await outside(clientAddress === null ? null : networkOf(clientAddress), wait)
      } finally {
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
    isEmpty: () => atWork === 0,
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

function createOutside(limits: Turns): <Value>(network: string | null, wait: () => Promise<Value>) => Outside<Value> {
  const queues = new Map<string, ReturnType<typeof createQueue>>()
  let all = 0

  async function counted<Value>(wait: () => Promise<Value>): Outside<Value> {
    if (all >= limits.outsideMax) return null
    all += 1
    try {
      return { value: await wait() }
    } finally {
      all -= 1
    }
  }

  return async (network, wait) => {
    if (network === null) return counted(wait)
    const queue = queues.get(network) ?? createQueue(limits.outsidePerNetworkMax)
    if (queue.length() >= limits.waitingPerNetworkMax) return null
    queues.set(network, queue)
    await queue.enter()
    try {
      return await counted(wait)
    } finally {
      queue.leave()
      if (queue.isEmpty()) queues.delete(network)
    }
  }
}

type Outside<Value> = Promise<{ readonly value: Value } | null>
