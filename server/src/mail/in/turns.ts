// A few mails at once: each costs DNS and signatures. Others wait, not too many of them, and the rest may come again later.

import type { Envelope, Taken } from './ports.ts'

export type Take = (envelope: Envelope, raw: Buffer) => Promise<Taken>

export interface Turns {
  readonly atOnceMax: number
  readonly waitingMax: number
}

const tooMany: Taken = { kind: 'not_now', enhanced: '4.3.2', sentence: 'Too many mails at once. Try again later.' }

export function inTurn(take: Take, { atOnceMax, waitingMax }: Turns = { atOnceMax: 4, waitingMax: 64 }): Take {
  const waiting: (() => void)[] = []
  let atWork = 0
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) atWork -= 1
    else next() // the turn is handed on, so that nobody comes in between
  }
  return async (envelope, raw) => {
    if (atWork < atOnceMax) atWork += 1
    else if (waiting.length < waitingMax) await new Promise<void>(resolve => waiting.push(resolve))
    else return tooMany
    try {
      return await take(envelope, raw)
    } finally {
      leave()
    }
  }
}
