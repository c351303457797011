// The priority of threads that work on what strangers send.

import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** A third of what others get: at 10, a tenth, honest mail stood still on a machine with ten times as much to do as it has cores. */
const niceness = 5

/** Of the thread that calls it. Linux schedules each thread by itself: payments go first where there are not enough cores for both. */
export function giveWay(): void {
  try {
    const [, thread] = /task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (thread !== undefined) setPriority(Number(thread), niceness)
  } catch {
    // Elsewhere threads have no priority of their own.
  }
}
