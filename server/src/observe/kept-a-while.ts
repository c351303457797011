// Answers that may be slow and are asked for often, such as figures over a million rows: the slower one was, the longer it is
// kept, and asked for by many at once it is worked out once. What is quick is never kept.

/** What is done in this time is not worth keeping. */
const cheapMs = 300
/** For each millisecond beyond that it is kept for so many, but no longer than this. */
const keptPerMs = 20
const keptMaxMs = 60_000
const keptMax = 1_000

interface Kept<Answer> {
  readonly answer: Promise<Answer>
  /** Null: it is being worked out. */
  untilMs: number | null
}

export function keptAWhile<Answer>(nowMs: () => number = () => performance.now()) {
  const kept = new Map<string, Kept<Answer>>()
  return async (name: string, work: () => Promise<Answer>): Promise<Answer> => {
    const beganMs = nowMs()
    const known = kept.get(name)
    if (known !== undefined && (known.untilMs === null || known.untilMs > beganMs)) return known.answer
    const entry: Kept<Answer> = { answer: work(), untilMs: null }
    forgetOld(kept, beganMs)
    kept.set(name, entry)
    try {
      const answer = await entry.answer
      const tookMs = nowMs() - beganMs
      const keptMs = Math.min((tookMs - cheapMs) * keptPerMs, keptMaxMs)
      entry.untilMs = keptMs > 0 ? nowMs() + keptMs : 0
      return answer
    } finally {
      if ((entry.untilMs ?? 0) === 0 && kept.get(name) === entry) kept.delete(name)
    }
  }
}

function forgetOld<Answer>(kept: Map<string, Kept<Answer>>, nowMs: number): void {
  if (kept.size < keptMax) return
  for (const [name, { untilMs }] of kept) if (untilMs !== null && untilMs <= nowMs) kept.delete(name)
  if (kept.size >= keptMax) kept.clear()
}
