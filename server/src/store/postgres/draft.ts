import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from './failure.ts'

// draft: a folder beside its final place, filled there and renamed into place, so that it appears at once or not at all.
// A killed process leaves its draft behind. Age gives it away: a process id would not, across containers on one volume.
const abandonedAfterMs = 10 * 60_000

/** A name beside the final one that nobody else has. */
export function draftIn(folder: string, prefix: string): string {
  return join(folder, `${prefix}${randomBytes(6).toString('hex')}`)
}

/** Renames a draft into its place. False where somebody has been faster, or something else is there. */
export async function publish(draft: string, target: string): Promise<boolean> {
  try {
    await rename(draft, target)
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return false
    throw error
  }
  await persist(dirname(target))
  return true
}

/** Removes what killed processes left. */
export async function removeAbandoned(folder: string, prefix: string): Promise<void> {
  const names = (await readdir(folder)).filter(name => name.startsWith(prefix))
  for (const name of names) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => null)
    if (stats !== null && Date.now() - stats.mtimeMs > abandonedAfterMs)
      await rm(path, { recursive: true, force: true })
  }
}

/** Makes a file's content, or the names in a folder, survive a power cut. */
export async function persist(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
