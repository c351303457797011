// The type check is what runs these: each line below compiles only if the derived type is the one that is written out.

import { test } from 'node:test'
import type { FromSchema } from './from-schema.ts'
import type { HookDetails, HookKind, HookType } from './index.ts'

type Same<One, Other> =
  (<Some>() => Some extends One ? 1 : 2) extends <Some>() => Some extends Other ? 1 : 2 ? true : false
const holds = <_ extends true>() => {}

test('a schema’s type is what the schema accepts', () => {
  holds<Same<FromSchema<{ type: 'string' }>, string>>()
  holds<Same<FromSchema<{ type: 'integer' }>, number>>()
  holds<Same<FromSchema<{ type: readonly ['string', 'null'] }>, string | null>>()
  holds<Same<FromSchema<{ type: 'string'; const: 'far' }>, 'far'>>()
  holds<Same<FromSchema<{ type: 'string'; enum: readonly ['refund', 'void'] }>, 'refund' | 'void'>>()
  holds<Same<FromSchema<{ type: 'array'; items: { type: 'boolean' } }>, readonly boolean[]>>()
  holds<Same<FromSchema<{ anyOf: readonly [{ type: 'string' }, { type: 'number' }] }>, string | number>>()
  holds<Same<FromSchema<Record<never, never>>, unknown>>()
})

test('an object’s type has what is required, and what may be missing', () => {
  type Both = { type: 'object'; properties: { a: { type: 'string' }; b: { type: 'null' } }; required: readonly ['a'] }
  holds<Same<FromSchema<Both>, { readonly a: string; readonly b?: null }>>()
  type Texts = { type: 'object'; additionalProperties: { type: 'string' } }
  holds<Same<FromSchema<Texts>, { readonly [name: string]: string }>>()
  holds<Same<FromSchema<{ type: 'object'; additionalProperties: true }>, { readonly [name: string]: unknown }>>()
})

test('a hook’s type has the fields of its kind', () => {
  holds<Same<HookKind, 'pre_sale' | 'transaction' | 'far' | 'error' | 'generic' | 'update'>>()
  holds<Same<HookType, 'pre_sale' | 'success' | 'far' | 'error' | 'refund' | 'void' | 'dispute'>>()
  holds<Same<HookDetails<'generic'>['type'], 'success' | 'far' | 'error'>>()
  holds<Same<HookDetails['amount'], string>>()
  holds<Same<HookDetails['payment_method'], string | null>>()
  holds<Same<HookDetails['errors'], { readonly [field: string]: string }>>()
  holds<Same<HookDetails<'far'>['further_action']['mail_to'], string | null>>()
  holds<Same<undefined extends HookDetails<'error'>['further_action'] ? true : false, true>>()
  holds<Same<'further_action' extends keyof HookDetails<'transaction'> ? true : false, false>>()
  holds<Same<HookDetails['user_data']['address'], 'shipping' | 'billing' | 'shipping,billing' | undefined>>()
})
