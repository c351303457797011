// Finds whatever a secret key has sealed, anywhere in a database, without knowing where sealed values are kept or what they belong to.
// Of AES-GCM the text can be read without the owner, who is authenticated alone: under the right key it is text, under another
// noise.

import { createDecipheriv } from 'node:crypto'
import { createSealer } from '../../src/keys/sealing.ts'
import { type Database, schemaName } from '../../src/store/database.ts'

/** How many values this key has sealed, by table and column. */
export async function sealedWith(secretKey: Buffer, sql: Database): Promise<{ [column: string]: number }> {
  const key = sealingKey(secretKey)
  const tables = await sql<{ name: string }[]>`select table_name as name from information_schema.tables
    where table_schema = ${schemaName} and table_type = 'BASE TABLE' order by table_name`
  const found: { [column: string]: number } = {}
  for (const { name } of tables) {
    const rows = await sql<{ row: { [column: string]: unknown } }[]>`
      select to_jsonb(t) as row from ${sql(schemaName)}.${sql(name)} t`
    for (const [column, value] of rows.flatMap(({ row }) => Object.entries(row))) {
      const count = bytesIn(JSON.stringify(value)).filter(bytes => openedWith(key, bytes) !== null).length
      if (count > 0) found[`${name}.${column}`] = (found[`${name}.${column}`] ?? 0) + count
    }
  }
  return found
}

export function sealingKey(secretKey: Buffer): Buffer {
  return createSealer([secretKey]).derive('sealing')[0]
}

/** What a value may hold in hexadecimal, as PostgreSQL shows bytes, or in base64 of either alphabet. Nothing sealed is shorter than 30 bytes. */
export function bytesIn(text: string, bytesMin = 30): Buffer[] {
  const hexadecimal = new RegExp(`\\\\x((?:[0-9a-f]{2}){${bytesMin},})`, 'g')
  const hex = [...text.matchAll(hexadecimal)].map(([, digits = '']) => Buffer.from(digits, 'hex'))
  const lettersMin = Math.ceil((bytesMin * 4) / 3)
  const base64 = [...text.matchAll(new RegExp(`[A-Za-z0-9+/_-]{${lettersMin},}`, 'g'))].map(([letters]) =>
    Buffer.from(letters, 'base64'),
  )
  return [...hex, ...base64]
}

/** Null: it is not sealed with this key. */
export function openedWith(key: Buffer, sealed: Buffer): string | null {
  const [nonce, body] = [sealed.subarray(1, 13), sealed.subarray(13, -16)]
  if (sealed[0] !== 1 || body.length < 2) return null
  const decipher = createDecipheriv('aes-256-ctr', key, Buffer.concat([nonce, Buffer.from([0, 0, 0, 2])]))
  const text = decipher.update(body).toString('utf8')
  // Few bytes of noise are text now and then: of the short ones only the empty credentials of the sandbox count.
  const isText = body.length < 12 ? text === '{}' : !/[^\P{C}\r\n\t]|\ufffd/u.test(text)
  return isText ? text : null
}
