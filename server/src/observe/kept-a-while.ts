// Answers that may be slow and are asked for often, such as figures over a million rows: each is kept for as long as keeps
// the work below its share of time, and asked for by many at once it is worked out once. What is quick is never kept.

/** Of all time, the share that one answer may take. */
const share = 0.05
/** What is done in this time is not worth keeping. */
const cheapMs = 100
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
      entry.untilMs = tookMs > cheapMs ? nowMs() + tookMs / share : 0
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
