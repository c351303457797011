// Runs the tests on one real PostgreSQL: the one of DATABASE_URL, or an embedded one that lives as long as the run.
// Each test file makes a database of its own in it, a copy of one that is migrated already; those that need a browser
// share one.
//
//   npm test -- PATTERN            some of the files: a file, a part of a path, or a glob
//   npm run test:long              the long ones
//   npm run test:watch -- PATTERN  again after each save

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDashboard } from '../../dashboard/build.ts'
import { buildReference } from '../build-reference.ts'
import { openEmbedded } from '../src/store/postgres/embedded.ts'
import { chosenFiles } from './runner/files.ts'
import { cacheFolder } from './runner/places.ts'
import { runFiles } from './runner/pool.ts'
import { Results } from './runner/results.ts'
import { nextChange } from './runner/watch.ts'
import { shareBrowser } from './support/browser.ts'
import { withTemplate } from './support/template.ts'

const words = process.argv.slice(2)
const patterns = words.filter(word => !word.startsWith('--'))
const flags = words.filter(word => word.startsWith('--test-'))
const long = words.includes('--long')
const watching = words.includes('--watch')

/** Long tests put load on the machine themselves. Of the others some wait: one more than there are processors. */
const workers = long ? 1 : availableParallelism() + 1

const interrupted = new AbortController()

async function main(): Promise<number> {
  const unknown = words.find(word => word.startsWith('--') && !/^--(long$|watch$|test-)/.test(word))
  if (unknown !== undefined) throw new Error(`${unknown} is not known: --long, --watch, and --test-… for node:test.`)
  chosenFiles(patterns, long)
  // Ctrl-C reaches the workers by itself; the run goes on here until the database is stopped.
  process.on('SIGINT', () => interrupted.abort())
  await buildDashboard()
  await buildReference()
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-test-'))
  await chmod(folder, 0o711) // as root, PostgreSQL runs as another user and must get through
  try {
    return await onDatabase(folder, url =>
      withTemplate(url, template => withBrowser(folder, browser => runOnce(environment({ url, template, browser })))),
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
}

/** The service's own variables of whoever runs the tests must not decide what is tested. */
function environment({ url, template, browser }: TestWorld): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => name !== 'DATABASE_URL' && !name.startsWith('TILLBELL_'))
  return {
    ...Object.fromEntries(ours),
    TEST_DATABASE_URL: url,
    TEST_DATABASE_TEMPLATE: template,
    TEST_BROWSER: browser,
    TEST_LENGTH: long ? 'long' : 'short',
    NODE_COMPILE_CACHE: join(cacheFolder, 'compiled'),
  }
}

async function runOnce(env: NodeJS.ProcessEnv): Promise<number> {
  const files = chosenFiles(patterns, long)
  const results = new Results({ withNotes: long || patterns.length > 0 })
  const onRan = results.add.bind(results)
  await runFiles(files, { workers, env, flags, stop: interrupted.signal, onRan })
  const code = results.finish(files.length)
  if (!watching || interrupted.signal.aborted) return code
  process.stdout.write('Waiting for a change. A new migration needs a new start.\n')
  const changed = await nextChange(interrupted.signal)
  return changed ? runOnce(env) : code
}

process.exitCode = await main()
