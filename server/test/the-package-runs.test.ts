// What `npm run pack` makes, used as whoever installs it would: no TypeScript, no repository around it, and a Node that may
// be older than ours.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { answered } from './support/answers.ts'
import { clientOf, demoSheet } from './support/command.ts'
import { startDns } from './support/dns-server.ts'
import { type Installed, installPackage, manifestIn, olderNode, pathWithoutModules } from './support/installed.ts'
import { end } from './support/process.ts'
import { atEnd, emptyFolder, noneIsLeftIn } from './support/temporary-folder.ts'
import { until } from './support/until.ts'

let installed: Installed
before(async () => {
  installed = await installPackage()
})
after(() => installed.remove())

/** A process of an older Node, and what it says. */
function byOlderNode(t: TestContext, words: readonly string[], environment = {}, program = installed.program) {
  const [node, ...flags] = olderNode()
  const env = { PATH: pathWithoutModules(), HOME: installed.folder, ...environment }
  // A group of its own, as a shell gives to each command.
  const child = spawn(node, [...flags, program, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  atEnd(t, () => end(child))
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', text => {
      said[stream] += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...said }))
  return { child, said, ended }
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name).slice(folder.length + 1))
}

test('the package holds what runs and what explains it, and nothing else', async () => {
  const files = await filesOf(installed.own)
  const kinds = files.map(file => file.replace(/^((?:node_modules\/)?[^/]+)\/.*?(\.\w+)?$/, '$1/*$2'))
  assert.deepEqual([...new Set(kinds)].sort(), [
    'LICENSE',
    'README.md',
    'bin/*.js',
    'dist/*',
    ...['br', 'css', 'gz', 'html', 'js', 'svg', 'txt'].map(kind => `dist/*.${kind}`),
    ...['json', 'md', 'png'].map(kind => `docs/*.${kind}`),
    'node_modules/@tillbell/*',
    ...['cjs', 'cts', 'js', 'json', 'md', 'ts', 'txt'].map(kind => `node_modules/@tillbell/*.${kind}`),
    'package.json',
    ...['css', 'js', 'sql'].map(kind => `src/*.${kind}`),
  ])
  assert.deepEqual(
    files.filter(file => /\.test\.|fixture|conformance|scripted-|schema\.sql/.test(file)),
    [],
  )
  const migrations = (folder: string) => readdir(join(folder, 'src/store/migrations'))
  assert.deepEqual(await migrations(installed.own), await migrations(join(import.meta.dirname, '..')))
})

test('its README is for whoever installed it: it starts what is installed, and links to what is there', async () => {
  const readme = await readFile(join(installed.own, 'README.md'), 'utf8')
  assert.match(readme, /`npm install tillbell @tillbell\/sdk && npx tillbell serve`/)
  assert.doesNotMatch(readme, /npm (?:ci|start|test)/)
  const links = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, path = '']) => path)
  assert.ok(links.length > 0)
  for (const path of links) assert.ok(existsSync(join(installed.own, path)), path)
})

test('it names every package that it imports, exactly, and says nothing of the machine that packed it', async () => {
  const { dependencies, optionalDependencies, private: isPrivate } = await manifestIn(installed.own)
  for (const version of Object.values({ ...dependencies, ...optionalDependencies })) {
    assert.match(`${version}`, /^\d+\.\d+\.\d+/)
  }
  assert.equal(isPrivate, undefined)
  const root = join(import.meta.dirname, '../..')
  const texts = (await filesOf(installed.own)).filter(name => /\.(js|json|md|sql)$/.test(name))
  const lazy = new Set<string>()
  for (const file of texts) {
    const text = await readFile(join(installed.own, file), 'utf8')
    assert.ok(!text.includes(root), `${file} names the folder it was packed in`)
    for (const [, name = ''] of text.matchAll(/\bimport\('([^.'][^']*)'\)/g)) lazy.add(name)
  }
  // Loading is the proof: what it does not name is not installed.
  const isOurs = (name: string) =>
    /^src\/.*\.js$/.test(name) && existsSync(join(root, 'server', name.replace(/js$/, 'ts')))
  const modules = texts.filter(isOurs) // and not what browsers load
  const all = [...modules.map(name => `./${name}`), ...lazy]
  assert.ok([...lazy].some(name => name.startsWith('mailauth/')) && modules.length > 500, 'imports are seen')
  const script = `for (const name of ${JSON.stringify(all)}) await import(name)`
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: installed.own })
})

test('npx finds it, and an older Node hands over to the one beside it', async () => {
  await promisify(execFile)('npm', ['rebuild', '--ignore-scripts'], { cwd: installed.folder })
  const { stdout } = await promisify(execFile)('npx', ['--offline', 'tillbell', '--help'], {
    cwd: installed.folder,
    env: { ...process.env, PATH: pathWithoutModules() },
  })
  assert.match(stdout, /^Usage: tillbell COMMAND/)
})

/** The health check of the Dockerfile, word by word. */
async function imageFindsHealthy(port: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, '../../deploy/Dockerfile'), 'utf8')
  const [, ...words]: string[] = JSON.parse(/^HEALTHCHECK .*\n +CMD (.*)$/m.exec(text)?.[1] ?? '')
  await promisify(execFile)(process.execPath, words, { env: { TILLBELL_PORT: port } })
}

test('by an older Node it serves, charges, shows the dashboard and the docs, and stops with its database', async t => {
  const TILLBELL_DATA = join(await emptyFolder(t), 'data')
  const ports = { TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
  const { child, said, ended } = byOlderNode(t, ['serve'], { TILLBELL_DATA, ...ports })
  await until('it greets', async () => said.stdout.includes('Tillbell is at') || child.exitCode !== null, 60_000)
  assert.equal(child.exitCode, null, said.stderr)
  const sheet = await demoSheet(TILLBELL_DATA)
  const { json } = answered(await clientOf(sheet).charge(sheet.offer, sheet.card), 200)
  assert.equal(json.transaction.status, 'Successful')
  // It is read in a thread, whose file no import names.
  const mail = ['mail', 'send', '--from', 'ada@example.com', '--offer', sheet.offer, '--port', String(sheet.mail_port)]
  const sent = await byOlderNode(t, mail, { TILLBELL_DATA, ...ports }).ended
  assert.equal(sent.code, 0, sent.stdout + said.stdout)
  for (const path of ['/dashboard', '/docs', '/docs/api', `/offers/${sheet.offer}`]) {
    const answer = await fetch(`${sheet.base_url}${path}`)
    assert.equal(answer.status, 200, path)
    assert.match(await answer.text(), /<!doctype html>/i)
  }
  const { port } = new URL(sheet.base_url)
  await imageFindsHealthy(port)
  assert.equal((await fetch(`${sheet.base_url}/readyz`)).status, 200)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await noneIsLeftIn(TILLBELL_DATA)
  await assert.rejects(imageFindsHealthy(port), { code: 1 })
})

test('DNS is asked in a thread, whose file no import names', async () => {
  const dns = await startDns(() => ['192.0.2.1'])
  const { createMailResolver } = await import(join(installed.own, 'src/mail/in/resolver.js'))
  const resolver = createMailResolver({ dns: dns.address })
  try {
    assert.deepEqual(await resolver.resolve('a.test', 'A'), ['192.0.2.1'])
  } finally {
    await Promise.all([resolver.close(), dns.close()])
  }
})

/** The cheapest command that runs until it is told to stop, and the process that really runs it. */
async function runningCommand(t: TestContext) {
  const running = byOlderNode(t, ['sandbox-gateway', '--port', '0'])
  await until('it listens', async () => running.said.stdout.includes(' at '))
  const children = await readFile(`/proc/${running.child.pid}/task/${running.child.pid}/children`, 'utf8')
  const inner = Number(children.trim())
  assert.ok(inner > 0)
  atEnd(t, async () => void (isGone(inner) || process.kill(inner, 'SIGKILL')))
  return { ...running, inner }
}

/** Ended, whether or not somebody has asked how. */
function isGone(pid: number): boolean {
  const file = `/proc/${pid}/stat`
  return !existsSync(file) || / Z \d+ /.test(readFileSync(file, 'utf8'))
}

const onLinux = { skip: process.platform !== 'linux' && 'processes are looked up in /proc' }

test('signals, ends and refusals are those of one process', onLinux, async t => {
  const asked = await runningCommand(t)
  process.kill(-(asked.child.pid ?? assert.fail()), 'SIGINT') // as a terminal does on Ctrl-C
  assert.deepEqual([(await asked.ended).code, isGone(asked.inner)], [0, true])

  const hungUp = await runningCommand(t)
  hungUp.child.kill('SIGHUP')
  assert.deepEqual([(await hungUp.ended).signal, isGone(hungUp.inner)], ['SIGHUP', true])

  const killedWithin = await runningCommand(t)
  process.kill(killedWithin.inner, 'SIGKILL')
  assert.equal((await killedWithin.ended).signal, 'SIGKILL')

  const refused = await byOlderNode(t, ['nonsense', "it's", '']).ended
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  assert.match(refused.stderr, /^There is no command "nonsense it's ?"\./)
})

test('whoever is killed leaves nobody behind', onLinux, async t => {
  const { child, inner } = await runningCommand(t)
  child.kill('SIGKILL')
  await until('the process within has ended', async () => isGone(inner))
})

test('an older Node with none beside it, or one as old, or one that does not start, says what to do and ends with 3', async t => {
  const alone = await emptyFolder(t)
  await cp(join(installed.own, 'bin'), join(alone, 'bin'), { recursive: true })
  await writeFile(join(alone, 'package.json'), '{"type":"module"}')
  const none = await byOlderNode(t, ['--help'], {}, join(alone, 'bin/tillbell.js')).ended
  const says =
    /^Tillbell needs Node 24\.7 or newer; this is v[\d.]+\. npm brings one on [^\n]+ Install Node 24 to run it\.\n$/
  assert.deepEqual([none.code, none.stdout], [3, ''])
  assert.match(none.stderr, says)

  const system = process.platform === 'win32' ? 'win' : process.platform
  const broken = join(alone, 'node_modules', `node-${system}-${process.arch}`)
  await mkdir(join(broken, 'bin'), { recursive: true })
  await writeFile(join(broken, 'package.json'), '{}')
  const [node, ...flags] = olderNode()
  const again = `#!/bin/sh\nexec '${node}' ${flags.map(flag => `'${flag}'`).join(' ')} "$@"\n`
  await writeFile(join(broken, 'bin/node'), again, { mode: 0o755 })
  const asOld = await byOlderNode(t, ['--help'], {}, join(alone, 'bin/tillbell.js')).ended
  assert.deepEqual([asOld.code, asOld.stdout], [3, ''])
  assert.match(asOld.stderr, /^Tillbell needs Node [^\n]+ is not the one it needs\. Install Node 24 to run it\.\n$/)

  await writeFile(join(broken, 'bin/node'), 'not a program')
  await chmod(join(broken, 'bin/node'), 0o644)
  const unusable = await byOlderNode(t, ['--help'], {}, join(alone, 'bin/tillbell.js')).ended
  assert.equal(unusable.code, 3)
  assert.match(
    unusable.stderr,
    /^Tillbell needs Node [^\n]+ does not start here \(EACCES\)\. Install Node 24 to run it\.\n$/,
  )
})
