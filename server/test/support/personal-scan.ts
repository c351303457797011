// Finds what a database still holds of a person, in every column of every table that there is: as text, as bytes, in base64, percent-encoded,
// and inside of what is sealed, tokens included. A table that is added later is searched too.

import { boxOpener, readToken } from '../../src/keys/open-token.ts'
import { type Database, schemaName } from '../../src/store/database.ts'
import { readSetting, serviceKeySetting } from '../../src/store/settings.ts'
import { bytesIn, openedWith, sealingKey } from './sealed-scan.ts'

export interface Person {
  /** Words that stand for nobody else, looked for in any case. */
  readonly words: readonly string[]
  /** Short values that could be anything, such as the last digits of a card: looked for as a whole value, or behind a name. */
  readonly values: readonly { readonly name: RegExp; readonly value: string }[]
}

/** The columns, as `table.column`, in which something of the person is found. */
export async function findPersonal(sql: Database, secretKey: Buffer, person: Person): Promise<string[]> {
  const opens = await openers(sql, sealingKey(secretKey))
  const tables = await sql<{ name: string }[]>`select table_name as name from information_schema.tables
    where table_schema = ${schemaName} and table_type = 'BASE TABLE' order by table_name`
  const found = new Set<string>()
  for (const { name } of tables) {
    const rows = await sql<{ row: { [column: string]: unknown } }[]>`
      select to_jsonb(t) as row from ${sql(schemaName)}.${sql(name)} t`
    for (const [column, value] of rows.flatMap(({ row }) => Object.entries(row))) {
      if (value !== null && isOf(person, readings(opens, value))) found.add(`${name}.${column}`)
    }
  }
  return [...found].sort()
}

function isOf({ words, values }: Person, texts: readonly string[]): boolean {
  return texts.some(text => {
    const lower = text.toLowerCase()
    if (words.some(word => lower.includes(word.toLowerCase()))) return true
    return values.some(
      ({ name, value }) => text === value || new RegExp(`${name.source}\\W{1,8}${value}\\b`).test(text),
    )
  })
}

/** What the service itself can read. */
interface Openers {
  sealed(bytes: Buffer): string | null
  token(text: string): string | null
}

async function openers(sql: Database, key: Buffer): Promise<Openers> {
  const { privateKeySealed } = (await readSetting(sql, serviceKeySetting)) as { readonly privateKeySealed: string }
  const openBox = boxOpener(openedWith(key, Buffer.from(privateKeySealed, 'base64')) ?? '')
  const keys = await sql<{ publicKey: string }[]>`select public_key from merchant_key`
  const publicKeys = keys.map(({ publicKey }) => publicKey)
  return {
    sealed: bytes => openedWith(key, bytes),
    token(text) {
      const closed = readToken(text)
      return closed === null ? null : JSON.stringify(openBox(closed, publicKeys))
    },
  }
}

/** Shorter than any of the words. */
const bytesMin = 5

/** How deep a text may be wrapped: bytes in base64 in a sealed mail. */
const depthMax = 3

/** All texts that a value can be read as. */
function readings(opens: Openers, value: unknown, depth = 0): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (depth === depthMax) return [text]
  const plain = decoded(text)
  const inside = bytesIn(text, bytesMin).flatMap(bytes => {
    const opened = opens.sealed(bytes)
    return opened === null ? [bytes.toString('utf8'), bytes.toString('latin1')] : [opened]
  })
  const tokens = [...plain.matchAll(/@[\w=~-]{60,}@/g)].flatMap(([token]) => opens.token(token) ?? [])
  return [text, plain, ...tokens, ...inside.flatMap(each => readings(opens, each, depth + 1))]
}

/** As a URL or a form writes it. */
function decoded(text: string): string {
  return text.replace(/\+/g, ' ').replace(/(?:%[0-9a-f]{2})+/gi, bytes => {
    return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')
  })
}
