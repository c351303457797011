import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Surroundings } from '../../src/store/postgres/cluster.ts'
import type { EmbeddedDatabase } from '../../src/store/postgres/embedded.ts'
import { atEnd } from './temporary-folder.ts'

export interface Opening {
  readonly dataFolder: string
  readonly as: 'owner' | 'guest'
  readonly surroundings?: Surroundings
  /** Who it runs as; this test's own account where it is not said. */
  readonly account?: { uid: number; gid: number }
}

type Told =
  | ({ readonly event: 'open' } & Omit<EmbeddedDatabase, 'close'>)
  | { readonly event: 'refused'; readonly name: string; readonly text: string }
  | { readonly event: 'closed' }
  | { readonly event: 'log'; readonly level: string; readonly text: string }

export interface Elsewhere {
  readonly pid: number
  /** What came of opening. */
  opened(): Promise<Told>
  /** Closes, and waits until the process has ended by itself. */
  close(): Promise<void>
  kill(): Promise<void>
}

// Reading the same files again in each process would take a good part of the tests' time.
const compiled = mkdtempSync(join(tmpdir(), 'tb-compiled-'))
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

/** Opens in another process, which is killed at the end of the test if it still runs. */
export function openElsewhere(t: TestContext, { account, ...opening }: Opening): Elsewhere {
  const script = fileURLToPath(new URL('./hold-open.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(opening)], {
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: '/tmp', ...(account === undefined ? { NODE_COMPILE_CACHE: compiled } : {}) },
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of its own, so that an initialisation can be killed together with the programs it runs.
    detached: true,
    ...account,
  })
  const exited = once(child, 'exit')
  const result = firstResult(child)
  result.catch(() => {})
  atEnd(t, async () => endGroup(child))
  return {
    pid: child.pid ?? 0,
    opened: () => result,
    async close() {
      child.stdin?.end()
      const [code] = await exited
      if (code !== 0) throw new Error(`the other process ended with ${code}`)
    },
    async kill() {
      endGroup(child)
      await exited
    },
  }
}

function firstResult(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('the other process has no output')
    // Read to its end, and not only to the result: the process would fail to write what nobody reads.
    createInterface(child.stdout)
      .on('line', line => {
        const told = JSON.parse(line) as Told
        if (told.event === 'open' || told.event === 'refused') resolve(told)
      })
      .on('close', () => reject(new Error('the other process ended without a word')))
  })
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
