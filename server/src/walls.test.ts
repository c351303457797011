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
  hooks: ['core', 'sdk'],
  keys: ['core'],
  observe: [],
  sweeper: ['core'],
  api: ['core'],
}
const joiningRooms = ['cli', 'setup', 'top']

/** Only core is closed to the world as well: no I/O, no clock, no chance. */
const mayUsePackages = (room: string) => room !== 'core'

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
}

function roomOf(file: string): string {
  if (file.startsWith(sdk + sep)) return 'sdk'
  const path = relative(src, file).split(sep)
  return path.length === 1 ? 'top' : String(path[0])
}

async function importsOf(folder: string): Promise<Import[]> {
  const names = (await readdir(folder, { recursive: true })).filter(
    name => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const found = await Promise.all(
    names.map(async name => {
      const file = join(folder, name)
      const text = await readFile(file, 'utf8')
      const specifiers = [...text.matchAll(/(?:from|import\()\s*'([^']+)'|^import '([^']+)'/gm)].map(
        ([, a, b]) => a ?? b ?? '',
      )
      return specifiers.map(target => ({ file, room: roomOf(file), target }))
    }),
  )
  return found.flat()
}

function problemWith({ file, room, target }: Import): string | null {
  const where = `${relative(src, file)} imports ${target}`
  if (target === '@tillbell/sdk') return roomMay(room, 'sdk') ? null : where
  if (!target.startsWith('.')) return mayUsePackages(room) ? null : where
  const other = roomOf(resolve(dirname(file), target))
  return other === room || roomMay(room, other) ? null : where
}

function roomMay(room: string, other: string): boolean {
  return joiningRooms.includes(room) || (mayImport[room]?.includes(other) ?? false)
}

test('no import crosses a wall', async () => {
  const imports = [...(await importsOf(src)), ...(await importsOf(sdk))]
  assert.ok(imports.length > 100, 'the imports were found')
  assert.deepEqual(
    imports.map(problemWith).filter(problem => problem !== null),
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

test('a wall that is crossed is found', () => {
  const file = join(src, 'core', 'charge.ts')
  assert.ok(problemWith({ file, room: 'core', target: 'node:fs' }))
  assert.ok(problemWith({ file, room: 'core', target: '../store/sales.ts' }))
  assert.ok(problemWith({ file: join(src, 'api', 'offers.ts'), room: 'api', target: '../store/offers.ts' }))
  assert.equal(problemWith({ file: join(src, 'api', 'offers.ts'), room: 'api', target: '../core/offer.ts' }), null)
})
