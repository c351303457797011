// Every place where a sealed value is kept, page by page, and how one is replaced by the same sealed anew. A column whose name
// ends in _sealed and is not here makes a test fail.

import type { Database, Json } from './database.ts'
import { serviceKeySetting } from './settings.ts'

export interface SealedValue {
  /** The row's key, in the order of its columns; what else its owner is known by follows. */
  readonly row: readonly string[]
  readonly sealed: Buffer
}

export interface Page {
  readonly values: readonly SealedValue[]
  /** The key of the last row that was looked at; null: there is no other page. */
  readonly last: readonly string[] | null
}

export interface SealedPlace {
  readonly name: string
  read(sql: Database, after: readonly string[] | null): Promise<Page>
  /** Only where it still is what was read: whoever changed it meanwhile has sealed it anew already. */
  replace(sql: Database, value: SealedValue, sealed: Buffer): Promise<boolean>
}

interface Column {
  readonly table: string
  readonly column: string
  readonly key: readonly string[]
  /** Columns that the owner is known by, beside the key. */
  readonly also?: readonly string[]
  readonly pageRows: number
}

/** A mail may have a megabyte. */
const columns = {
  'merchant_key.private_key_sealed': {
    table: 'merchant_key',
    column: 'private_key_sealed',
    key: ['merchant_id', 'id'],
    pageRows: 200,
  },
  'gateway.credentials_sealed': {
    table: 'gateway',
    column: 'credentials_sealed',
    key: ['merchant_id', 'id'],
    pageRows: 200,
  },
  'hook_secret.secret_sealed': {
    table: 'hook_secret',
    column: 'secret_sealed',
    key: ['merchant_id', 'id'],
    also: ['endpoint_id'],
    pageRows: 200,
  },
  'login.totp_sealed': { table: 'login', column: 'totp_sealed', key: ['merchant_id', 'email'], pageRows: 200 },
  'letter.raw_sealed': { table: 'letter', column: 'raw_sealed', key: ['merchant_id', 'id'], pageRows: 20 },
} as const satisfies { readonly [name: string]: Column }

export type PlaceName = keyof typeof columns | 'idempotency_key.answer' | 'setting.value'

export const sealedPlaces: { readonly [name in PlaceName]: SealedPlace } = {
  ...(Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnPlace(name, column)])) as {
    readonly [name in keyof typeof columns]: SealedPlace
  }),
  'idempotency_key.answer': answerPlace(),
  'setting.value': settingPlace(),
}

/** The page is cut before those without a value are left out: one statement never reads more than it. */
function columnPlace(name: string, { table, column, key, also = [], pageRows }: Column): SealedPlace {
  return {
    name,
    async read(sql, after) {
      const past = after === null ? sql`true` : sql`(${sql(key)}) > (${list(sql, after)})`
      const rows = await sql<{ key: string[]; also: string[]; sealed: Buffer | null }[]>`
        select array[${texts(sql, key)}] as key, array[${texts(sql, also)}]::text[] as also, ${sql(column)} as sealed
        from ${sql(table)} where ${past} order by ${sql(key)} limit ${pageRows}`
      const values = rows.flatMap(({ key, also, sealed }) =>
        sealed === null ? [] : [{ row: [...key, ...also], sealed }],
      )
      return { values, last: rows.length < pageRows ? null : (rows.at(-1)?.key ?? null) }
    },
    async replace(sql, { row, sealed }, anew) {
      const { count } = await sql`update ${sql(table)} set ${sql(column)} = ${anew}
        where (${sql(key)}) = (${list(sql, row.slice(0, key.length))}) and ${sql(column)} = ${sealed}`
      return count === 1
    },
  }
}

/** How an answer that shows a secret begins where it is kept. No other does: they are all JSON. */
export const sealedAnswerMark = 'sealed '

function answerPlace(): SealedPlace {
  const pageRows = 500
  const textOf = (sealed: Buffer) => sealedAnswerMark + sealed.toString('base64')
  return {
    name: 'idempotency_key.answer',
    async read(sql, after) {
      const past = after === null ? sql`true` : sql`(merchant_id, operation, key) > (${list(sql, after)})`
      const rows = await sql<{ key: string[]; answer: string | null }[]>`
        select array[merchant_id, operation, key] as key,
          case when starts_with(answer, ${sealedAnswerMark}) then substr(answer, length(${sealedAnswerMark}::text) + 1) end as answer
        from idempotency_key where ${past} order by merchant_id, operation, key limit ${pageRows}`
      const values = rows.flatMap(({ key, answer }) =>
        answer === null ? [] : [{ row: key, sealed: Buffer.from(answer, 'base64') }],
      )
      return { values, last: rows.length < pageRows ? null : (rows.at(-1)?.key ?? null) }
    },
    async replace(sql, { row, sealed }, anew) {
      const { count } = await sql`update idempotency_key set answer = ${textOf(anew)}
        where (merchant_id, operation, key) = (${list(sql, row)}) and answer = ${textOf(sealed)}`
      return count === 1
    },
  }
}

/** The service's own key comes last: it is what every start opens, to see whether it has the key of all the others. */
function settingPlace(): SealedPlace {
  const memberOf = (name: string) => (name === serviceKeySetting ? 'privateKeySealed' : 'sealed')
  return {
    name: 'setting.value',
    async read(sql) {
      const rows = await sql<{ name: string; value: { [member: string]: string } }[]>`select name, value from setting
        where jsonb_typeof(value) = 'object' and (value ? 'sealed' or name = ${serviceKeySetting})
        order by name = ${serviceKeySetting}, name`
      const sealedIn = ({ name, value }: (typeof rows)[number]) => Buffer.from(value[memberOf(name)] ?? '', 'base64')
      return { values: rows.map(each => ({ row: [each.name], sealed: sealedIn(each) })), last: null }
    },
    async replace(sql, { row: [name = ''], sealed }, anew) {
      const member = memberOf(name)
      const change: Json = { [member]: anew.toString('base64') }
      const { count } = await sql`update setting set value = value || ${sql.json(change)}::jsonb
        where name = ${name} and value ->> ${member} = ${sealed.toString('base64')}`
      return count === 1
    },
  }
}

function list(sql: Database, values: readonly string[]) {
  return values.reduce((before, value, index) => (index === 0 ? sql`${value}` : sql`${before}, ${value}`), sql``)
}

function texts(sql: Database, names: readonly string[]) {
  return names.reduce((before, name, index) => {
    return index === 0 ? sql`${sql(name)}::text` : sql`${before}, ${sql(name)}::text`
  }, sql``)
}
