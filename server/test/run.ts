// Runs every test on one real PostgreSQL: the one of DATABASE_URL, or an embedded one that lives as long as the run.
// Each test file makes a database of its own in it, a copy of one that is migrated already; those that need a browser
// share one. `npm test -- PATTERN` runs some of the files.

import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDashboard } from '../../dashboard/build.ts'
import { buildReference } from '../build-reference.ts'
import { openEmbedded } from '../src/store/postgres/embedded.ts'
import { shareBrowser } from './support/browser.ts'
import { withTemplate } from './support/template.ts'

const root = join(import.meta.dirname, '../..')
const patterns = process.argv.slice(2)
const allTests = [
  'server/src/**/*.test.ts',
  'server/test/**/*.test.ts',
  'sdk/**/*.test.ts',
  'storm/**/*.test.ts',
  'dashboard/src/**/*.test.ts',
]

async function main(): Promise<number> {
  await buildDashboard()
  await buildReference()
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-test-'))
  await chmod(folder, 0o711) // as root, PostgreSQL runs as another user and must get through
  try {
    return await onDatabase(folder, url =>
      withTemplate(url, template =>
        withBrowser(folder, browser => runTests(environment({ url, template, browser, folder }))),
      ),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function onDatabase(folder: string, work: (url: string) => Promise<number>): Promise<number> {
  if (process.env.DATABASE_URL !== undefined) return work(process.env.DATABASE_URL)
  const database = await openEmbedded({ dataFolder: join(folder, 'data'), as: 'owner', log: () => {} })
  try {
    const { host, user, database: name } = database.address
    return await work(`postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`)
  } finally {
    await database.close()
  }
}

async function withBrowser(folder: string, work: (browser: string) => Promise<number>): Promise<number> {
  const shared = await shareBrowser(join(folder, 'browser'))
  try {
    return await work(shared.url)
  } finally {
    await shared.close()
  }
}

interface TestWorld {
  readonly url: string
  readonly template: string
  readonly browser: string
  readonly folder: string
}

/** The service's own variables of whoever runs the tests must not decide what is tested. */
function environment({ url, template, browser, folder }: TestWorld): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => name !== 'DATABASE_URL' && !name.startsWith('TILLBELL_'))
  return {
    ...Object.fromEntries(ours),
    TEST_DATABASE_URL: url,
    TEST_DATABASE_TEMPLATE: template,
    TEST_BROWSER: browser,
    // Each file is a process that reads most of our code: what one has compiled, the next need not.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
}

/** Beside the rooms. They take less than the hundred connections that a PostgreSQL gives where nobody says otherwise. */
const filesAtOnce = 3

/** A whole installation each, and some seconds in which it must be well again: one after the other, with nothing beside them. */
const alone = [
  'server/test/more-than-it-can-do.test.ts',
  'server/test/nothing-is-lost-in-a-storm.test.ts',
  'server/test/the-database-fails-over.test.ts',
]

/**
 * Rooms whose tests are many small files, and change nothing about their process that the next would mind: one process for
 * all files of a room takes a third of the time that one for each does.
 */
const rooms = [
  'dashboard/src',
  'sdk/src',
  'server/src/core',
  'server/src/gateways',
  'server/src/mail',
  'server/src/pages',
]

const roomByRoom = rooms.map(room => ['--test-isolation=none', `${room}/**/*.test.ts`])

async function runTests(env: NodeJS.ProcessEnv): Promise<number> {
  // Ctrl-C reaches the children by itself; the run goes on here until the database is stopped.
  process.on('SIGINT', () => {})
  if (patterns.length > 0) return (await runSome(patterns, env, 'inherit')).code
  const isInRoom = (file: string) => rooms.some(room => file.startsWith(`${room}/`))
  const others = globSync(allTests, { cwd: root })
    .filter(file => !isInRoom(file) && !alone.includes(file))
    .sort()
  const oneByOne = await runInTurn([['--test-concurrency=1', ...alone]], env)
  const [apart, inRooms] = await Promise.all([runSome(others, env, 'inherit'), runInTurn(roomByRoom, env)])
  const failed = [...oneByOne, ...inRooms]
  // At the end, where what failed is looked for.
  for (const { printed } of failed) process.stdout.write(printed)
  return Math.max(apart.code, ...failed.map(({ code }) => code))
}

/** Those that failed. */
async function runInTurn(all: readonly (readonly string[])[], env: NodeJS.ProcessEnv): Promise<Ran[]> {
  const failed: Ran[] = []
  for (const words of all) {
    const ran = await runSome(words, env, 'pipe')
    if (ran.code === 0) process.stdout.write(ran.printed)
    else failed.push(ran)
  }
  return failed
}

interface Ran {
  readonly code: number
  readonly printed: string
}

function runSome(words: readonly string[], env: NodeJS.ProcessEnv, output: 'inherit' | 'pipe'): Promise<Ran> {
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${filesAtOnce}`, ...words], {
    cwd: root,
    stdio: ['inherit', output, 'inherit'],
    env,
  })
  const stop = () => child.kill('SIGTERM')
  process.on('SIGTERM', stop)
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    printed += text
  })
  return new Promise(resolve =>
    child.on('close', code => {
      process.off('SIGTERM', stop)
      resolve({ code: code ?? 1, printed })
    }),
  )
}

process.exitCode = await main()
