// Token buckets in memory, one per name. Forgets names that have been quiet long enough to be full again.

export interface Throttle {
  /** Takes one; else the whole seconds to wait. */
  take(name: string): { readonly ok: true } | { readonly ok: false; readonly retryAfterS: number }
}

interface Bucket {
  tokens: number
  atMs: number
}

const namesMax = 10_000

export function createThrottle(limit: { readonly perS: number; readonly burst: number }): Throttle {
  const buckets = new Map<string, Bucket>()
  return {
    take(name) {
      const nowMs = performance.now()
      const bucket = buckets.get(name) ?? { tokens: limit.burst, atMs: nowMs }
      bucket.tokens = Math.min(limit.burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * limit.perS)
      bucket.atMs = nowMs
      if (buckets.size >= namesMax) forgetFull(buckets, limit, nowMs)
      buckets.set(name, bucket)
      if (bucket.tokens < 1) return { ok: false, retryAfterS: Math.ceil((1 - bucket.tokens) / limit.perS) }
      bucket.tokens -= 1
      return { ok: true }
    },
  }
}

function forgetFull(buckets: Map<string, Bucket>, limit: { perS: number; burst: number }, nowMs: number): void {
  for (const [name, { tokens, atMs }] of buckets) {
    if (tokens + ((nowMs - atMs) / 1_000) * limit.perS >= limit.burst) buckets.delete(name)
  }
  // Still too many names at once: forget them all rather than grow without bound.
  if (buckets.size >= namesMax) buckets.clear()
}
