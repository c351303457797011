// One statement that reads several aggregates: each one's columns under a prefix, so that a join of five tables comes
// back as five objects from one snapshot.

/** The text for `select`; made once, where it is declared. */
export function columnsOf(aggregates: { readonly [prefix: string]: readonly string[] }): string {
  const all = Object.entries(aggregates).flatMap(([prefix, columns]) =>
    columns.map(column => `"${prefix}"."${column}" as "${prefix}:${column}"`),
  )
  return all.join(', ')
}

type Row = Record<string, unknown>
interface Place {
  readonly prefix: string
  readonly column: string
}

/** Where a value belongs, by its name; null: it has no prefix. The same few names come with every row. */
const places = new Map<string, Place | null>()

function placeOf(name: string): Place | null {
  const known = places.get(name)
  if (known !== undefined) return known
  const colon = name.indexOf(':')
  const place = colon === -1 ? null : { prefix: name.slice(0, colon), column: name.slice(colon + 1) }
  places.set(name, place)
  return place
}

/** A joined row by prefix; a part is null when an outer join found nothing. What has no prefix is not in it. */
export function partsOf(row: Row): { readonly [prefix: string]: Row | null } {
  const parts: { [prefix: string]: Row } = {}
  const present = new Set<string>()
  for (const name in row) {
    const place = placeOf(name)
    if (place === null) continue
    const part = parts[place.prefix] ?? {}
    parts[place.prefix] = part
    part[place.column] = row[name]
    if (row[name] !== null) present.add(place.prefix)
  }
  return Object.fromEntries(Object.entries(parts).map(([prefix, part]) => [prefix, present.has(prefix) ? part : null]))
}
