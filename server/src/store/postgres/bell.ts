/** Lets a loop sleep until its next round is due, somebody rings, or it is to end. */
export interface Bell {
  ring(): void
  wait(waitMaxMs: number, signal: AbortSignal): Promise<void>
}

export function createBell(): Bell {
  let wake = () => {}
  return {
    ring: () => wake(),
    wait: (waitMaxMs, signal) =>
      new Promise(resolve => {
        if (signal.aborted) return resolve()
        const timer = setTimeout(() => wake(), waitMaxMs)
        wake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          wake = () => {}
          resolve()
        }
        signal.addEventListener('abort', wake)
      }),
  }
}
