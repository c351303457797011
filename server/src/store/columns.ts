// One statement that reads several aggregates: each one's columns under a prefix, so that a join of five tables comes
// back as five objects from one snapshot.

import type { Scope } from './database.ts'

export function selecting(sql: Scope, aggregates: { readonly [prefix: string]: readonly string[] }) {
  const all = Object.entries(aggregates).flatMap(([prefix, columns]) =>
    columns.map(column => `"${prefix}"."${column}" as "${prefix}:${column}"`),
  )
  return sql.unsafe(all.join(', '))
}

type Row = Record<string, unknown>

/** A joined row by prefix; a part is null when an outer join found nothing. What has no prefix is not in it. */
export function partsOf(row: Row): { readonly [prefix: string]: Row | null } {
  const parts: { [prefix: string]: Row } = {}
  const present = new Set<string>()
  for (const [name, value] of Object.entries(row)) {
    const colon = name.indexOf(':')
    if (colon === -1) continue
    const prefix = name.slice(0, colon)
    const part = parts[prefix] ?? {}
    parts[prefix] = part
    part[name.slice(colon + 1)] = value
    if (value !== null) present.add(prefix)
  }
  return Object.fromEntries(Object.entries(parts).map(([prefix, part]) => [prefix, present.has(prefix) ? part : null]))
}
