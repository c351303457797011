// The README's own commands, run word by word in a fresh copy, so that they cannot rot.

import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { signDetails } from '@tillbell/sdk'
import { until } from './support/until.ts'

const root = resolve(import.meta.dirname, '../..')
const leftOut = new Set(['node_modules', 'data', 'dist', '.git'])
const run = promisify(execFile)

let copy = ''
let blocks: { readonly language: string; readonly text: string }[] = []
before(async () => {
  copy = await mkdtemp(join(tmpdir(), 'tillbell-readme-'))
  await chmod(copy, 0o711) // as root, its database runs as another user and must get through
  await cp(root, copy, { recursive: true, filter: path => !leftOut.has(basename(path)) })
  const readme = await readFile(join(copy, 'README.md'), 'utf8')
  blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
})
after(() => rm(copy, { recursive: true, force: true }))

/** A user's shell: none of this run's own variables, and free ports, so that a service of theirs may be running. */
function environment(): NodeJS.ProcessEnv {
  const { TEST_DATABASE_URL: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  // npm puts its own folders first in PATH; a user's shell does not have them.
  const path = (inherited.PATH ?? '').split(':').filter(folder => !folder.includes('node_modules'))
  return { ...inherited, PATH: path.join(':'), TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
}

/** What `npm ci` has brought here already: whoever runs this has just done so. Linked where it can be, it takes no time. */
async function install(): Promise<void> {
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  await run('cp', ['-al', from, to]).catch(async () => {
    await rm(to, { recursive: true, force: true })
    await cp(from, to, { recursive: true, verbatimSymlinks: true })
  })
}

const shell = (language: string) => blocks.filter(block => block.language === language).map(({ text }) => text)

test('the README starts it, charges, repeats, refunds, lists and sees a hook arrive', { timeout: 240_000 }, async t => {
  if (spawnSync('curl', ['--version']).error !== undefined) return t.skip('curl is not installed')
  const [start = '', ...rest] = shell('sh')
  assert.equal(start, 'npm ci && npm start\n')
  await install()
  const service = spawn('npm', ['start'], {
    cwd: copy,
    env: environment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  service.stdout.on('data', chunk => {
    printed += chunk
  })
  service.stderr.on('data', chunk => {
    printed += chunk
  })
  const stop = () =>
    service.pid !== undefined &&
    service.signalCode === null &&
    service.exitCode === null &&
    process.kill(-service.pid, 'SIGINT')
  t.after(stop)
  await until(
    'the line to paste is printed',
    async () => {
      assert.equal(service.exitCode, null, printed)
      return /Ctrl-C stops/.test(printed)
    },
    120_000,
  )

  const [, line = ''] = /^ {2}(curl .*)$/m.exec(printed) ?? []
  assert.match(
    (await run('sh', ['-c', `${line} -s`], { cwd: copy, env: environment() })).stdout,
    /"status": "Successful"/,
  )

  const script = rest.filter(text => !text.includes('npm test')).join('\n')
  const { stdout } = await run('sh', ['-ec', script], { cwd: copy, env: environment() })
  assert.match(stdout, /"status": "Successful"/)
  assert.match(stdout, /the same answer, one charge/)
  assert.match(stdout, /"refunded_by": "office"/)
  assert.match(stdout, /"status": "Partially Refunded"/)
  assert.match(stdout, /"verified": true,\s+"details": \{\s+"type": "success"/)

  stop()
  await once(service, 'exit')
  const left = await readdir(join(copy, 'data', 'postgres')).catch((): string[] => [])
  assert.ok(!left.includes('postmaster.pid'), 'its database is stopped too')
})

test('the README receives a hook, and believes only an authentic one', async () => {
  const [receiver = ''] = shell('ts')
  const file = join(root, 'server', 'test', `readme-${process.pid}.ts`)
  await writeFile(file, receiver)
  try {
    const { receive } = await import(file)
    const details = JSON.stringify({ type: 'success', transaction: 't', amount: '100.00' })
    const form = new URLSearchParams({ details, signature: signDetails(details, 'key') })
    assert.deepEqual(receive(form, 'key'), { status: 200, told: 'success: t, 100.00' })
    assert.deepEqual(receive(form, 'another key'), { status: 403 })
  } finally {
    await rm(file)
  }
})

test("CI runs the README's test command", async () => {
  const command =
    shell('sh')
      .find(text => text.includes('npm test'))
      ?.trim() ?? ''
  const ci = await readFile(join(copy, '.ci/run'), 'utf8')
  assert.equal(ci.trim().split('\n').at(-1), command)
})
