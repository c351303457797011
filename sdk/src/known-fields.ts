// Takes from a value what its schema knows, at every depth. More fields may appear in `details` without notice, and using them is
// deprecated: an application that never sees them cannot begin to.

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
}

export function knownFields(schema: Schema, value: unknown): unknown {
  if (schema.items !== undefined && Array.isArray(value)) {
    const { items } = schema
    return value.map(each => knownFields(items, each))
  }
  if (schema.properties === undefined || !isObject(value)) return value
  const known: { [name: string]: unknown } = {}
  for (const [name, of] of Object.entries(schema.properties)) {
    if (Object.hasOwn(value, name)) known[name] = knownFields(of, value[name])
    else if (of.type?.includes('null')) known[name] = null
  }
  return known
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
