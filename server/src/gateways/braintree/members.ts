// Reading what came from outside, which may be anything.

export interface Members {
  readonly [name: string]: unknown
}

export function isMembers(value: unknown): value is Members {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

export function textIn(value: Members, name: string): string | null {
  const text = value[name]
  return typeof text === 'string' && text !== '' ? text : null
}

/** XML has no lists of one: what occurs once comes by itself. */
export function listIn(value: Members, name: string): readonly unknown[] {
  const list = value[name]
  if (Array.isArray(list)) return list
  return list === undefined || list === null || list === '' ? [] : [list]
}
