// npm run sbom: what the package consists of, in CycloneDX, from the lock file. npm makes the list; it is given a lock file of the
// package alone, because the repository's is one of workspaces, and because what is built in is a developer's there.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')

/** Inside what is built of the dashboard and of the API reference. */
export const builtIn: readonly string[] = [
  ...['react', 'react-dom', '@tanstack/react-query', '@tanstack/react-router', 'tailwindcss'],
  'redoc',
]

interface Versions {
  readonly [name: string]: string
}

interface Locked {
  readonly [member: string]: unknown
  readonly dev?: boolean
  readonly link?: boolean
}

/** The same for the same lock file, but for npm's own version. */
export async function makeSbom(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-sbom-'))
  try {
    // npm calls the whole by the name of its folder.
    const own = join(folder, 'tillbell')
    await mkdir(own)
    for (const [name, content] of Object.entries(await describe())) {
      await writeFile(join(own, name), JSON.stringify(content))
    }
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev']
    const { stdout } = await promisify(execFile)(npm, words, { cwd: own, maxBuffer: 50_000_000 })
    const { serialNumber: _, ...list } = JSON.parse(stdout)
    const { timestamp: __, ...metadata } = list.metadata
    return `${JSON.stringify({ ...list, metadata }, null, 2)}\n`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The package's own package.json and lock file: as it is installed, and as if what is built in were so, too. */
async function describe() {
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'))
  const [repository, server, sdk, dashboard, lock] = await Promise.all(
    ['package.json', 'server/package.json', 'sdk/package.json', 'dashboard/package.json', 'package-lock.json'].map(
      read,
    ),
  )
  const developed: Versions = { ...repository.devDependencies, ...dashboard.devDependencies }
  const inside = Object.fromEntries(builtIn.map(name => [name, developed[name]]))
  const { name, version, license } = server
  const dependencies = { [sdk.name]: sdk.version, ...server.dependencies, ...inside }
  const own = { name, version, license, dependencies, optionalDependencies: repository.optionalDependencies }
  const packages = {
    '': own,
    ...installable(lock.packages),
    [`node_modules/${sdk.name}`]: { version: sdk.version, license: sdk.license, dependencies: sdk.dependencies },
  }
  return { 'package.json': own, 'package-lock.json': { ...lock, name, version, packages } }
}

function installable(packages: { readonly [path: string]: Locked }): { readonly [path: string]: Locked } {
  const kept = Object.entries(packages).filter(([path, { link }]) => {
    return path.startsWith('node_modules/') && link !== true && !path.startsWith('node_modules/@types/')
  })
  return Object.fromEntries(
    kept.map(([path, { dev: _, devOptional: __, ...rest }]) => {
      // It comes built: what it was built from is not ours to know the versions of.
      return [path, path === 'node_modules/redoc' ? { ...rest, dependencies: {}, peerDependencies: {} } : rest]
    }),
  )
}

export async function writeSbom(folder: string): Promise<string> {
  const file = join(folder, 'tillbell.cdx.json')
  await mkdir(folder, { recursive: true })
  await writeFile(file, await makeSbom())
  return file
}

if (import.meta.main) process.stdout.write(`${await writeSbom(join(root, 'dist/packages'))}\n`)
