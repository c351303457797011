// Limits networks whose mail is refused again and again. A network that has used up its points is told to come later before
// anything that it sends is read: reading costs work, also when the message is refused in the end.
//
// The limits are for a stranger, and not for a provider with a few bad customers: mail that is taken gives points back, and a
// provider that relays a thousand good messages an hour may relay two thousand bad ones as well.

import { networkOf } from '../../core/tries.ts'
import { addressList } from './address-list.ts'
import type { Taken } from './ports.ts'

export interface NetworkLimits {
  /** What a network has at first, and at most. */
  readonly pointsMax: number
  /** How many come back by themselves. */
  readonly pointsPerMinute: number
  /** How many networks are remembered. */
  readonly networksMax: number
}

const usual: NetworkLimits = { pointsMax: 100, pointsPerMinute: 20, networksMax: 10_000 }

/** Reading such a message was given up after seconds. */
const costlyPoints = 20

export interface NetworkLimiter {
  /** Null: what this address sends is read. Else what it is told. */
  turnsAway(clientAddress: string | null): TurnedAway | null
  /** What became of a message from there. */
  count(clientAddress: string | null, outcome: Outcome): void
}

/** As much of it as counts. */
interface Outcome extends Pick<Taken, 'kind'> {
  readonly isTooCostly?: true
  readonly isOverLimit?: true
}

export type TurnedAway = Extract<Taken, { kind: 'not_now' }>

const tooManyRefused: TurnedAway = {
  kind: 'not_now',
  enhanced: '4.7.0',
  sentence: 'Too many mails from your network were refused lately. Try again later.',
}

/** `trusted`: networks that relay for everybody, as CIDR. They are not counted, and neither is this very machine. */
export function createNetworkLimiter(
  trusted: readonly string[] = [],
  given: Partial<NetworkLimits> = {},
  nowMs = () => performance.now(),
): NetworkLimiter {
  const limits = { ...usual, ...given }
  const points = new Points(limits, nowMs)
  const isExempt = addressList(['127.0.0.0/8', '::1', ...trusted])

  /** Null: it is not counted; nobody knows where it came from, or everybody's mail comes from there. */
  const counted = (clientAddress: string | null) => {
    if (clientAddress === null || isExempt(clientAddress)) return null
    return networkOf(clientAddress)
  }
  return {
    turnsAway(clientAddress) {
      const network = counted(clientAddress)
      return network === null || points.of(network) >= 1 ? null : tooManyRefused
    },
    count(clientAddress, outcome) {
      const network = counted(clientAddress)
      const change = pointsFor(outcome)
      if (network !== null && change !== 0) points.add(network, change)
    },
  }
}

/** Nothing for what is dropped, which is automatic mail, nor where DNS or we ourselves are in trouble. */
function pointsFor({ kind, isTooCostly, isOverLimit }: Outcome): number {
  if (isTooCostly) return -costlyPoints
  if (kind === 'refused' || isOverLimit) return -1
  return kind === 'taken' ? 1 : 0
}

/** By network. One that has all of its points is not remembered. */
class Points {
  readonly #limits: NetworkLimits
  readonly #nowMs: () => number
  readonly #known = new Map<string, { points: number; atMs: number }>()

  constructor(limits: NetworkLimits, nowMs: () => number) {
    this.#limits = limits
    this.#nowMs = nowMs
  }

  of(network: string): number {
    const { pointsMax, pointsPerMinute } = this.#limits
    const known = this.#known.get(network)
    if (known === undefined) return pointsMax
    const minutes = (this.#nowMs() - known.atMs) / 60_000
    return Math.min(pointsMax, known.points + minutes * pointsPerMinute)
  }

  add(network: string, change: number): void {
    const { pointsMax, networksMax } = this.#limits
    const points = Math.max(0, this.of(network) + change)
    this.#known.delete(network) // and so the one that was changed longest ago stands first
    if (points >= pointsMax) return
    this.#known.set(network, { points, atMs: this.#nowMs() })
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= networksMax) return
      this.#known.delete(oldest)
    }
  }
}
