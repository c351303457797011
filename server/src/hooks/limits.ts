// How much of what goes on at the same time.

/** Attempts in flight, per process. */
export const limits = {
  /** A new lane begins here; each success widens it by one, each failure halves it. */
  laneStart: 8,
  lane: 64,
  /** Of one that answers within so many ms in the mean: it can take more, and what is on its way to it covers what the machine does meanwhile. */
  quickLane: 128,
  quickMs: 50,
  laneMin: 4,
  merchant: 384,
  /** With those that take long. */
  merchantSockets: 768,
  /** With results that are not written yet, together as many as two statements take: a merchant whose rows are locked stops itself alone. */
  merchantUnwritten: 1_024,
  /** Not counting those that take long. */
  all: 1_024,
  /** All failing lanes together, and all that take long: the rest is room for those that work. */
  failing: 512,
  /** Of one failing lane, between two rounds: one that fails at once would otherwise be tried as fast as the machine can. */
  failingPerRound: 16,
  /** With those that take long. */
  sockets: 4_096,
  takesLongMs: 2_000,
  /** All attempts that are not the first: the rest is room for first attempts. */
  later: 768,
  /** Lanes with nothing to do whose width is remembered. */
  atRest: 10_000,
  /**
   * In memory are at most so many times as many as may be in flight: what is due beyond that stays in the database. A lane is claimed
   * anew when half of them have gone, so that a working one never waits for the database.
   */
  depth: 8,
  /** Of a lane that is slow there are fewer: none is to wait much longer in memory, where its endpoint's changes are not heard of. */
  waitMs: 500,
} as const

export type Limits = { readonly [Name in keyof typeof limits]: number }
