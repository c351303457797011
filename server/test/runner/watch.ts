// Waits for somebody to save a source.

import { watch } from 'node:fs'
import { join } from 'node:path'
import { root } from './places.ts'

const watched = ['server/src', 'server/test', 'sdk/src', 'dashboard/src', 'storm']
/** An editor writes a file in several steps. */
const quietMs = 50

/** True as soon as a TypeScript file below the sources was written and nothing more followed; false when `stop` says so. */
export function nextChange(stop: AbortSignal): Promise<boolean> {
  return new Promise(resolve => {
    let timer: NodeJS.Timeout | undefined
    const done = (changed: boolean) => {
      for (const watcher of watchers) watcher.close()
      resolve(changed)
    }
    const heard = (_: string, name: string | null) => {
      if (name === null || !/\.tsx?$/.test(name)) return
      clearTimeout(timer)
      timer = setTimeout(done, quietMs, true)
    }
    const watchers = watched.map(folder => watch(join(root, folder), { recursive: true }, heard))
    stop.addEventListener('abort', () => done(false), { once: true })
  })
}
