// Where nobody said what to do with an error, it goes to the console: a hook that is refused or fails without a word is the hardest
// kind to find. Of what is no bug, only the sentence.

import { HookError } from './hook-errors.ts'
import { StillRunningError } from './still-running-error.ts'

export function reportError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: an application that wants another place gives onError
  console.error(isExpected(error) ? `${error.name}: ${error.message}` : error)
}

/** A log that fails must not change how a hook ends: keep its answer back, or have work that is done sent again. */
export function tellError(onError: (error: unknown) => unknown, error: unknown): void {
  try {
    // Not waited for: a slow log must not hold the answer. Whatever it returned may be a promise, not only one of ours.
    Promise.resolve(onError(error)).catch(reportError)
  } catch (another) {
    reportError(another)
  }
}

/** Where it was thrown says nothing then. */
function isExpected(error: unknown): error is Error {
  return error instanceof HookError || error instanceof StillRunningError
}
