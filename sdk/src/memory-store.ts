// Remembers in this process alone, and forgets when it ends. For one process whose work is harmless to do again after a restart, for
// development and for tests; otherwise the store is a table or a Redis.

import type { HookStore } from './once.ts'

export interface MemoryStoreOptions {
  /** Of what is done, the oldest is forgotten beyond that many. */
  readonly doneMax?: number
  /** Milliseconds that only go forward. */
  readonly now?: () => number
}

interface Claim {
  readonly holder: string
  readonly untilMs: number
}

export function memoryStore({ doneMax = 10_000, now = () => performance.now() }: MemoryStoreOptions = {}): HookStore {
  const claims = new Map<string, Claim>()
  const done = new Set<string>()
  return {
    async claim(key, holder, claimMs) {
      if (done.has(key)) return 'done'
      const claim = claims.get(key)
      if (claim !== undefined && claim.untilMs > now()) return 'running'
      // Work that never ends does not give its claim up.
      for (const [other, { untilMs }] of claims) if (untilMs <= now()) claims.delete(other)
      claims.set(key, { holder, untilMs: now() + claimMs })
      return 'new'
    },
    async done(key) {
      claims.delete(key)
      done.add(key)
      const [oldest] = done // a Set keeps the order in which things came
      if (done.size > doneMax && oldest !== undefined) done.delete(oldest)
    },
    async release(key, holder) {
      if (claims.get(key)?.holder === holder) claims.delete(key)
    },
  }
}
