import { execFile } from 'node:child_process'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPackage } from '../../src/store/postgres/binaries.ts'

const run = promisify(execFile)

/** A copy of the npm package as it comes out of its archive: without links. */
export async function unpackInto(folder: string): Promise<string> {
  const root = join(folder, 'package')
  await run('cp', ['-a', findPackage(), root])
  for (const path of await linksIn(join(root, 'native/lib'))) await rm(path)
  return root
}

export async function linksIn(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if ((await lstat(path)).isSymbolicLink()) found.push(path)
  }
  return found
}
