// Runs every test on one real PostgreSQL: the one of DATABASE_URL, or an embedded one that lives as long as the run.
// Each test file makes a database of its own in it, a copy of one that is migrated already; those that need a browser
// share one. `npm test -- PATTERN` runs some of the files.

import { spawn } from 'node:child_process'
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

/**
 * Tests wait for about a quarter of their time: for a lease, a poll, the database. On two cores, three files at once leave
 * none idle. They take more than a hundred connections then, which is all that a PostgreSQL gives where nobody says otherwise.
 */
const filesAtOnce = process.env.DATABASE_URL === undefined ? 3 : 2

function runTests(env: NodeJS.ProcessEnv): Promise<number> {
  const files = patterns.length > 0 ? patterns : allTests
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${filesAtOnce}`, ...files], {
    cwd: root,
    stdio: 'inherit',
    env,
  })
  // Ctrl-C reaches the child by itself; the run goes on here until the database is stopped.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise(resolve => child.on('exit', code => resolve(code ?? 1)))
}

process.exitCode = await main()
