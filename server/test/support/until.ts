// Waits for something to become true, with a deadline that names it.

import { setTimeout as delay } from 'node:timers/promises'

export async function until(
  what: string,
  isTrue: () => Promise<boolean>,
  withinMs = 60_000,
  everyMs = 20,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(everyMs)
  }
}
