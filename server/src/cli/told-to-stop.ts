// When somebody wants a command to end that would go on for ever.

import { exitCodes } from './command.ts'

/** Ctrl-C reaches us from the terminal, and once more through npm: both are one wish. */
const sameWishMs = 500

/** The first signal asks politely, and so does a terminal that is closed (SIGHUP). A later one, of a person who will not wait, ends the process. */
export function whenToldToStop(): Promise<string> {
  let toldAtMs: number | null = null
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        toldAtMs ??= performance.now()
        if (performance.now() - toldAtMs > sameWishMs) process.exit(exitCodes.failed)
        resolve(signal)
      })
    }
  })
}
