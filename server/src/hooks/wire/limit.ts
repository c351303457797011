// A time by which something must be done, and how it is called when it was not.

export interface Limit {
  readonly untilMs: number
  /** All that there was at the beginning. */
  readonly wholeMs: number
}

export function limitOf(startedMs: number, ms: number): Limit {
  return { untilMs: startedMs + ms, wholeMs: ms }
}

/** `within 5 s`. */
export function textOf({ wholeMs }: Limit): string {
  return `within ${wholeMs / 1_000} s`
}

/** Whole ones: timers of the same length share a list, and one of its own costs more than the rest of a timer. */
export function leftMs({ untilMs }: Limit): number {
  return Math.max(0, Math.ceil(untilMs - performance.now()))
}

/** One of several parts of the time that is left. */
export function shareOf(limit: Limit, parts: number): Limit {
  return { untilMs: performance.now() + leftMs(limit) / parts, wholeMs: limit.wholeMs }
}
