// An example as a process of its own, as its README starts it.

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { end } from './process.ts'

export interface RunningShop {
  readonly url: string
  readonly printed: readonly string[]
  /** At once, without a chance to tidy up. */
  kill(): Promise<void>
}

export interface ShopProcess {
  readonly command: readonly [string, ...string[]]
  readonly folder: string
  readonly environment: { readonly [name: string]: string }
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Resolves when it says where it listens. */
export async function startShop({ command, folder, environment }: ShopProcess): Promise<RunningShop> {
  const [program, ...words] = command
  const ours = Object.entries(process.env).filter(([name]) => !/^(TILLBELL_|SHOP_|DATABASE_URL$|PORT$)/.test(name))
  const env = { ...Object.fromEntries(ours), ...environment }
  const child = spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const printed: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    const keep = (line: string) => {
      printed.push(line)
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
      if (found !== undefined) resolve(found)
    }
    createInterface({ input: child.stdout }).on('line', keep)
    createInterface({ input: child.stderr }).on('line', line => printed.push(line))
    child.once('error', reject)
    child.once('close', code => reject(new Error(`${program} ended with ${code}:\n${printed.join('\n')}`)))
  })
  return { url, printed, kill: () => end(child) }
}
