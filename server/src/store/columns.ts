// One statement that reads several aggregates: each one's columns under a prefix, so that a join of five tables comes
// back as five objects from one snapshot.

import type { Database } from './database.ts'

export function selecting(sql: Database, aggregates: { readonly [prefix: string]: readonly string[] }) {
  const all = Object.entries(aggregates).flatMap(([prefix, columns]) =>
    columns.map(column => `"${prefix}"."${column}" as "${prefix}:${column}"`),
  )
  return sql.unsafe(all.join(', '))
}

/** The part of a joined row under one prefix; null when an outer join found nothing. */
export function part(row: { readonly [column: string]: unknown }, prefix: string): Record<string, unknown> | null {
  const found: Record<string, unknown> = {}
  let present = false
  for (const [name, value] of Object.entries(row)) {
    if (!name.startsWith(`${prefix}:`)) continue
    found[name.slice(prefix.length + 1)] = value
    if (value !== null) present = true
  }
  return present ? found : null
}
