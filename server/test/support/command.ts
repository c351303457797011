// Tillbell's commands as a user runs them: processes of their own, which end with the test, however the test ends.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { Client } from './client.ts'
import { end, environmentOf, spawnTillbell } from './process.ts'
import { atEnd } from './temporary-folder.ts'
import { until } from './until.ts'

interface Environment {
  readonly [name: string]: string
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What demo.json and `merchant create` say. */
export interface Sheet {
  readonly [name: string]: unknown
  readonly base_url: string
  readonly merchant: string
  readonly api_key: string
  readonly api_secret: string
  readonly private_key: string
  readonly offer: string
  readonly card: string
  readonly dashboard: { readonly url: string; readonly email: string; readonly password: string }
}

/** One that should have refused, and serves instead, must not hold the test for ever. */
const livesMaxMs = 90_000

function begin(t: TestContext, words: readonly string[], environment: Environment, program?: string) {
  const child = spawnTillbell(words, environment, program)
  atEnd(t, () => end(child))
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', text => {
      said[stream] += text
    })
  }
  const tooLong = setTimeout(() => child.kill('SIGKILL'), livesMaxMs)
  const ended = once(child, 'close').then(([code]): Ended => {
    clearTimeout(tooLong)
    return { code, ...said }
  })
  return { child, said, ended }
}

/** Runs a command to its end. */
export function tillbell(t: TestContext, words: readonly string[], environment: Environment): Promise<Ended> {
  return begin(t, words, environment).ended
}

const manyCommands = join(import.meta.dirname, 'many-commands.ts')

/** Runs the first as `tillbell` does, and the others, which say and do no more than it, in one process for all. */
export async function tillbells(
  t: TestContext,
  [first = [], ...others]: readonly (readonly string[])[],
  environment: Environment,
): Promise<Ended[]> {
  const alone = await tillbell(t, first, environment)
  const { code, stdout, stderr } = await begin(t, [JSON.stringify(others)], environment, manyCommands).ended
  assert.deepEqual([code, stderr], [0, ''])
  return [alone, ...JSON.parse(stdout)]
}

/**
 * Like `tillbell`, for files that are about what commands do and not about how a process ends: one process runs all that do not overlap.
 * To be called at the top of the file, after which it ends.
 */
export function openCommandLine(): typeof tillbell {
  const lines = new Map<string, Line>()
  after(async () => {
    for (const { child } of lines.values()) await end(child)
  })
  return async (t, words, environment) => {
    const key = JSON.stringify(environment)
    const line = lines.get(key) ?? openLine(environment)
    lines.set(key, line)
    if (line.isBusy) return tillbell(t, words, environment)
    line.isBusy = true
    line.child.send(words)
    const [ended] = await Promise.race([once(line.child, 'message'), line.broken])
    line.isBusy = false
    return ended as Ended
  }
}

interface Line {
  readonly child: ChildProcess
  /** Rejects when it ends, as only the end of the file may end it. */
  readonly broken: Promise<never>
  isBusy: boolean
}

function openLine(environment: Environment): Line {
  const env = environmentOf(environment)
  const child = fork(manyCommands, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const broken = once(child, 'exit').then(([code]) => assert.fail(`the process of the commands ended with ${code}`))
  broken.catch(() => {})
  return { child, broken, isBusy: false }
}

export interface LogEntry {
  readonly [name: string]: unknown
  readonly level: string
  readonly msg: string
}

export interface Serving {
  readonly pid: number
  printed(): string
  logged(): string
  /** Every line of the log. */
  entries(): LogEntry[]
  /** Resolves when it has greeted, with the address it listens at. */
  ready(): Promise<string>
  /** The port of its metrics. */
  metricsPort(): number
  signal(signal: NodeJS.Signals): void
  readonly ended: Promise<Ended>
}

/** `tillbell serve` on free ports. */
export function serve(t: TestContext, environment: Environment): Serving {
  const ports = { TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
  const { child, said, ended } = begin(t, ['serve'], { ...ports, ...environment })
  const entries = () =>
    said.stderr
      .split('\n')
      .slice(0, -1)
      .map((line): LogEntry => JSON.parse(line))
  const started = () => entries().find(({ msg }) => msg === 'started') ?? assert.fail('it has not started')
  const { pid } = child
  if (pid === undefined) throw new Error('there is no process')
  return {
    pid,
    printed: () => said.stdout,
    logged: () => said.stderr,
    entries,
    async ready() {
      // The log comes by another pipe, a moment earlier or later.
      const hasGreeted = () => said.stdout.includes('Tillbell is at') && entries().some(({ msg }) => msg === 'started')
      await until('it greets', async () => hasGreeted() || child.exitCode !== null, 60_000)
      assert.equal(child.exitCode, null, said.stderr)
      const { tls, port } = { tls: environment.TILLBELL_TLS_CERT !== undefined, port: started().port }
      return `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
    },
    metricsPort: () => Number(started().metricsPort),
    signal: signal => void child.kill(signal),
    ended,
  }
}

/** Stops it politely, and holds that it ended well. */
export async function stopped(serving: Serving): Promise<Ended> {
  serving.signal('SIGTERM')
  const ended = await serving.ended
  assert.equal(ended.code, 0, ended.stderr)
  return ended
}

export async function demoSheet(dataFolder: string): Promise<Sheet> {
  return JSON.parse(await readFile(join(dataFolder, 'demo.json'), 'utf8'))
}

/** Of a service that has just begun. */
export async function demoSheetOnceMade(dataFolder: string): Promise<Sheet> {
  let sheet: Sheet | null = null
  await until('the demo is made', async () => {
    sheet = await demoSheet(dataFolder).catch(() => null)
    return sheet !== null
  })
  return sheet ?? demoSheet(dataFolder)
}

export function clientOf(sheet: Sheet, baseUrl = sheet.base_url): Client {
  return new Client(baseUrl, sheet.api_key, sheet.api_secret)
}

/** A refusal: nothing on the way out but one sentence, with these words in it, and no stack. */
export function refusedWith({ code, stdout, stderr }: Ended, expectedCode: number, words: RegExp): void {
  assert.equal(code, expectedCode, stderr)
  assert.match(stderr, words)
  assert.match(stderr, /^\S[^\n]+\.\n$/)
  assert.doesNotMatch(stderr, /\bat .+:\d+|node:|Error\b/)
  assert.equal(stdout, '')
}
