// What the run and its workers tell each other.

export interface Failure {
  /** The names of the suites around the test, and its own. */
  readonly test: string
  readonly text: string
}

export interface Summary {
  readonly passed: number
  readonly skipped: readonly string[]
  /** What tests say of themselves with `t.diagnostic`. */
  readonly notes: readonly string[]
  readonly failures: readonly Failure[]
}

export interface Ran extends Summary {
  readonly file: string
  readonly wallMs: number
  /** Of the worker alone: processes that the tests start are not in it. */
  readonly cpuMs: number
}

export type FromWorker = { readonly kind: 'ready' } | { readonly kind: 'ran'; readonly ran: Ran }

/** Null: there are no more. */
export interface ToWorker {
  readonly file: string | null
}
