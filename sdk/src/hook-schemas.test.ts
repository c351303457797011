import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type HookDetails, type HookKind, hookSchemas } from './index.ts'

const ajv = new Ajv2020({ allowUnionTypes: true })
const kinds = Object.keys(hookSchemas) as HookKind[]
const accepts = (kind: HookKind, details: unknown) => ajv.validate(hookSchemas[kind], details)

const seedAddress = { street: 'string', city: 'string', state: 'string', zip: 'string' }

/** The seed's tables 2.2 to 2.5, word for word where a type is named. */
const seed = {
  details: {
    ...{ type: 'string', transaction: 'string', partner: 'string', partner_id: 'integer', amount: 'string' },
    ...{ balance: 'string', unit_price: 'string', quantity: 'integer', date: 'integer' },
    ...{ payment_method: 'string or null', payment_method_mask: 'string or null', card: 'string or null' },
    ...{ name: 'string or null', email: 'string or null', authorization: 'boolean', capture: 'boolean' },
    // Seen as null there; it is the text that the Transaction was created with.
    referrer_context: 'string or null',
    ...{ error: 'string or null', errors: 'object', token: 'object', user_data: 'object', further_action: 'object' },
    // An additional field in its sense, only where texts were cut.
    truncated: 'array',
  },
  token: {
    ...{ amount: 'number', site: 'boolean', url: 'string', active: 'boolean', content: 'string', user_data: 'object' },
  },
  user_data: {
    ...{ custom_user_data: 'string', custom_fields: 'array', item_details: 'string', address: 'string' },
    ...{ custom_data: 'object', shipping: 'object', billing: 'object', signup_url: 'string', fulfillment: 'number' },
    ...{ quantity: 'string', item_name: 'string', ref_id: 'string', details: 'string or null' },
  },
  further_action: { amount: 'number', email: 'string', signup_url: 'string', mail_to: 'string or null' },
  // Beyond it what a parcel needs: the second line, a telephone number, and the country of the shipping address.
  shipping: { ...seedAddress, country: 'string', street2: 'string', phone: 'string' },
  billing: { ...seedAddress, country: 'string', street2: 'string', phone: 'string' },
  custom_fields: { name: 'string', required: 'boolean' },
}

type Properties = {
  readonly [name: string]: { readonly type: string | readonly string[]; readonly description?: string }
}

function typesOf(properties: Properties): { [name: string]: string } {
  const names = Object.entries(properties).map(([name, { type }]) => [name, [type].flat().join(' or ')])
  return Object.fromEntries(names)
}

const { properties: fields } = hookSchemas.error
const user = fields.user_data.properties
const objects: { readonly [name in keyof typeof seed]: Properties } = {
  details: fields,
  token: fields.token.properties,
  user_data: user,
  further_action: fields.further_action.properties,
  shipping: user.shipping.properties,
  billing: user.billing.properties,
  custom_fields: user.custom_fields.items.properties,
}

const ofOffer = {
  item_name: 'Hat',
  item_details: '',
  details: null,
  ref_id: '',
  signup_url: 'https://pay.example/offers/1',
  custom_fields: [{ name: 'size', required: true }],
  custom_data: { anything: [1] },
}
const address = { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' }
const success: HookDetails<'transaction'> = {
  type: 'success',
  transaction: '0192aaaa-0000-7000-8000-000000000003',
  partner: '0192aaaa-0000-7000-8000-00000000000a',
  partner_id: 1001,
  amount: '200.00',
  balance: '200.00',
  unit_price: '100.00',
  quantity: 2,
  date: 1_794_744_000,
  payment_method: 'q83vEjRWeJCrze8SNFZ4kKvN',
  payment_method_mask: '1111',
  card: 'q83vEjRWeJCrze8SNFZ4kKvN',
  name: null,
  email: null,
  authorization: true,
  capture: true,
  referrer_context: null,
  error: null,
  errors: { general: 'No.' },
  token: { amount: 100, site: true, url: ofOffer.signup_url, active: true, content: '@a@', user_data: ofOffer },
  user_data: { ...ofOffer, quantity: '2', shipping: address, billing: { ...address, country: 'US' } },
}
const further_action = { amount: 200, email: '', signup_url: ofOffer.signup_url, mail_to: null }
const far: HookDetails<'far'> = { ...success, type: 'far', further_action }

for (const name of Object.keys(seed) as (keyof typeof seed)[]) {
  test(`${name} has the interface’s fields, of its types, each described`, () => {
    assert.deepEqual(typesOf(objects[name]), seed[name])
    for (const [field, { description }] of Object.entries(objects[name])) assert.match(description ?? '', /\.$/, field)
  })
}

test('each kind accepts what happened to it, and generic all but Pre-Sale and updates', () => {
  const accepting = (type: string) => kinds.filter(kind => accepts(kind, { ...far, type }))
  assert.deepEqual(accepting('pre_sale'), ['pre_sale'])
  assert.deepEqual(accepting('success'), ['transaction', 'generic'])
  assert.deepEqual(accepting('far'), ['far', 'generic'])
  assert.deepEqual(accepting('error'), ['error', 'generic'])
  for (const type of ['refund', 'void', 'dispute']) assert.deepEqual(accepting(type), ['update'])
  assert.deepEqual(accepting('other'), [])
})

describe('a field', () => {
  test('that is missing is refused, in every kind', () => {
    for (const name of Object.keys(success)) {
      const { [name as 'amount']: _, ...rest } = far
      for (const kind of kinds) assert.equal(accepts(kind, rest), false, `${kind} without ${name}`)
    }
  })

  test('further_action is required in FAR, and may be missing in Error', () => {
    assert.equal(accepts('far', { ...success, type: 'far' }), false)
    assert.equal(accepts('error', { ...success, type: 'error' }), true)
    assert.equal(accepts('error', { ...far, type: 'error' }), true)
    assert.equal(accepts('error', { ...far, type: 'error', further_action: {} }), false)
  })

  test('that nobody knows yet is accepted, at any depth: it is to be ignored', () => {
    const { token, user_data } = success
    assert.ok(accepts('transaction', { ...success, newer: 1 }))
    assert.ok(accepts('transaction', { ...success, token: { ...token, newer: 1 } }))
    assert.ok(accepts('transaction', { ...success, user_data: { ...user_data, newer: 1 } }))
  })

  for (const [name, wrong] of Object.entries({
    transaction: ['', '0192AAAA-0000-7000-8000-000000000003', `${success.transaction} `, null],
    partner_id: [0, 1.5, '1001'],
    amount: ['', 1, '-1.00', '01.00', '1.0', '1.0000', '1e3', '1234567890123.00'],
    quantity: [0, 10_000, 1.5, '1'],
    date: [-1, 1.5, '2026-11-15T12:00:00Z', null],
    payment_method: ['', '4111111111111111', 1],
    payment_method_mask: ['', '111', '4111111111111111'],
    authorization: ['true', null],
    referrer_context: [1, {}],
    error: [false, {}],
    errors: [null, [], { general: 1 }, { general: null }],
    token: [
      null,
      ...[{ amount: '100.00' }, { site: 1 }, { url: 'pay.example' }, { content: 'x' }, { user_data: {} }].map(part => ({
        ...success.token,
        ...part,
      })),
    ],
    user_data: [
      null,
      ...[{ custom_data: '' }, { quantity: 2 }, { quantity: '0' }, { address: 'home' }, { shipping: {} }].map(part => ({
        ...success.user_data,
        ...part,
      })),
    ],
  })) {
    test(`${name} of another form is refused`, () => {
      for (const value of wrong) {
        assert.equal(accepts('transaction', { ...success, [name]: value }), false, JSON.stringify(value))
      }
    })
  }
})
