// Token buckets in memory, one per name. Forgets names that have been quiet long enough to be full again.

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

export type Taken = { readonly ok: true } | { readonly ok: false; readonly retryAfterS: number }

interface Bucket {
  tokens: number
  atMs: number
}

const namesMax = 10_000

export function createThrottle(limit: { readonly perS: number; readonly burst: number }): Throttle {
  const buckets = new Map<string, Bucket>()
  const bucketOf = (name: string, nowMs: number): Bucket => {
    const { tokens, atMs } = buckets.get(name) ?? { tokens: limit.burst, atMs: nowMs }
    return { tokens: Math.min(limit.burst, tokens + ((nowMs - atMs) / 1_000) * limit.perS), atMs: nowMs }
  }
  const said = ({ tokens }: Bucket, count = 1): Taken =>
    tokens < count ? { ok: false, retryAfterS: Math.ceil((count - tokens) / limit.perS) } : { ok: true }
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
      if (bucket !== undefined) bucket.tokens = Math.min(limit.burst, bucket.tokens + count)
    },
    charge(name, count) {
      const bucket = bucketOf(name, performance.now())
      bucket.tokens -= count
      buckets.set(name, bucket)
    },
    left: name => said(bucketOf(name, performance.now())),
  }
}

function forgetFull(buckets: Map<string, Bucket>, limit: { perS: number; burst: number }, nowMs: number): void {
  for (const [name, { tokens, atMs }] of buckets) {
    if (tokens + ((nowMs - atMs) / 1_000) * limit.perS >= limit.burst) buckets.delete(name)
  }
  // Still too many names at once: forget them all rather than grow without bound.
  if (buckets.size >= namesMax) buckets.clear()
}
