// The rhythm of looking into the database: every half second, at once when woken, never two rounds at the same time.

export interface Rounds {
  begin(): void
  /** Something may be due. */
  wake(): void
  /** No more; when the one that is under way is over. */
  end(): Promise<void>
}

const everyMs = 500
/** A rest between rounds however often it is woken: many who wake it share a round. */
const restMs = 20
/** Looking takes at most a fifth of the time, however many lanes there are. */
const restPerRound = 4

/** `round` says whether it left work that nothing needs to be waited for. */
export function createRounds(round: () => Promise<boolean>, failed: (error: unknown) => void): Rounds {
  let timer: NodeJS.Timeout | null = null
  let dueMs = Number.POSITIVE_INFINITY
  let restsUntilMs = 0
  let running: Promise<void> | null = null
  let wokenMeanwhile = false
  let goes = false

  /** Not before the last one's rest is over; and one that comes sooner anyway is not put off. */
  function roundAfter(afterMs: number): void {
    const atMs = Math.max(performance.now() + afterMs, restsUntilMs)
    if (!goes || (timer !== null && dueMs <= atMs)) return
    if (timer !== null) clearTimeout(timer)
    dueMs = atMs
    timer = setTimeout(run, Math.max(0, atMs - performance.now()))
  }

  function run(): void {
    timer = null
    wokenMeanwhile = false
    const beganMs = performance.now()
    running = round()
      .catch(error => {
        failed(error)
        return false
      })
      .then(leftSome => {
        running = null
        const nowMs = performance.now()
        restsUntilMs = nowMs + Math.max(restMs, restPerRound * (nowMs - beganMs))
        roundAfter(leftSome || wokenMeanwhile ? 0 : everyMs)
      })
  }

  return {
    begin() {
      goes = true
      roundAfter(0)
    },
    wake() {
      if (running !== null) wokenMeanwhile = true
      else roundAfter(0)
    },
    async end() {
      goes = false
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}
