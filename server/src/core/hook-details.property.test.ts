// Whatever the sale: its details are what the published schemas say, all of it and nothing else, and survive the wire.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type HookDetails, type HookKind, type HookType, hookBody, hookSchemas, verifyHook } from '@tillbell/sdk'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import {
  anySale,
  charge,
  customer,
  merchant,
  noon,
  offer,
  processing,
  sale,
  service,
  successful,
} from '../../test/support/sale-samples.ts'
import { disputeStatuses } from './gateway.ts'
import { type Asked, hookDetails, type News } from './hook-details.ts'
import { defaultCurrency } from './money.ts'
import { type Offer, offerDetailsBytes, offerDetailsBytesMax } from './offer.ts'
import type { OperationOutcome } from './operation.ts'
import { answersBytesMax } from './people.ts'
import { nilUuid, testDetails } from './test-details.ts'

/** Who gets what. */
const kindsOf: { readonly [type in HookType]: readonly HookKind[] } = {
  pre_sale: ['pre_sale'],
  success: ['transaction', 'generic'],
  far: ['far', 'generic'],
  error: ['error', 'generic'],
  refund: ['update'],
  void: ['update'],
  dispute: ['update'],
}
const types = Object.keys(kindsOf) as HookType[]
const kinds = Object.keys(hookSchemas) as HookKind[]

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
const published = compiled(schema => schema)
const closed = compiled(closedSchema)

function compiled(change: (schema: unknown) => unknown): { readonly [kind in HookKind]: ValidateFunction } {
  const each = kinds.map(kind => [kind, ajv.compile(change(hookSchemas[kind]) as object)])
  return Object.fromEntries(each)
}

/** Receivers ignore members that they do not know. We may not send one that the schema does not name. */
function closedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closedSchema)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closedSchema(part)]))
  return inner.type === 'object' && 'properties' in inner ? { ...inner, additionalProperties: false } : inner
}

function assertFits(kind: HookKind, details: HookDetails): void {
  for (const fits of [published[kind], closed[kind]]) {
    assert.ok(fits(details), `${kind}: ${ajv.errorsText(fits.errors)}`)
  }
}

const anyType = fc.constantFrom(...types)
const anyAsked = fc.constantFrom<Asked[]>('charge', 'capture', 'void', 'refund')
const anyNews: fc.Arbitrary<News> = fc.oneof(
  fc.constantFrom<OperationOutcome[]>('succeeded', 'declined').map(outcome => ({ refund: { ...charge, outcome } })),
  fc.record({ status: fc.constantFrom(...disputeStatuses), reason: fc.option(fc.string()) }).map(some => ({
    dispute: { ...some, gatewayRef: 'dp_1', amountMinor: 6_000n, currency: defaultCurrency, openedAt: noon },
  })),
)
const anyDetails = fc
  .tuple(anySale, anyType, anyAsked)
  .map(([any, type, asked]) => ({ any, type, details: hookDetails(any, service, { type, asked, at: noon }) }))

describe('whatever the sale, its details', () => {
  test('are what the schemas of its kinds accept, and no other kind’s', () => {
    fc.assert(
      fc.property(anyDetails, ({ type, details }) => {
        for (const kind of kindsOf[type]) assertFits(kind, details)
        const others = kinds.filter(kind => !kindsOf[type].includes(kind))
        for (const kind of others) assert.equal(published[kind](details), false, kind)
      }),
    )
  })

  test('say which refund or dispute an update tells of, as the schema says it', () => {
    fc.assert(
      fc.property(anySale, anyNews, (any, news) => {
        const type = 'refund' in news ? 'refund' : 'dispute'
        const details = hookDetails(any, service, { type, asked: 'nothing', at: noon, news })
        assertFits('update', details)
        assert.ok(type in details)
      }),
    )
  })

  test('have amounts in the currency’s decimals, and further_action where the customer can act', () => {
    const money = { USD: /^\d+\.\d{2}$/, EUR: /^\d+\.\d{2}$/, JPY: /^\d+$/, KWD: /^\d+\.\d{3}$/ }
    fc.assert(
      fc.property(anyDetails, ({ any, type, details }) => {
        const { amount, balance, unit_price } = details
        const form = money[any.offer.currency as keyof typeof money]
        for (const text of [amount, balance, unit_price]) assert.match(text, form)
        assert.equal(details.payment_method, details.card)
        const { source, failure } = any.transaction
        const isForThem = any.offer.email === null || any.offer.email === any.customer.email
        const isOpen = details.token.active && isForThem && failure?.code !== 'gateway_inactive'
        const isAnotherWay = type === 'error' && source === 'Email Transaction' && isOpen
        assert.equal('further_action' in details, type === 'far' || isAnotherWay)
      }),
    )
  })

  test('are the same after JSON, and after the wire, where their signature verifies', () => {
    const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
    fc.assert(
      fc.property(anyDetails, ({ details }) => {
        const text = JSON.stringify(details)
        const form = new URLSearchParams(hookBody(text, privateKey))
        assert.deepEqual([...form.keys()], ['details', 'signature'])
        const received = form.get('details') ?? ''
        assert.equal(received, text)
        assert.ok(verifyHook(received, form.get('signature') ?? '', privateKey))
        assert.deepEqual(JSON.parse(received), details)
      }),
    )
  })
})

test('a member that the schema does not name is found, wherever it creeps in', () => {
  const asked = { type: 'far', asked: 'charge', at: noon } as const
  const asks: Offer = { ...offer, address: 'shipping', customFields: [{ name: 'size', required: true }] }
  const shipped = { ...customer, shipping: customer.billing }
  const whole = () => structuredClone(hookDetails({ ...sale, offer: asks, customer: shipped }, service, asked))
  const open = (details: HookDetails): object[] => {
    const { token, user_data } = details
    const inside = [user_data.billing, user_data.shipping, user_data.custom_fields[0], token.user_data.custom_fields[0]]
    const further = 'further_action' in details ? details.further_action : undefined
    return [details, token, token.user_data, user_data, further, ...inside].filter(part => part !== undefined)
  }
  assert.equal(open(whole()).length, 9)
  for (let place = 0; place < 9; place++) {
    const details = whole()
    Object.assign(open(details)[place] ?? {}, { stray: 1 })
    assert.equal(closed.far(details), false, `place ${place}`)
    assert.equal(published.far(details), true, `place ${place}`)
  }
  const details = whole()
  Object.assign(details.user_data.custom_data, { anything: 1 })
  assertFits('far', details)
})

describe('a test of an endpoint', () => {
  const tested = (kind: HookKind) => testDetails(merchant, kind, service, noon)

  test('fits the kind of every endpoint, and says what happens there', () => {
    for (const kind of kinds) assertFits(kind, tested(kind))
    assert.deepEqual(
      kinds.map(kind => [kind, tested(kind).type]),
      [
        ...[
          ['pre_sale', 'pre_sale'],
          ['transaction', 'success'],
          ['far', 'far'],
          ['error', 'error'],
        ],
        ...[
          ['generic', 'success'],
          ['update', 'refund'],
        ],
      ],
    )
  })

  test('has every field that a real one has', () => {
    for (const kind of kinds) {
      const { type } = tested(kind)
      const of = { type, asked: 'charge', at: noon, ...(kind === 'update' && { news: { refund: charge } }) } as const
      const real = hookDetails({ ...sale, transaction: successful }, service, of)
      assert.deepEqual(Object.keys(tested(kind)), Object.keys(real), kind)
    }
  })

  test('cannot be taken for a sale: no transaction, no money, nobody, and it says so', () => {
    for (const kind of kinds) {
      const { transaction, amount, balance, unit_price, card, email, user_data, token } = tested(kind)
      assert.equal(transaction, nilUuid)
      assert.deepEqual([amount, balance, unit_price, token.amount], ['0.00', '0.00', '0.00', 0])
      assert.deepEqual([card, email, token.active, token.content], [null, null, false, ''])
      assert.deepEqual([user_data.custom_data, token.user_data.custom_data], [{ test: 'true' }, { test: 'true' }])
    }
  })

  test('names the merchant, in whole seconds, and what is wrong only where something would be', () => {
    for (const kind of kinds) {
      const { partner, partner_id, date, error, errors, authorization, capture } = tested(kind)
      assert.deepEqual([partner, partner_id, date], [merchant.partner, merchant.partnerId, 1_794_744_000])
      const isWrong = kind === 'far' || kind === 'error'
      assert.deepEqual([error !== null, Object.keys(errors)], [isWrong, isWrong ? ['general'] : []])
      assert.deepEqual([authorization, capture], kind === 'update' ? [false, false] : [true, true])
    }
  })
})

/** As large as the limit lets it be, filled where it costs most; its token as long as its page's address makes it. */
const largestOffer: fc.Arbitrary<Offer> = fc
  .record({
    pageUrlLength: fc.constantFrom(0, 100, 1_000, 2_000),
    char: fc.constantFrom('a', '"', '\u0001', '语', '😀'),
    detailsLength: fc.constantFrom(0, 1_000, 2_500),
    titleLength: fc.constantFrom(1, 255),
    into: fc.constantFrom('customData' as const, 'customFields' as const),
    address: fc.constantFrom('shipping' as const, null),
  })
  .map(({ pageUrlLength, char, detailsLength, titleLength, into, address }) => {
    const pageUrl = pageUrlLength === 0 ? null : `https://shop.example/${'语'.repeat(pageUrlLength)}`
    const tokenBytes = 400 + Buffer.byteLength(pageUrl ?? service.baseUrl)
    const tokenContent = `@${'A'.repeat(Math.ceil((tokenBytes * 4) / 3))}@`
    const [title, details] = [char.repeat(titleLength), char.repeat(detailsLength)]
    const bare: Offer = { ...offer, pageUrl, title, details, tokenContent, address, fulfillment: 2_147_483_647 }
    const fill = (size: number): Offer => {
      const value = char.repeat(size)
      if (into === 'customData') return { ...bare, customData: { value } }
      return { ...bare, customFields: [{ name: value, required: false }] }
    }
    let size = 0
    for (let step = 16_384; step >= 1; step /= 2) {
      if (offerDetailsBytes(fill(size + step)) <= offerDetailsBytesMax) size += step
    }
    return fill(size)
  })

test('an offer within its limit gives details under 64 KiB, whoever buys it', () => {
  fc.assert(
    fc.property(largestOffer, fc.constantFrom('a', '\u0001', 'é', '语', '😀'), anyType, (large, char, type) => {
      fc.pre(offerDetailsBytes(large) <= offerDetailsBytesMax)
      // The longest that the interface takes from anybody, in characters as wide as they come.
      const long = (length: number) => char.repeat(length)
      // A page takes no control characters.
      const typed = (length: number) => (char === '\u0001' ? '语' : char).repeat(length)
      const lines = { street: typed(200), street2: typed(200), city: typed(100), state: typed(100), zip: typed(20) }
      const address = { ...lines, country: 'US', phone: typed(40) }
      const names = { firstName: long(100), lastName: long(100), email: `${'é'.repeat(64)}@${'é'.repeat(190)}` }
      const buyer = { ...customer, ...names }
      const answers = { note: 'a'.repeat(answersBytesMax - JSON.stringify({ note: '' }).length) }
      const entered = { ...names, billing: address, shipping: address, answers }
      const bought = { ...processing, currency: defaultCurrency, quantity: 9999, referrerContext: long(255) }
      const transaction = { ...bought, entered }
      const details = hookDetails({ ...sale, offer: large, customer: buyer, transaction }, service, {
        type,
        asked: 'charge',
        at: noon,
      })
      const bytes = Buffer.byteLength(JSON.stringify(details))
      assert.ok(bytes <= 65_536, `${bytes} bytes`)
    }),
  )
})
