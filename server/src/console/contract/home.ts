// What a merchant looks at first: GET /console/home is what may need somebody, and is there at once; GET /console/home/sales
// is what was sold, and may take a second or two where much was.

export type HomeRange = '24h' | '7d' | '30d' | '90d'

export interface Home {
  readonly hooks: HomeHooks
  readonly untold: HomeUntold
  readonly attention: HomeAttention
  readonly steps: HomeSteps
}

export interface HomeSales {
  readonly range: HomeRange
  readonly time_zone: string
  readonly bucket: 'hour' | 'day'
  readonly from: string
  readonly to: string
  /** The merchant's own currency first, then as paid most often. */
  readonly currencies: readonly HomeCurrency[]
}

/** Of the transactions created in that time. */
export interface HomeFigures {
  readonly paid_amount: string
  readonly paid_count: number
  /** What was given back of it since. */
  readonly refunded_amount: string
  readonly failed_count: number
}

export interface HomeCurrency extends HomeFigures {
  readonly currency: string
  /** From 0 to 1; null: nothing was paid, and nothing failed. */
  readonly success_rate: number | null
  /** The same of the range before, up to as far into it as this one is. */
  readonly before: HomeFigures & { readonly success_rate: number | null }
  readonly buckets: readonly (HomeFigures & { readonly at: string })[]
}

export interface HomeHooks {
  /** Of the last 24 hours. */
  readonly delivered: number
  readonly failed: number
  readonly waiting: number
  readonly oldest_waiting_at: string | null
  readonly endpoints_enabled: number
  readonly endpoints_paused: number
}

/** Paid, and no endpoint has taken word of it. */
export interface HomeUntold {
  readonly count: number
  readonly amounts: readonly { readonly currency: string; readonly amount: string }[]
  /** The oldest few. */
  readonly transactions: readonly {
    readonly id: string
    readonly created_at: string
    readonly currency: string
    readonly amount: string
  }[]
  /** Why, and of several what a person can do something about; `waiting`: it is being told. */
  readonly cause: 'paused' | 'dropped' | 'failing' | 'waiting'
  /** There are more than were counted. */
  readonly and_more: boolean
}

export interface HomeAttention {
  readonly in_doubt: { readonly count: number; readonly oldest_at: string | null; readonly for_person: number }
  readonly paused: readonly {
    readonly id: string
    readonly kind: string
    readonly url: string
    readonly because: 'asked' | 'failing' | null
    readonly failing_since: string | null
  }[]
  /** Dropped since then, and not resent. `count` stops at `count_max`. */
  readonly dropped: { readonly count: number; readonly since: string }
  readonly disputes: { readonly count: number }
  readonly count_max: number
}

/** What a new merchant does first, and whether it is done. */
export interface HomeSteps {
  readonly gateway: boolean
  readonly offer: boolean
  readonly endpoint: boolean
  readonly payment: boolean
}
