// Bytes become parts again, or a refusal. Nothing that is read is proven before the last part has come: whoever must not be deceived reads the file
// once to its end, and only then to use it.

import { createHash, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { type Lines, linesOf } from './lines.ts'
import {
  BackupRefusedError,
  cut,
  DamagedBackupError,
  damaged,
  formatVersion,
  type Header,
  macOf,
  nameOfKey,
  type Part,
} from './parts.ts'

const notOne = 'is not a backup of Tillbell'

/** `keys`: it must have been made with one of them. */
export async function* readBackup(path: string, keys: readonly Buffer[]): AsyncGenerator<Part> {
  const bytes = unzipped(path)
  let isBegun = false
  try {
    for await (const part of partsIn(linesOf(bytes), keys)) {
      isBegun = true
      yield part
    }
  } catch (error) {
    const isForeign = !isBegun && error instanceof DamagedBackupError && error.message === damaged
    throw isForeign ? new DamagedBackupError(notOne) : error
  } finally {
    await bytes.return(undefined) // whoever stops reading leaves no open file
  }
}

async function* unzipped(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path)
  const bytes = createGunzip({ chunkSize: 256 * 1024 })
  file.on('error', error => bytes.destroy(error))
  try {
    yield* file.pipe(bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR') throw new DamagedBackupError(cut)
    if (code === 'Z_DATA_ERROR') throw new DamagedBackupError(damaged)
    throw error
  } finally {
    bytes.destroy()
    file.destroy()
  }
}

async function* partsIn(lines: Lines, keys: readonly Buffer[]): AsyncGenerator<Part> {
  const header = headerIn(await lines.next())
  const key = keys.find(each => nameOfKey(each) === header.key)
  if (key === undefined) throw new BackupRefusedError('was made with another secret key than the one at hand')
  yield { kind: 'header', ...header }
  let [tables, rows] = [0, 0]
  for (;;) {
    const { value, sha256Before } = await lines.next()
    if (typeof value.table === 'string') {
      const counted = tableRows(lines)
      yield { kind: 'table', table: value.table, columns: value.columns as string[], rows: counted.rows }
      rows += await counted.end()
      tables += 1
    } else if (typeof value.sequence === 'string') {
      if (!/^\d+$/.test(String(value.last_value))) throw altered()
      const lastValue = BigInt(String(value.last_value))
      yield { kind: 'sequence', sequence: value.sequence, lastValue, isCalled: value.is_called === true }
    } else {
      const isOurs = isSame(Buffer.from(String(value.mac), 'hex'), macOf(key, sha256Before))
      if (!isOurs || value.tables !== tables || value.rows !== rows || !(await lines.isOver())) throw altered()
      return yield { kind: 'end', tables, rows }
    }
  }
}

function headerIn({ value }: { readonly value: { readonly [name: string]: unknown } }): Header {
  const format = value.tillbell_backup
  if (!Number.isInteger(format)) throw new DamagedBackupError(notOne)
  if (format !== formatVersion) {
    throw new BackupRefusedError(`has format ${format}, and this Tillbell reads format ${formatVersion}`)
  }
  return { takenAt: new Date(String(value.taken_at)), version: Number(value.version), key: String(value.key) }
}

/** The rows of a table, and whether they are those that were written. */
function tableRows(lines: Lines) {
  const sha256 = createHash('sha256')
  let isRead = false
  let [count, bytes] = [0, 0]
  async function* rows(): AsyncGenerator<Buffer> {
    for await (const { some, rowCount } of lines.rows()) {
      sha256.update(some)
      count += rowCount
      bytes += some.length
      yield some
    }
    isRead = true
    const { value } = await lines.next()
    if (value.rows !== count || value.bytes !== bytes || value.sha256 !== sha256.digest('hex')) throw altered()
  }
  return {
    rows: rows(),
    async end(): Promise<number> {
      if (!isRead) throw new Error('the rows of a table were not read to their end')
      return count
    },
  }
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function altered(): DamagedBackupError {
  return new DamagedBackupError('is not as it was written')
}
