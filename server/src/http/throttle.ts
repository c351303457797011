// Token buckets in memory, one per name. Forgets names that have been quiet long enough to be full again.

export interface ThrottleLimit {
  readonly perS: number
  readonly burst: number
  /** How many more may be taken before they are there. Whoever takes them waits until they would have been. */
  readonly waitingMax?: number
}

export interface Throttle {
  /** Takes one, or as many as are named; else the whole seconds to wait. */
  take(name: string, count?: number): Taken
  /** As if they had not been taken. */
  giveBack(name: string, count: number): void
  /** Takes as many also where they are not there: what is missing is waited for later. */
  charge(name: string, count: number): void
  /** What `take` would say, without taking one. */
  left(name: string): Taken
}

/** `afterMs`: 0, unless the limit lets some wait. */
export type Taken =
  | { readonly ok: true; readonly afterMs: number }
  | { readonly ok: false; readonly retryAfterS: number }

interface Bucket {
  tokens: number
  atMs: number
}

const namesMax = 10_000

export function createThrottle(limit: ThrottleLimit): Throttle {
  const { perS, burst, waitingMax = 0 } = limit
  const buckets = new Map<string, Bucket>()
  const bucketOf = (name: string, nowMs: number): Bucket => {
    const { tokens, atMs } = buckets.get(name) ?? { tokens: burst, atMs: nowMs }
    return { tokens: Math.min(burst, tokens + ((nowMs - atMs) / 1_000) * perS), atMs: nowMs }
  }
  const said = ({ tokens }: Bucket, count = 1): Taken => {
    const missing = count - tokens
    if (missing > waitingMax) return { ok: false, retryAfterS: Math.ceil((missing - waitingMax) / perS) }
    return { ok: true, afterMs: Math.max(0, (missing / perS) * 1_000) }
  }
  return {
    take(name, count = 1) {
      const nowMs = performance.now()
      const bucket = bucketOf(name, nowMs)
      if (buckets.size >= namesMax) forgetFull(buckets, limit, nowMs)
      buckets.set(name, bucket)
      const taken = said(bucket, count)
      if (taken.ok) bucket.tokens -= count
      return taken
    },
    giveBack(name, count) {
      const bucket = buckets.get(name)
      if (bucket !== undefined) bucket.tokens = Math.min(burst, bucket.tokens + count)
    },
    charge(name, count) {
      const bucket = bucketOf(name, performance.now())
      bucket.tokens -= count
      buckets.set(name, bucket)
    },
    left: name => said(bucketOf(name, performance.now())),
  }
}

function forgetFull(buckets: Map<string, Bucket>, limit: ThrottleLimit, nowMs: number): void {
  for (const [name, { tokens, atMs }] of buckets) {
    if (tokens + ((nowMs - atMs) / 1_000) * limit.perS >= limit.burst) buckets.delete(name)
  }
  // Still too many names at once: forget them all rather than grow without bound.
  if (buckets.size >= namesMax) buckets.clear()
}
