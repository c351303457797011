// Parts become bytes, with their checksums.

import { createHash, type Hash } from 'node:crypto'
import {
  endOfRows,
  formatVersion,
  type Header,
  macOf,
  type Part,
  rowsIn,
  type TableName,
  type Totals,
} from './parts.ts'

/** What has gone into the file so far. */
interface Writing {
  readonly sha256: Hash
  tables: number
  rows: number
}

/** `told` hears the totals when the last byte is asked for. */
export async function* written(
  parts: AsyncIterable<Exclude<Part, { kind: 'end' }>>,
  key: Buffer,
  told: (totals: Totals) => void,
): AsyncGenerator<Buffer> {
  const writing: Writing = { sha256: createHash('sha256'), tables: 0, rows: 0 }
  for await (const part of parts) {
    for await (const bytes of bytesOf(part, writing)) {
      writing.sha256.update(bytes)
      yield bytes
    }
  }
  const { sha256, tables, rows } = writing
  yield line({ tables, rows, mac: macOf(key, sha256.digest()).toString('hex') })
  told({ tables, rows })
}

async function* bytesOf(part: Exclude<Part, { kind: 'end' }>, writing: Writing): AsyncGenerator<Buffer> {
  switch (part.kind) {
    case 'header':
      return yield headerLine(part)
    case 'table':
      return yield* tableBytes(part, part.rows, writing)
    case 'sequence':
      return yield line({
        sequence: part.sequence,
        last_value: String(part.lastValue),
        is_called: part.isCalled,
      })
  }
}

function headerLine({ takenAt, version, key }: Header): Buffer {
  return line({ tillbell_backup: formatVersion, taken_at: takenAt.toISOString(), version, key })
}

async function* tableBytes(
  { table, columns }: TableName,
  lines: AsyncIterable<Buffer>,
  writing: Writing,
): AsyncGenerator<Buffer> {
  yield line({ table, columns })
  const sha256 = createHash('sha256')
  let [rows, bytes] = [0, 0]
  for await (const some of lines) {
    sha256.update(some)
    rows += rowsIn(some)
    bytes += some.length
    yield some
  }
  yield endOfRows
  yield line({ rows, bytes, sha256: sha256.digest('hex') })
  writing.tables += 1
  writing.rows += rows
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}
