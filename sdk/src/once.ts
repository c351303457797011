// Does the work of a notification once, though it may come several times: a retry, a resend, an answer that was lost on its way.
//
// A hook is claimed before the work and marked as done after it. While one holds the claim, another copy is answered 503 and so sent
// again: a 2xx for it would lose the hook if the first one fails, and to wait would only hold two requests instead of one. By the
// next attempt the first is over: done (2xx, nothing to do) or released (work). A process that dies holding a claim never says so,
// so claims run out. Work that takes longer than its claim can be done twice: give such work to a queue, and answer.

import { randomBytes, sha256Hex } from '#platform'
import type { NotificationHook } from './hook.ts'
import { reportError, tellError } from './report-error.ts'
import { StillRunningError } from './still-running-error.ts'

export interface HookStore {
  /**
   * Atomically: `done`, if it was marked so; `running`, if a claim on it has not run out; else `new`, and the claim is now
   * `holder`'s for `claimMs`.
   */
  claim(key: string, holder: string, claimMs: number): Promise<'new' | 'done' | 'running'>
  /** The work is done. Keep that for longer than hooks are sent again: 29 hours by themselves, 90 days by a resend. */
  done(key: string): Promise<void>
  /** The work failed. Gives the claim up, but only if it is still `holder`'s: another may have it by now. */
  release(key: string, holder: string): Promise<void>
}

export interface OnceOptions {
  /** Longer than the work takes, shorter than the five minutes until the next attempt. */
  readonly claimMs?: number
  /** Is given what the store throws after the work is done. Without it, the console is. */
  readonly onError?: (error: unknown) => unknown
}

const defaultClaimMs = 240_000

/**
 * Pre-Sale is not for it: that is asked once, and each time wants an answer. The key has the route in it, so that a Transaction
 * endpoint and a generic one, which get the same details, can share a store.
 */
export function once<Notification extends NotificationHook>(
  store: HookStore,
  handle: (hook: Notification) => unknown,
  { claimMs = defaultClaimMs, onError = reportError }: OnceOptions = {},
): (hook: Notification) => Promise<void> {
  return async hook => {
    const key = `${hook.route ?? hook.kind}:${hook.id}`
    const holder = newHolder()
    const found = await store.claim(key, holder, claimMs)
    if (found === 'done') return
    if (found === 'running') throw new StillRunningError()
    try {
      await handle(hook)
    } catch (error) {
      await afterWork(() => store.release(key, holder), onError) // the claim runs out by itself
      throw error
    }
    // The work is done. To fail now would have it sent again and done again: better to forget that it was done.
    await afterWork(() => store.done(key), onError)
  }
}

/** However the store fails: one of plain JavaScript may return no promise. */
async function afterWork(act: () => Promise<void>, onError: (error: unknown) => unknown): Promise<void> {
  try {
    await act()
  } catch (error) {
    tellError(onError, error)
  }
}

function newHolder(): string {
  return sha256Hex(String(randomBytes(16))).slice(0, 32)
}
