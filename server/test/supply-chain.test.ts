// What we build on is known: each dependency has its reason on a page, an exact version, a checksum, and a licence that lets
// merchants use it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { builtIn, makeSbom } from '../../pack/sbom.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')
const manifest = async (path: string) => JSON.parse(await read(path))

interface Versions {
  readonly [name: string]: string
}

const installed: { readonly [path: string]: readonly string[] } = {
  'server/package.json': ['dependencies'],
  'package.json': ['optionalDependencies'],
}
const developed: { readonly [path: string]: readonly string[] } = {
  'package.json': ['devDependencies'],
  'dashboard/package.json': ['devDependencies'],
  'sdk/package.json': ['dependencies'],
}

async function dependenciesOf(where: { readonly [path: string]: readonly string[] }): Promise<Versions> {
  const lists = Object.entries(where).map(async ([path, kinds]) => {
    const of = await manifest(path)
    return Object.assign({}, ...kinds.map(kind => of[kind] ?? {}))
  })
  return Object.assign({}, ...(await Promise.all(lists)))
}

/** By the headings of the page: name and licence. */
async function tables(): Promise<Map<string, string>[]> {
  const sections = (await read('docs/dependencies.md')).split(/^## /m).slice(1, 4)
  return sections.map(section => {
    const rows = [...section.matchAll(/^\| `([^`]+)` \| [^|]+ \| [^|]+ \| ([^|]+) \| \d+ \| [^|]*\|$/gm)]
    return new Map(rows.map(([, name = '', licence = '']) => [name, licence]))
  })
}

const sorted = (names: Iterable<string>) => [...names].sort()

test('the page has every direct dependency, in the table where it belongs, and no other', async () => {
  const [own, inside, others] = await tables()
  const [operators, developers] = [await dependenciesOf(installed), await dependenciesOf(developed)]
  assert.deepEqual(sorted(own?.keys() ?? []), sorted(Object.keys(operators)))
  const isInside = (name: string) => builtIn.includes(name) || name === '@noble/hashes'
  const left = Object.keys(developers).filter(name => operators[name] === undefined)
  assert.deepEqual(sorted(inside?.keys() ?? []), sorted(left.filter(isInside)))
  assert.deepEqual(sorted(others?.keys() ?? []), sorted(left.filter(name => !isInside(name))))
})

test('every manifest of a package is looked at, and every version is exact', async () => {
  const { workspaces } = await manifest('package.json')
  const paths = ['package.json', ...workspaces.map((name: string) => `${name}/package.json`)]
  assert.deepEqual(sorted(new Set([...Object.keys(installed), ...Object.keys(developed)])), sorted(paths))
  for (const path of paths) {
    const { dependencies, optionalDependencies, devDependencies, peerDependencies, overrides } = await manifest(path)
    const all = { ...dependencies, ...optionalDependencies, ...devDependencies, ...peerDependencies, ...overrides }
    for (const [name, version] of Object.entries(all)) {
      assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} of ${path}`)
    }
  }
})

test('the lock file names no host, and has a checksum for everything that is downloaded', async () => {
  const { packages } = await manifest('package-lock.json')
  for (const [path, { resolved, integrity, link, inBundle }] of Object.entries<{ [member: string]: unknown }>(
    packages,
  )) {
    if (!path.includes('node_modules/') || link === true) {
      assert.ok(resolved === undefined || !/[:@]/.test(String(resolved)), path)
      continue
    }
    assert.equal(resolved, undefined, `${path} says where it was downloaded`)
    if (inBundle !== true) assert.match(String(integrity), /^sha512-[A-Za-z0-9+/]{86}==$/, path)
  }
})

interface Component {
  readonly name: string
  readonly version: string
  readonly hashes?: readonly unknown[]
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[]
}

/** "A OR B" is allowed where one of them is. */
function licencesOf({ licenses = [] }: Component): string[] {
  return licenses.flatMap(({ license, expression }) => {
    return license?.id ?? (expression ?? 'none').replace(/[()]/g, '').split(' OR ')
  })
}

test('what is installed is listed, the same each time, and under no licence that is not allowed', async () => {
  const [text, again] = await Promise.all([makeSbom(), makeSbom()])
  assert.equal(text, again)
  assert.ok(!text.includes(root) && !/registry|localhost|\/tmp/.test(text), 'it says nothing of this machine')
  const { components, metadata } = JSON.parse(text) as { components: Component[]; metadata: { component: Component } }
  assert.equal(metadata.component.name, 'tillbell')
  const names = new Map(components.map(each => [each.name, each]))
  const [own, inside] = await tables()
  for (const [name, licence] of [...(own ?? []), ...(inside ?? [])]) {
    const component = names.get(name) ?? assert.fail(`${name} is not listed`)
    assert.equal(licencesOf(component).join(' OR '), licence, name)
  }
  for (const name of ['typescript', 'vite', 'playwright-core', '@types/node']) {
    assert.ok(!names.has(name), `${name} is for developers alone`)
  }
  const [, said = ''] = /these are allowed: ([^.]+(?:\.\d[^.]*)*\.0)\./.exec(await read('docs/dependencies.md')) ?? []
  const allowed = new Set(said.split(', '))
  assert.ok(allowed.has('MIT') && allowed.has('BlueOak-1.0.0'), said)
  for (const component of components) {
    assert.ok(
      licencesOf(component).some(id => allowed.has(id)),
      `${component.name} is ${licencesOf(component)}`,
    )
    if (component.name !== '@tillbell/sdk') assert.ok(component.hashes?.length, component.name)
  }
})
