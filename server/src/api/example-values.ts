// What a value looks like, by the name of its member, for whoever reads the OpenAPI document: a text is a riddle as `string`.

const uuid = '0192aaaa-0000-7000-8000-000000000003'
const moment = '2026-11-15T12:00:00.123+00:00'

const values: { readonly [name: string]: string } = {
  ...{ id: uuid, transaction: uuid, service_offer: uuid, offer_id: uuid },
  ...{ token: 'q83vEjRWeJCrze8SNFZ4kKvN', service_token: 'q83vEjRWeJCrze8SNFZ4kKvN' },
  ...{ created_at: moment, refunded_at: moment },
  ...{ amount: '100.00', unit_price: '100.00', refunded_amount: '25.00' },
  ...{ title: 'Brass bell', ref_id: 'bell-1', referrer_context: 'newsletter-7' },
  ...{ email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', card_mask: '1111', card_type: 'visa' },
}

/** Names that stand for several things: the example is for the one whose description says so. */
const onlyWhere: { readonly [name: string]: RegExp } = { id: /^UUID/, token: /stored credit card/ }

interface Described {
  readonly type?: unknown
  readonly enum?: unknown
  readonly pattern?: unknown
  readonly description?: string
}

/** The same schema, with an example for each text whose name says what it is. */
export function withExamples(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withExamples)
  if (schema === null || typeof schema !== 'object') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, inner]) => [
      name,
      name === 'properties' ? properties(inner) : withExamples(inner),
    ]),
  )
}

function properties(described: { readonly [name: string]: Described }): object {
  return Object.fromEntries(
    Object.entries(described).map(([name, schema]) => {
      const isFree = [schema.type].flat().includes('string') && schema.enum === undefined && fits(name, schema)
      return [name, isFree ? { ...schema, examples: [values[name]] } : withExamples(schema)]
    }),
  )
}

function fits(name: string, { pattern, description = '' }: Described): boolean {
  const value = values[name]
  if (value === undefined || onlyWhere[name]?.test(description) === false) return false
  return typeof pattern !== 'string' || new RegExp(pattern).test(value)
}
