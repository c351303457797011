// What an endpoint did right and wrong.

import type { HookKind } from './records.ts'

export type CheckStep =
  | 'good'
  | 'bad_signature'
  | 'altered'
  | 'unsigned'
  | 'duplicate'
  /** A pair: the later of two is sent first. */
  | 'newer'
  | 'older'

/** `says_nothing`: a good one is refused as well, so that refusing this one proves nothing. */
export type CheckVerdict = 'right' | 'wrong' | 'says_nothing' | 'not_sent'

/** What is to be said about an answer; the dashboard has the words. */
export type CheckNote =
  | 'unreachable'
  | 'refuses_good'
  | 'breaks_on_good'
  | 'redirects'
  | 'believes_forged'
  | 'better_403'
  | 'breaks_on_forged'
  | 'refuses_duplicate'
  | 'refuses_order'
  | 'slow'

export interface CheckedStep {
  readonly step: CheckStep
  readonly expects: 'accepted' | 'refused'
  readonly verdict: CheckVerdict
  /** Null: no whole answer, and `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
  readonly duration_ms: number | null
  /** The beginning of the answer's body. */
  readonly answer: string | null
  readonly notes: readonly CheckNote[]
}

/** POST /console/endpoints/:id/check answers `{ check }` */
export interface CheckRecord {
  readonly endpoint: string
  readonly kind: HookKind
  readonly url: string
  readonly right: number
  readonly wrong: number
  readonly steps: readonly CheckedStep[]
}
