// What the answer to something that moves money tells of it. Between the service and us may be proxies with pages of their own.

import type { Asked } from './ask.ts'

/**
 * `settled`: this try is over, and its key with it. `refused`: nothing was done; the same key serves the next try, in case an
 * earlier one is still on its way. `unknown`: it may have been done, or is being done: only the same again, under the same
 * key, cannot do it twice.
 */
export type RequestOutcome = 'settled' | 'refused' | 'unknown'

export function outcomeOf(asked: Asked<unknown>): RequestOutcome {
  if (asked.ok || hasRecord(asked.body)) return 'settled'
  // Of all refusals with 409, this one says that the first request is still being processed.
  const isRunning = asked.status === 409 && asked.retryAfterS !== null
  return asked.status === 0 || asked.status >= 500 || isRunning ? 'unknown' : 'refused'
}

/** The service itself says how the payment stands, also where the gateway declined or was not reached. */
function hasRecord(body: unknown): boolean {
  const record = (body as { transaction?: unknown } | null | undefined)?.transaction
  return typeof record === 'object' && record !== null
}
