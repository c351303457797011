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

/** `round` says whether it left work that nothing needs to be waited for. */
export function createRounds(round: () => Promise<boolean>, failed: (error: unknown) => void): Rounds {
  let timer: NodeJS.Timeout | null = null
  let waitMs = 0
  let running: Promise<void> | null = null
  let wokenMeanwhile = false
  let goes = false

  function roundAfter(afterMs: number): void {
    if (!goes) return
    if (timer !== null) clearTimeout(timer)
    waitMs = afterMs
    timer = setTimeout(run, afterMs)
  }

  function run(): void {
    timer = null
    wokenMeanwhile = false
    running = round()
      .catch(error => {
        failed(error)
        return false
      })
      .then(leftSome => {
        running = null
        roundAfter(leftSome || wokenMeanwhile ? restMs : everyMs)
      })
  }

  return {
    begin() {
      goes = true
      roundAfter(0)
    },
    wake() {
      if (running !== null) wokenMeanwhile = true
      // One that comes soon anyway is not put off: who is woken every millisecond would never look.
      else if (timer === null || waitMs > restMs) roundAfter(0)
    },
    async end() {
      goes = false
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}
