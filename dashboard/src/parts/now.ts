// The service's time. In the sandbox it may be days ahead of this machine's.

import { useSyncExternalStore } from 'react'
import { useMe } from '../ask/me.tsx'

const everyMs = 15_000
const listeners = new Set<() => void>()
let tickedAt = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, everyMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  tickedAt = Date.now()
  for (const listener of listeners) listener()
}

function snapshot(): number {
  // Nobody was told of what passed while nobody listened.
  if (timer === undefined) tickedAt = Date.now()
  return tickedAt
}

/** Renders anew every now and then. */
export function useNow(): Date {
  const { clock_offset_s } = useMe()
  return new Date(useSyncExternalStore(subscribe, snapshot) + clock_offset_s * 1_000)
}
