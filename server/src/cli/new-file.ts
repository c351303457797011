// A file that is there when it is whole, and not before: written beside its place, brought to the disk, and put there if nothing else is. What goes wrong
// on the way leaves nothing.

import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { FailedError } from './command.ts'

/** Before anything is begun that takes long. */
export async function refuseTaken(file: string): Promise<void> {
  if (await isThere(file)) throw taken(file)
}

/** Compressed. For its owner alone. Returns its size. */
export async function writeNewFile(file: string, bytes: AsyncIterable<Buffer>, signal: AbortSignal): Promise<number> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    const onDisk = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(Readable.from(bytes, { objectMode: false }), createGzip(), onDisk, { signal })
    const { size } = await stat(draft)
    await putInPlace(draft, file)
    await bringToDisk(dirname(resolve(file)))
    return size
  } catch (error) {
    throw unwritable(file, error as NodeJS.ErrnoException)
  } finally {
    await rm(draft, { force: true })
  }
}

const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** A link is refused where something is already, which a new name would replace. Some file systems have no links. */
async function putInPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || (await isThere(file))) throw taken(file)
    if (!withoutLinks.includes(String(code))) throw error
    await rename(draft, file)
  }
}

/** The name, too, outlives a loss of power. */
async function bringToDisk(folder: string): Promise<void> {
  const opened = await open(folder)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}

function taken(file: string): FailedError {
  return new FailedError(`${file} is there already, and is not overwritten. Name a file that is not there yet.`)
}

function unwritable(file: string, error: NodeJS.ErrnoException): Error {
  const { code, syscall } = error
  if (error.name === 'AbortError') return new FailedError(`${file} was not written: it was told to stop.`)
  // What the database says has codes of its own.
  if (syscall === undefined || syscall === 'connect') return error
  const says: { readonly [code: string]: string } = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EFBIG: 'it would be larger than this user or file system allows',
    ENOENT: `there is no folder ${dirname(resolve(file))}`,
    ENOTDIR: `${dirname(resolve(file))} is not a folder`,
    EACCES: 'this user may not write there',
    EROFS: 'the file system is read-only',
  }
  return new FailedError(`${file} was not written: ${says[String(code)] ?? `it cannot be (${code})`}.`)
}
