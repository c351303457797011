// What a merchant looks at first: how much was paid over time, how the hooks do, and what needs a person.

import type { HookEndpoint } from './hook-endpoint.ts'
import type { TransactionId } from './ids.ts'
import type { Currency } from './money.ts'

/** In days of the viewer's zone; a day is shown by its hours. */
export const homeRanges = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const
export type HomeRange = keyof typeof homeRanges

/** Of the transactions that were created in some time. */
export interface Figures {
  readonly paidCount: number
  readonly paidMinor: bigint
  readonly refundedMinor: bigint
  readonly failedCount: number
}

export interface SalesCell extends Figures {
  readonly currency: Currency
  /** Which of `starts`, from 0. */
  readonly bucket: number
}

/** Two ranges of the same length, one after the other: the second is the one that was asked for. */
export interface SalesByTime {
  readonly starts: readonly Date[]
  readonly cells: readonly SalesCell[]
}

export interface CurrencyFigures {
  readonly currency: Currency
  readonly total: Figures
  readonly before: Figures
  readonly buckets: readonly (Figures & { readonly at: Date })[]
}

const nothing: Figures = { paidCount: 0, paidMinor: 0n, refundedMinor: 0n, failedCount: 0 }

/** A row for every currency, `own` first and even with nothing in it. */
export function figuresByCurrency({ starts, cells }: SalesByTime, own: Currency): CurrencyFigures[] {
  const half = starts.length / 2
  const byCurrency = Map.groupBy(cells, ({ currency }) => currency)
  if (!byCurrency.has(own)) byCurrency.set(own, [])
  return [...byCurrency]
    .map(([currency, all]) => {
      const isNow = ({ bucket }: SalesCell) => bucket >= half
      const byBucket = new Map(all.map(cell => [cell.bucket, cell]))
      const buckets = starts.slice(half).map((at, index) => ({ ...figuresOf(byBucket.get(half + index)), at }))
      return { currency, total: sum(all.filter(isNow)), before: sum(all.filter(cell => !isNow(cell))), buckets }
    })
    .filter(({ currency, total }) => currency === own || total.paidCount + total.failedCount > 0)
    .sort((a, b) => Number(b.currency === own) - Number(a.currency === own) || b.total.paidCount - a.total.paidCount)
}

function figuresOf(cell: Figures = nothing): Figures {
  const { paidCount, paidMinor, refundedMinor, failedCount } = cell
  return { paidCount, paidMinor, refundedMinor, failedCount }
}

function sum(all: readonly Figures[]): Figures {
  return all.reduce(
    (one, other) => ({
      paidCount: one.paidCount + other.paidCount,
      paidMinor: one.paidMinor + other.paidMinor,
      refundedMinor: one.refundedMinor + other.refundedMinor,
      failedCount: one.failedCount + other.failedCount,
    }),
    nothing,
  )
}

/** Null: nothing was paid, and nothing failed. */
export function successRate({ paidCount, failedCount }: Figures): number | null {
  return paidCount + failedCount === 0 ? null : paidCount / (paidCount + failedCount)
}

export interface HookHealth {
  /** Attempts of the last 24 hours. */
  readonly delivered: number
  readonly failed: number
  /** Notifications that wait for their next attempt, or for their endpoint. */
  readonly waiting: number
  readonly oldestWaitingAt: Date | null
  readonly endpointsEnabled: number
  readonly endpointsPaused: number
}

export interface UntoldSale {
  readonly id: TransactionId
  readonly createdAt: Date
  readonly currency: Currency
  readonly amountMinor: bigint
}

/** Why, and of several the one that a person can do something about. `waiting`: nobody has been asked yet. */
export type UntoldCause = 'paused' | 'dropped' | 'failing' | 'waiting'

export interface Untold {
  readonly count: number
  readonly amounts: readonly { readonly currency: Currency; readonly amountMinor: bigint }[]
  /** The oldest few. */
  readonly first: readonly UntoldSale[]
  readonly cause: UntoldCause
  readonly andMore: boolean
}

export interface PausedNow extends Pick<HookEndpoint, 'id' | 'kind' | 'url' | 'pausedBecause'> {
  readonly failingSince: Date | null
}

export interface Attention {
  readonly inDoubt: { readonly count: number; readonly oldestAt: Date | null; readonly forPerson: number }
  readonly paused: readonly PausedNow[]
  readonly dropped: { readonly count: number; readonly since: Date }
  readonly disputesOpen: number
}

export interface FirstSteps {
  readonly gateway: boolean
  readonly offer: boolean
  readonly endpoint: boolean
  readonly payment: boolean
}
