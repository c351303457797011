// A few mails at once: each costs work. Others wait, not too many of them, and the rest may come again later. Networks take turns, and
// none has them all: one that brings many large mails does not make the others wait. Whose DNS does not answer waits outside, without
// a turn, or a few such mails would stop everybody's; and of one network only some may.

import { createSharedTurns, Shares } from '../../core/shared-turns.ts'
import { networkOf } from '../../core/tries.ts'
import { createTurns } from '../../core/turns.ts'
import type { Envelope, Taken } from './ports.ts'

export type Take = (envelope: Envelope, raw: Buffer) => Promise<Taken>

/** An IPv4 address or an IPv6 /64. Null: nobody said where the mail came from; all such mail counts as of one network. */
export type MailNetwork = string | null

export const mailNetworkOf = (clientAddress: string | null): MailNetwork =>
  clientAddress === null ? null : networkOf(clientAddress)

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

const usual: Turns = { atOnceMax: 8, waitingMax: 64, outsideMax: 64, outsidePerNetworkMax: 8, waitingPerNetworkMax: 24 }
export const tooManyAtOnce: Taken = {
  kind: 'not_now',
  enhanced: '4.3.2',
  sentence: 'Too many mails at once. Try again later.',
}

export function inTurn(take: (...mail: [...Parameters<Take>, Turn]) => Promise<Taken>, limits: Turns = usual): Take {
  const queue = createQueue(limits)
  const outside = createOutside(limits)
  const turn: Turn = {
    async outside(clientAddress, wait) {
      const network = mailNetworkOf(clientAddress)
      queue.leave(network)
      try {
        return await outside(network, wait)
      } finally {
        await queue.enter(network)
      }
    },
  }
  return async (envelope, raw) => {
    const network = mailNetworkOf(envelope.clientAddress)
    if (!queue.hasRoomFor(network)) return tooManyAtOnce
    await queue.enter(network)
    try {
      return await take(envelope, raw, turn)
    } finally {
      queue.leave(network)
    }
  }
}

/** Networks take turns; the mails of one keep their order. */
function createQueue({ atOnceMax, waitingMax }: Turns) {
  const working = createSharedTurns<MailNetwork>(atOnceMax)
  const waiting = new Shares<MailNetwork>(waitingMax)
  return {
    hasRoomFor: (network: MailNetwork) => working.isFreeFor(network) || waiting.hasRoomFor(network),
    async enter(network: MailNetwork): Promise<void> {
      const turn = working.enter(network)
      if (turn === null) return
      waiting.enter(network)
      await turn
      waiting.leave(network)
    },
    leave: working.leave,
  }
}

function createOutside(limits: Turns): <Value>(network: MailNetwork, wait: () => Promise<Value>) => Outside<Value> {
  const turns = createTurns(limits.outsidePerNetworkMax, limits.waitingPerNetworkMax)
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
    const turn = await turns.enter(network)
    if (turn === null) return null
    try {
      return await counted(wait)
    } finally {
      turn.end()
    }
  }
}

type Outside<Value> = Promise<{ readonly value: Value } | null>
