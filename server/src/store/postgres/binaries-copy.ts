import { chmod, cp, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { draftIn, persist, publish, removeAbandoned } from './draft.ts'

const draftPrefix = '.copying-postgresql-'

interface Copy {
  /** The npm package's folder. */
  readonly root: string
  /** Where copies are kept, a folder per version. */
  readonly folder: string
  readonly version: string
  /** What the copy still needs before anybody may see it. */
  readonly complete: (root: string) => Promise<void>
}

/** Copies PostgreSQL's programs, once per version, and returns the copy's folder. It is there whole or not at all. */
export async function copyBinaries({ root, folder, version, complete }: Copy): Promise<string> {
  const target = join(folder, `postgresql-${version}-${basename(root)}`)
  if (await isFolder(target)) return target
  await removeAbandoned(folder, draftPrefix)
  const draft = draftIn(folder, draftPrefix)
  try {
    await mkdir(draft)
    await cp(join(root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true, filter: isNeeded })
    await forEachIn(draft, openToAll)
    await complete(draft)
    // An empty program, after a power cut, under its final name would never be copied again.
    await forEachIn(draft, persist)
    // Where two starters copy at once, the slower one uses the other's copy, which is as good as its own.
    await publish(draft, target)
    return target
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

// What is only for those who build programs against PostgreSQL.
function isNeeded(path: string): boolean {
  return !path.endsWith('.a') && !['pgxs', 'pkgconfig', 'include'].includes(basename(path))
}

// A copy made under a umask of 077, or of folders that are read-only, would be as closed as what it was made from.
async function openToAll(path: string): Promise<void> {
  const { mode } = await lstat(path)
  await chmod(path, mode & 0o100 ? 0o755 : 0o644)
}

/** Visits a folder and all that is in it, the folder first; links are left out. */
async function forEachIn(path: string, visit: (path: string) => Promise<void>): Promise<void> {
  const stats = await lstat(path)
  if (stats.isSymbolicLink()) return
  await visit(path)
  if (!stats.isDirectory()) return
  for (const name of await readdir(path)) await forEachIn(join(path, name), visit)
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() ?? false
}
