// Limits networks whose mail is refused again and again. A network that has used up its points is told to come later before
// anything that it sends is read: reading costs work, also when the message is refused in the end. So a message costs its point before
// it is read, and has it back afterwards.
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
/** If mail of another network was taken in this time, our own DNS server answers: whose does not is in trouble by itself. */
const dnsWorkedWithinMs = 10 * 60_000

export interface NetworkLimiter {
  /** Null: what this address sends is read. Else what it is told. */
  turnsAway(clientAddress: string | null): TurnedAway | null
  /** Before a message is read. It is to be said what became of it; null: it failed here. */
  reserve(clientAddress: string | null): (outcome: Outcome | null) => void
  /** What became of a message for which nothing was reserved. */
  count(clientAddress: string | null, outcome: Outcome): void
  /** Not the machine itself, nor networks that relay for everybody. */
  isCounted(clientAddress: string): boolean
}

/** As much of it as counts. */
interface Outcome extends Pick<Taken, 'kind'> {
  readonly isTooCostly?: true
  readonly isOverLimit?: true
  readonly isUndecided?: true
  readonly known?: boolean
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
  const change = (network: string | null, by: number) => {
    if (network !== null && by !== 0) points.add(network, by)
  }
  const lastTaken = new LastTaken()

  /** Nothing for what is dropped, which is automatic mail, for what was taken before, nor where we ourselves are in trouble. */
  const pointsFor = (network: string | null, outcome: Outcome): number => {
    const { kind, isTooCostly, isOverLimit, isUndecided, known = false } = outcome
    if (isTooCostly) return -costlyPoints
    if (kind === 'refused' || isOverLimit) return -1
    if (isUndecided) return lastTaken.isOfAnother(network, nowMs() - dnsWorkedWithinMs) ? -1 : 0
    if (kind !== 'taken' || known) return 0
    lastTaken.add(network, nowMs())
    return 1
  }
  return {
    turnsAway(clientAddress) {
      const network = counted(clientAddress)
      return network === null || points.of(network) >= 1 ? null : tooManyRefused
    },
    reserve(clientAddress) {
      const network = counted(clientAddress)
      const reserved = network === null ? 0 : Math.min(1, points.of(network))
      change(network, -reserved)
      return outcome => change(network, reserved + (outcome === null ? 0 : pointsFor(network, outcome)))
    },
    count(clientAddress, outcome) {
      const network = counted(clientAddress)
      change(network, pointsFor(network, outcome))
    },
    isCounted: clientAddress => counted(clientAddress) !== null,
  }
}

/** When mail was last taken, of two networks: for each network, one of them is another. */
class LastTaken {
  readonly #atMs = new Map<string | null, number>()

  add(network: string | null, nowMs: number): void {
    this.#atMs.delete(network)
    this.#atMs.set(network, nowMs)
    for (const oldest of this.#atMs.keys()) {
      if (this.#atMs.size <= 2) return
      this.#atMs.delete(oldest)
    }
  }

  isOfAnother(network: string | null, sinceMs: number): boolean {
    return [...this.#atMs].some(([each, atMs]) => each !== network && atMs >= sinceMs)
  }
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
