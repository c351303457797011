// Where nobody said what to do with an error, it goes to the console: a hook that is refused or fails without a word is the hardest
// kind to find. Of what strangers send, only the sentence.

import { HookError } from './hook-errors.ts'

export function reportError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: an application that wants another place gives onError
  console.error(error instanceof HookError ? `${error.name}: ${error.message}` : error)
}
