// What is in a backup, in order: a header, tables with their rows, sequences, an end. Each is a line of JSON; the rows are lines of PostgreSQL's own
// text format, up to a line `\.`, as psql reads them.
//
//   {"tillbell_backup":1,"taken_at":"…","version":13,"key":"…"}
//   {"table":"merchant","columns":["merchant_id",…]}
//   m_…	…
//   \.
//   {"rows":1,"bytes":120,"sha256":"…"}
//   {"sequence":"partner_number","last_value":"1001","is_called":true}
//   {"tables":46,"rows":1,"mac":"…"}
//
// The mac is the HMAC of the SHA-256 of every byte before its line, with a key that comes of the secret key: nobody else can make a backup, or change one.

import { createHmac } from 'node:crypto'

export const formatVersion = 1

/** Ends the rows of a table. No row reads so: a backslash is written twice there. */
export const endOfRows = Buffer.from('\\.\n')

export interface Header {
  readonly takenAt: Date
  /** Of the schema: the number of its newest migration. */
  readonly version: number
  /** Which secret key it belongs to, without telling anything about it. */
  readonly key: string
}

export interface TableName {
  readonly table: string
  readonly columns: readonly string[]
}

export interface SequenceState {
  readonly sequence: string
  readonly lastValue: bigint
  readonly isCalled: boolean
}

export interface Totals {
  readonly tables: number
  readonly rows: number
}

export type Part =
  | ({ readonly kind: 'header' } & Header)
  /** The rows are read before the next part is asked for. */
  | ({ readonly kind: 'table'; readonly rows: AsyncIterable<Buffer> } & TableName)
  | ({ readonly kind: 'sequence' } & SequenceState)
  /** Everything before it is as it was written. */
  | ({ readonly kind: 'end' } & Totals)

/** Not a backup, not a whole one, or not as it was written. The message is the rest of a sentence that begins with the file's name. */
export class DamagedBackupError extends Error {}
export const damaged = 'is damaged'
export const cut = 'is not whole: its end is missing'

/** It may be whole, and is not for this program, or this key. Likewise. */
export class BackupRefusedError extends Error {}

export function macOf(key: Buffer, sha256: Buffer): Buffer {
  return createHmac('sha256', key).update(sha256).digest()
}

export function nameOfKey(key: Buffer): string {
  return createHmac('sha256', key).update('the key of a backup').digest('hex')
}

/** Every row is a line. */
export function rowsIn(lines: Buffer): number {
  let count = 0
  for (let at = lines.indexOf(10); at !== -1; at = lines.indexOf(10, at + 1)) count += 1
  return count
}
