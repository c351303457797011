// Work that may be slow and is asked for often: counting a million rows for a scrape every few seconds.

/** Of all time, the share that it may take. */
const share = 0.05
/** What is done in this time is not worth sparing. */
const cheapMs = 250

/** Does it when asked, but not again so soon that it would take more than its share: then what it did last stands. */
export function sparingly(
  work: () => Promise<void>,
  nowMs: () => number = () => performance.now(),
): () => Promise<void> {
  let running: Promise<void> | null = null
  let notBeforeMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (running !== null) return running
    const beganMs = nowMs()
    if (beganMs < notBeforeMs) return
    running = work().finally(() => {
      running = null
      const endedMs = nowMs()
      const tookMs = endedMs - beganMs
      if (tookMs > cheapMs) notBeforeMs = endedMs + tookMs / share
    })
    return running
  }
}
