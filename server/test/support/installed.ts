// The package as whoever installs it has it: packed, and unpacked into an otherwise empty folder.

import { execFile, spawnSync } from 'node:child_process'
import { access, chmod, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { pack } from '../../../pack/pack.ts'

const run = promisify(execFile)
const modules = resolve(import.meta.dirname, '../../../node_modules')

export interface Installed {
  /** The folder that it was installed into. */
  readonly folder: string
  /** Its own folder there. */
  readonly own: string
  readonly program: string
  remove(): Promise<void>
}

/**
 * What the package says it needs is linked from here, as `npm ci` has brought it: npm's cache need not have all that it takes
 * to install without a network. What the package does not name is not there, as it would not be.
 */
export async function installPackage(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'tb-installed-'))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must get through
  const own = join(folder, 'node_modules/tillbell')
  await mkdir(own, { recursive: true })
  const { tillbell } = await pack(join(folder, 'packed'))
  await run('tar', ['-xzf', tillbell, '-C', own, '--strip-components=1'])
  const { dependencies, optionalDependencies, bundleDependencies } = await manifestIn(own)
  const names = Object.keys({ ...dependencies, ...optionalDependencies })
  await Promise.all(names.filter(name => !bundleDependencies.includes(name)).map(name => link(name, folder)))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  return { folder, own, program: join(own, 'bin/tillbell.js'), remove }
}

export async function manifestIn(folder: string) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
}

async function link(name: string, folder: string): Promise<void> {
  const [from, to] = [join(modules, name), join(folder, 'node_modules', name)]
  if (!(await exists(from))) return // for another platform
  await mkdir(dirname(to), { recursive: true })
  await symlink(from, to)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

const pretends = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.18.0' } })"

/** A Node that is too old for us: this machine's own, where it is, else ours saying so. */
export function olderNode(): readonly [string, ...string[]] {
  for (const folder of pathWithoutModules().split(':')) {
    const node = join(folder, 'node')
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    const [major = 0, minor = 0] = (stdout ?? '').split('.').map(Number)
    if (major >= 18 && (major < 24 || (major === 24 && minor < 7))) return [node]
  }
  return [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(pretends)}`]
}

/** npm puts its own folders first in PATH; a user's shell does not have them. */
export function pathWithoutModules(): string {
  return (process.env.PATH ?? '')
    .split(':')
    .filter(folder => !folder.includes('node_modules'))
    .join(':')
}
