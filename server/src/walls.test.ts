// The rooms and who may import whom. A wall that nothing checks is a line on a drawing.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'

const src = import.meta.dirname
const sdk = resolve(src, '../../sdk/src')

/** What each room may import of ours, beside itself. Files at the top and the rooms that join others may import any. */
const mayImport: { readonly [room: string]: readonly string[] } = {
  sdk: [],
  core: [],
  store: ['core'],
  gateways: ['core'],
  hooks: ['core', 'sdk', 'threads', 'tls'],
  keys: ['core', 'sdk'],
  mail: ['core', 'threads', 'tls'],
  observe: [],
  sweeper: ['core'],
  threads: [],
  tls: ['core'],
  http: ['core'],
  api: ['core', 'sdk', 'http', 'tls'],
  console: ['core', 'http'],
  docs: ['core', 'http'],
  pages: ['core', 'sdk', 'http'],
}
/** Types alone: nothing of them is there when it runs. */
const mayImportTypes: { readonly [room: string]: readonly string[] } = { core: ['sdk'] }
const joiningRooms = ['cli', 'setup', 'top']

/** Only core is closed to the world as well: no I/O, no clock, no chance. */
const mayUsePackages = (room: string) => room !== 'core'

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
  readonly typesOnly: boolean
}

function roomOf(file: string): string {
  if (file.startsWith(sdk + sep)) return 'sdk'
  const path = relative(src, file).split(sep)
  return path.length === 1 ? 'top' : String(path[0])
}

async function importsOf(folder: string): Promise<Import[]> {
  const names = (await readdir(folder, { recursive: true })).filter(
    name => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'),
  )
  const found = await Promise.all(
    names.map(async name => {
      const file = join(folder, name)
      const text = await readFile(file, 'utf8')
      return importsIn(text).map(found => ({ ...found, file, room: roomOf(file) }))
    }),
  )
  return found.flat()
}

/** `import { type Some }` is no import of types alone: the module is still loaded. */
const importPattern =
  /(?:^(?:import|export) (type) (?!from\b)[\w\s{},*$]*?from|\bfrom|\bimport\()\s*'([^']+)'|^import '([^']+)'/gm

function importsIn(text: string): Pick<Import, 'target' | 'typesOnly'>[] {
  return [...text.matchAll(importPattern)].map(([, type, a, b]) => ({
    target: a ?? b ?? '',
    typesOnly: type === 'type',
  }))
}

function problemWith({ file, room, target, typesOnly }: Import): string | null {
  const where = `${relative(src, file)} imports ${target}`
  const isSdk = /^@tillbell\/sdk(\/|$)/.test(target)
  if (!target.startsWith('.') && !isSdk) return mayUsePackages(room) ? null : where
  const other = isSdk ? 'sdk' : roomOf(resolve(dirname(file), target))
  return other === room || roomMay(room, other, typesOnly) ? null : where
}

function roomMay(room: string, other: string, typesOnly: boolean): boolean {
  if (joiningRooms.includes(room) || mayImport[room]?.includes(other)) return true
  return typesOnly && (mayImportTypes[room]?.includes(other) ?? false)
}

test('no import crosses a wall', async () => {
  const imports = [...(await importsOf(src)), ...(await importsOf(sdk))]
  assert.ok(imports.length > 100, 'the imports were found')
  assert.deepEqual(
    imports.map(problemWith).filter(problem => problem !== null),
    [],
  )
})

/** What they take depends on what a stranger wrote: email is read by `MailReader`, which a service runs in threads. */
const mailReaders = ['describe-mail', 'verify-signatures', 'judge', 'consent', 'addresses', 'kept-mail']
const mayReadMail = [...mailReaders, 'read-in-this-thread']

test('what an email says is read where payments need not wait for it', async () => {
  const inMail = join(src, 'mail/in')
  const importers = (await importsOf(src))
    .filter(({ file, target, typesOnly }) => {
      const path = resolve(dirname(file), target)
      return !typesOnly && mailReaders.some(name => path === join(inMail, `${name}.ts`))
    })
    .map(({ file }) => relative(inMail, file))
  assert.ok(importers.includes('read-in-this-thread.ts'), 'the imports were found')
  assert.deepEqual(
    importers.filter(file => !mayReadMail.includes(file.replace(/\.ts$/, ''))),
    [],
  )
})

test('every room is on the plan', async () => {
  const folders = (await readdir(src, { withFileTypes: true }))
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)
  const planned = [
    ...Object.keys(mayImport).filter(room => room !== 'sdk'),
    ...joiningRooms.filter(room => room !== 'top'),
  ]
  assert.deepEqual(folders.sort(), planned.sort())
})

const dashboard = resolve(src, '../../dashboard/src')
const contract = join(src, 'console/contract') + sep

/** What the dashboard takes from outside of itself: packages, and types that the console's answers have. */
function dashboardProblem({ file, target, typesOnly }: Omit<Import, 'room'>): string | null {
  const path = resolve(dirname(file), target)
  if (!target.startsWith('.') || path.startsWith(dashboard + sep)) return null
  return typesOnly && path.startsWith(contract) ? null : `${relative(dashboard, file)} imports ${target}`
}

test('the dashboard knows nothing of the service but the types of the console’s contract', async () => {
  const imports = await importsOf(dashboard)
  assert.ok(imports.length > 100, 'the imports were found')
  assert.deepEqual(
    imports.map(dashboardProblem).filter(problem => problem !== null),
    [],
  )
  const found = (target: string, typesOnly: boolean) =>
    dashboardProblem({ file: join(dashboard, 'pages/home/home.tsx'), target, typesOnly })
  assert.equal(found('../../../../server/src/console/contract/me.ts', true), null)
  assert.notEqual(found('../../../../server/src/console/contract/me.ts', false), null)
  assert.notEqual(found('../../../../server/src/core/money.ts', true), null)
})

test('the contract is types alone, of nothing but itself', async () => {
  for (const { file, target, typesOnly } of await importsOf(contract)) {
    assert.ok(typesOnly && resolve(dirname(file), target).startsWith(contract), `${file} imports ${target}`)
  }
})

const problemsIn = (name: string, text: string) => {
  const file = join(src, name)
  return importsIn(text)
    .map(found => problemWith({ ...found, file, room: roomOf(file) }))
    .filter(problem => problem !== null)
}

test('a wall that is crossed is found', () => {
  for (const target of ['node:fs', '../store/sales.ts', 'fastify']) {
    assert.equal(problemsIn('core/charge.ts', `import { some } from '${target}'`).length, 1, target)
  }
  assert.equal(problemsIn('api/offers.ts', "import { some } from '../store/offers.ts'").length, 1)
  assert.deepEqual(problemsIn('api/offers.ts', "import { some } from '../core/offer.ts'"), [])
})

test('core may have the sdk’s types, and nothing of it that runs', () => {
  for (const types of ["import type { A } from '@tillbell/sdk'", "export type {\n  A,\n  B,\n} from '@tillbell/sdk'"]) {
    assert.deepEqual(problemsIn('core/charge.ts', types), [])
    assert.equal(problemsIn('store/sales.ts', types).length, 1)
  }
  for (const value of [
    "import { a } from '@tillbell/sdk'",
    "import { type A } from '@tillbell/sdk'",
    "export type A = string\nimport { a } from '@tillbell/sdk'",
    "export * from '@tillbell/sdk'",
    "import '@tillbell/sdk'",
    "await import('@tillbell/sdk')",
    "import { a } from '@tillbell/sdk/token'",
    "import { a } from '../../../sdk/src/index.ts'",
  ]) {
    assert.equal(problemsIn('core/charge.ts', value).length, 1, value)
  }
  assert.equal(problemsIn('core/charge.ts', "import type { Stats } from 'node:fs'").length, 1)
})
