// A service in a process of its own, so that it can be killed.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const tillbell = join(import.meta.dirname, '../../bin/tillbell.js')

export interface ServiceProcess {
  readonly baseUrl: string
  /** Where mail comes in; 0: not here. */
  readonly mailPort: number
  readonly child: ChildProcess
  readonly pid: number
  logged(): string
  /** Ends it at once, and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Far longer than a start takes on a machine that is busy with other tests. */
const startsWithinMs = 120_000

/** Resolves when it listens. `shell`: what a shell says before it. */
export async function spawnService(
  environment: { readonly [name: string]: string },
  shell?: string,
): Promise<ServiceProcess> {
  const ports = { TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
  const child = spawnTillbell(['serve'], { ...ports, TILLBELL_LOG: 'info', ...environment }, tillbell, shell)
  const lines: string[] = []
  const started = new Promise<StartedEntry>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', line => {
      lines.push(line)
      const entry = parsed(line)
      if (entry?.msg === 'started') resolve(entry)
    })
    child.on('exit', code => reject(new Error(`the service ended with ${code}:\n${lines.join('\n')}`)))
  })
  child.stdout.resume()
  const tooLong = setTimeout(() => child.kill('SIGKILL'), startsWithinMs)
  const { port, mailPort } = await started.finally(() => clearTimeout(tooLong))
  if (child.pid === undefined) throw new Error('no process')
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    mailPort: mailPort ?? 0,
    child,
    pid: child.pid,
    logged: () => lines.join('\n'),
    kill: signal => end(child, signal),
  }
}

export function spawnTillbell(
  words: readonly string[],
  environment: { readonly [name: string]: string },
  program = tillbell,
  shell?: string,
) {
  const [first, ...rest] =
    shell === undefined
      ? [process.execPath, program, ...words]
      : ['sh', '-c', `${shell}; exec "$@"`, 'sh', process.execPath, program, ...words]
  return spawn(first as string, rest, {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Of a process that has no settings but these. */
export function environmentOf(environment: { readonly [name: string]: string }): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => name !== 'DATABASE_URL' && !name.startsWith('TILLBELL_'),
  )
  return { ...Object.fromEntries(inherited), ...environment }
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

interface StartedEntry {
  readonly msg: string
  readonly port: number
  readonly mailPort: number | null
}

function parsed(line: string): StartedEntry | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
