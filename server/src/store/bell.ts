// Waiting for what another process says: a notice of PostgreSQL that carries a name, for whoever waits for that name. One bell
// serves a process, and begins to listen when somebody waits for the first time.

import type { Database } from './database.ts'

export interface Ear {
  /** Until it has rung since the last wait, the time is over, or the signal says so. */
  wait(withinMs: number, signal?: AbortSignal): Promise<void>
  close(): void
}

export interface Bell {
  /** What rings from now on is heard. */
  earFor(name: string): Promise<Ear>
}

interface Hearing {
  hasRung: boolean
  wake: () => void
}

export function createBell(sql: Pick<Database, 'listen'>, channel: string, failed: (error: unknown) => void): Bell {
  const hearings = new Map<string, Set<Hearing>>()
  let listening: Promise<unknown> | null = null

  function ring(hearing: Hearing): void {
    hearing.hasRung = true
    hearing.wake()
  }

  function ringAll(): void {
    for (const some of hearings.values()) some.forEach(ring)
  }

  /** Where it fails, whoever waits looks for itself, only later. */
  function listen(): Promise<unknown> {
    listening ??= sql
      .listen(channel, name => hearings.get(name)?.forEach(ring), ringAll)
      .catch(error => {
        listening = null
        failed(error)
      })
    return listening
  }

  return {
    async earFor(name) {
      const hearing: Hearing = { hasRung: false, wake: () => {} }
      const some = hearings.get(name) ?? new Set()
      hearings.set(name, some.add(hearing))
      await listen()
      return {
        wait: (withinMs, signal) => heard(hearing, withinMs, signal),
        close() {
          some.delete(hearing)
          if (some.size === 0) hearings.delete(name)
        },
      }
    },
  }
}

async function heard(hearing: Hearing, withinMs: number, signal?: AbortSignal): Promise<void> {
  if (!hearing.hasRung && signal?.aborted !== true) {
    const { promise, resolve } = Promise.withResolvers<void>()
    hearing.wake = resolve
    const timer = setTimeout(resolve, withinMs)
    const abort = () => resolve()
    signal?.addEventListener('abort', abort)
    await promise
    clearTimeout(timer)
    // The signal may outlive a million waits.
    signal?.removeEventListener('abort', abort)
    hearing.wake = () => {}
  }
  hearing.hasRung = false
}
