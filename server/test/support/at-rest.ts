// All that a database holds, to be searched.

import { type Database, schemaName } from '../../src/store/database.ts'

/** Every row of every table as text, byte columns both as hexadecimal and as the text they may be. */
export async function everythingAtRest(sql: Database): Promise<{ table: string; text: string }[]> {
  const tables = await sql<
    { tableName: string }[]
  >`select table_name from information_schema.tables where table_schema = ${schemaName}`
  const dumps = tables.map(async ({ tableName: table }) => {
    const rows = await sql`select t::text as text from ${sql(schemaName)}.${sql(table)} t`
    const texts = rows.map(({ text }) => String(text))
    const bytes = texts.flatMap(text =>
      [...text.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex')),
    )
    return { table, text: [...texts, ...bytes.map(each => each.toString('latin1'))].join('\n') }
  })
  return Promise.all(dumps)
}

/** A card number in the ways in which people write it. */
export function written(number: string): string[] {
  const groups = number.match(/.{1,4}/g) ?? []
  return [number, groups.join(' '), groups.join('-'), groups.join('.')]
}
