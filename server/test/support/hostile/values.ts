// Values of arguments: such as their schemas take, and such as are hard to take.

import { type Chance, pick } from './chance.ts'

/** By name, where the schema does not say which. */
export const examples: { readonly [name: string]: unknown } = {
  ...{
    amount: '10.00',
    title: 'Bell',
    quantity: 1,
    limit: 5,
    currency: 'USD',
    type: 'test',
    kind: 'error',
    name: 'laptop',
    kinds: ['error'],
  },
  ...{
    url: 'http://127.0.0.1:9/',
    email: 'nobody@example.com',
    number: '4111111111111111',
    expiry_month: 12,
    expiry_year: 2040,
  },
  ...{
    created_after: '2026-11-15T10:00:00Z',
    advance_s: 60,
    custom_fields: [{ name: 'Size', required: true }],
  },
}

export const hard = [
  ...[
    '',
    ' ',
    '-1',
    '0',
    '1e3',
    '99999999999999',
    '1.234',
    'NaN',
    'null',
    '\0',
    '\ud800',
    '4111111111111111',
    'x'.repeat(300),
    'x'.repeat(9_000),
  ],
  ...[
    "'; drop table offer; --",
    '../../etc/passwd',
    '<script>',
    '%00',
    '9999-12-31T23:59:59-23:59',
    'javascript:alert(1)',
    'http://[::1]/',
    'é'.repeat(256),
  ],
]

/** Names that some query has. */
export const queried = [
  'limit',
  'after',
  'status',
  'source',
  'offer',
  'email',
  'created_after',
  'created_before',
  'search',
  'state',
  'kind',
  'endpoint',
  'transaction',
  'by',
  'from',
  'until',
  'days',
  'token',
  'service_offer',
]

/** What the keywords of http/fields.ts ask for. */
interface Asks {
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Asks[]
  readonly type?: unknown
  readonly wholeNumberTo?: readonly number[]
  readonly aRealTime?: true
  readonly anEmail?: true
  readonly aWebAddress?: true
}

/** A value that a schema takes, as far as it says which. */
export function fitting(schema: Asks, chance: Chance): unknown {
  if (schema.anyOf?.[0] !== undefined) return fitting(schema.anyOf[0], chance)
  if (schema.enum !== undefined) return pick(schema.enum, chance)
  if (schema.wholeNumberTo !== undefined) return schema.wholeNumberTo[0]
  if (schema.aRealTime) return '2040-01-01T00:00:00Z'
  if (schema.anEmail) return 'nobody@example.com'
  if (schema.aWebAddress) return 'https://shop.example/'
  return schema.type === 'array' ? [] : schema.type === 'object' ? {} : 'x'
}

export function formOf(given: { readonly [name: string]: unknown }): string {
  const pairs = Object.entries(given).map(([name, value]): [string, string] => {
    return [name, typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)]
  })
  return new URLSearchParams(pairs).toString()
}
