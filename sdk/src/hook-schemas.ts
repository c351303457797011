// What a hook's `details` look like, by kind of endpoint: JSON Schema 2020-12. This is the one place that says it. The
// types below, the service's own builder, the OpenAPI document and the tables in docs/hooks.md all come from here.

import type { FromSchema } from './from-schema.ts'
import { dispute, furtherAction, refund, token, userData } from './hook-parts.ts'

const uuid = { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' } as const
const amount = { type: 'string', pattern: '^(0|[1-9][0-9]{0,11})([.][0-9]{2,3})?$' } as const
const textOrNull = { type: ['string', 'null'] } as const
const cardToken = { ...textOrNull, pattern: '^[A-Za-z0-9_-]{24}$' } as const

/** In every kind, always: a receiver never meets a missing key. */
const fields = {
  transaction: { ...uuid, description: 'Id of the Transaction. In tests all zeros.' },
  partner: { ...uuid, description: 'Id of the merchant.' },
  partner_id: { type: 'integer', minimum: 1, description: 'Number of the merchant.' },
  amount: { ...amount, description: '`unit_price` times `quantity`, in the decimals of the currency.' },
  balance: {
    ...amount,
    description: 'What is held or taken and not given back; nothing in Pre-Sale, FAR and Error.',
  },
  unit_price: { ...amount, description: 'The price of one unit.' },
  quantity: { type: 'integer', minimum: 1, maximum: 9999, description: 'Units bought.' },
  date: { type: 'integer', minimum: 0, description: 'When it happened, in Unix seconds.' },
  payment_method: { ...cardToken, description: 'The stored card; null when no card is known.' },
  payment_method_mask: { ...textOrNull, pattern: '^[0-9]{4}$', description: 'The last four digits of the card.' },
  card: { ...cardToken, description: 'The same as `payment_method`.' },
  name: { ...textOrNull, description: "The customer's first and last name; null when unknown." },
  email: { ...textOrNull, description: "The customer's email address; null when unknown." },
  authorization: { type: 'boolean', description: 'Whether the gateway is asked to authorise.' },
  capture: {
    type: 'boolean',
    description:
      'Whether the gateway is asked to capture. A sale does both, authorising only the first, a later capture only the second, ' +
      'a refund, void or dispute neither.',
  },
  referrer_context: { ...textOrNull, description: 'As given when the Transaction was created; else null.' },
  error: { ...textOrNull, description: 'What went wrong, or what is still missing, in one sentence; else null.' },
  errors: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'The same by field, as REST answers write it: one sentence under the name of a field or `general`; else empty.',
  },
  token,
  user_data: userData,
} as const

const everyField = ['type', ...(Object.keys(fields) as (keyof typeof fields)[])] as const

/** In every kind, and only where it has something to say. */
const maybe = {
  truncated: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Only where `details` would have been larger than 64 KiB: the texts that were cut, `item_details`, `refunded_reason` or ' +
      '`custom_data.` with the name of a custom field. The record has them whole.',
  },
} as const
const typeMeans = 'What happened.'

const preSale = {
  title: 'Pre-Sale',
  description:
    'Asks, once, before the payment gateway is called. 2xx: go on. 5xx or no answer: an error, and Error notifications. Any ' +
    'other status: the Transaction is not processed.',
  type: 'object',
  properties: { type: { type: 'string', const: 'pre_sale', description: typeMeans }, ...fields, ...maybe },
  required: everyField,
} as const

const transaction = {
  title: 'Transaction',
  description: 'The payment gateway did it: a sale, an authorisation, or the capture of one.',
  type: 'object',
  properties: { type: { type: 'string', const: 'success', description: typeMeans }, ...fields, ...maybe },
  required: everyField,
} as const

const far = {
  title: 'Further Action Required',
  description: 'The customer must do something before the card can be charged.',
  type: 'object',
  properties: {
    type: { type: 'string', const: 'far', description: typeMeans },
    ...fields,
    ...maybe,
    further_action: furtherAction,
  },
  required: [...everyField, 'further_action'],
} as const

const error = {
  title: 'Error',
  description:
    'The Transaction failed. Not sent when Pre-Sale stopped it, unless another Pre-Sale endpoint had answered 2xx and may have ' +
    'something to release.',
  type: 'object',
  properties: {
    type: { type: 'string', const: 'error', description: typeMeans },
    ...fields,
    ...maybe,
    further_action: furtherAction,
  },
  required: everyField,
} as const

const generic = {
  title: 'Generic',
  description: 'A copy of every Transaction, FAR and Error notification.',
  anyOf: [transaction, far, error],
} as const

const update = {
  title: 'Update',
  description: 'Money went back, or came into question. Not part of version 3: only for those who ask for it.',
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['refund', 'void', 'dispute'], description: typeMeans },
    ...fields,
    ...maybe,
    refund,
    dispute,
  },
  required: everyField,
} as const

export const hookSchemas = { pre_sale: preSale, transaction, far, error, generic, update } as const

/** What an endpoint is for. */
export type HookKind = keyof typeof hookSchemas
/** What an endpoint of this kind receives. */
export type HookDetails<Kind extends HookKind = HookKind> = FromSchema<(typeof hookSchemas)[Kind]>
/** What happened. Do not tell FAR and Error apart by it: examples of the interface have the two crossed. */
export type HookType = HookDetails['type']
