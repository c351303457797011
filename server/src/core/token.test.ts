import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MerchantId, OfferId } from './ids.ts'
import type { Currency } from './money.ts'
import type { Json, Offer } from './offer.ts'
import { type OpenedToken, offerOfToken, type TokenFacts, tokenAmountMinor, tokenHasExpired } from './token.ts'

const noon = new Date('2026-11-15T12:00:00Z')
const usd = 'USD' as Currency
const facts = {
  merchantId: 'm_1' as MerchantId,
  keyCurrency: usd,
  id: 'o1' as OfferId,
  now: noon,
  cardEmail: null,
  content: '@token@',
}
const token: OpenedToken = {
  target: { kind: 'email', value: 'Ada@Example.com' },
  group: 'g',
  amount: Math.fround(20.55),
  expiresAt: null,
  authorizationOnly: false,
  userData: {},
}
type Data = { readonly [name: string]: Json }
const offered = (said: Partial<OpenedToken>, more: Partial<TokenFacts> = {}): Offer | null => {
  const offer = offerOfToken({ ...token, ...said }, { ...facts, ...more })
  return 'why' in offer ? null : offer
}
const saying = (userData: Data) => offered({ userData })
const to = (kind: OpenedToken['target']['kind'], value: string, more = {}) => offered({ target: { kind, value } }, more)
const whyNot = (said: Partial<OpenedToken>): string => {
  const offer = offerOfToken({ ...token, ...said }, facts)
  return 'why' in offer ? offer.why : assert.fail('it opens')
}

test('a token says what an offer does', () => {
  const userData = {
    ...{ item_name: 'Bell', item_details: 'Rings.', details: 'unheard', ref_id: 'r-1', address: 'shipping' },
    ...{ custom_data: { sku: '123' }, custom_fields: [{ name: 'size', required: true }, { name: 'colour' }] },
    ...{ custom_user_data: 'Zoë', fulfillment: 3, signup_url: 'https://elsewhere.example/', authorization_only: true },
  }
  const offer = offered({ authorizationOnly: true, expiresAt: noon, userData })
  assert.deepEqual(offer, {
    ...{ merchantId: 'm_1', id: 'o1', createdAt: noon, title: 'Bell', details: 'Rings.', amountMinor: 2055n },
    ...{ amountGiven: '20.55', currency: 'USD', refId: 'r-1', campaign: null, tag: null, form: null, stockLeft: 1 },
    ...{ expiresAt: noon, gatewayId: null, pageUrl: null, address: 'shipping', customUserData: 'Zoë', fulfillment: 3 },
    customFields: [
      { name: 'size', required: true },
      { name: 'colour', required: false },
    ],
    ...{ email: 'ada@example.com', authorizationOnly: true, customData: { sku: '123' }, tokenContent: '@token@' },
    active: true,
  })
})

test('what it does not say is as in an offer that does not say it', () => {
  for (const nothing of [{}, { custom_data: '', details: null, item_name: '', custom_fields: null, address: '' }]) {
    const offer = saying(nothing)
    assert.deepEqual([offer?.title, offer?.details, offer?.refId], ['Payment of $20.55.', null, null])
    assert.deepEqual([offer?.customData, offer?.customFields, offer?.address], [{}, [], null])
  }
  assert.equal(saying({ details: 'heard' })?.details, 'heard')
})

test('a page’s is for everybody and leads there; a card’s is for its owner', () => {
  const address = 'https://shop.example/?a=b:c'
  const page = to('url', address)
  assert.deepEqual([page?.pageUrl, page?.email, page?.stockLeft], [address, null, null])
  const owner = to('card', 'q83vEjRWeJCrze8SNFZ4kKvN', { cardEmail: 'ada@example.com' })
  assert.deepEqual([owner?.email, owner?.stockLeft, owner?.pageUrl], ['ada@example.com', 1, null])
})

test('whom or what no offer can name, no token can', () => {
  const long = `https://shop.example/${'x'.repeat(2_048)}`
  for (const url of ['javascript:alert(1)', 'ftp://shop.example/', 'https://', long, 'https://a.example/"'])
    assert.equal(to('url', url), null, url)
  for (const email of ['', 'nobody', 'a@b.example\r\nBcc: c@d.example', '"a"@b.example', '4111111111111111@b.example'])
    assert.equal(to('email', email), null, email)
  assert.equal(to('card', 'q83vEjRWeJCrze8SNFZ4kKvN'), null)
})

describe('what is refused of an offer is refused of a token', () => {
  const refusals: { readonly [what: string]: Data } = {
    'a title too long': { item_name: 'x'.repeat(256) },
    'a title that is no text': { item_name: 1 },
    'details too long': { item_details: 'x'.repeat(2_501) },
    'a reference too long': { ref_id: 'x'.repeat(256) },
    'a card number to get back': { ref_id: '4111 1111 1111 1111' },
    'a card number deep inside': { custom_data: { a: [{ b: 4111111111111111 }] } },
    'a card number for a name': { custom_data: { '4111111111111111': 1 } },
    'the mark of a test': { custom_data: { test: 'true' } },
    'data that are a list': { custom_data: [] },
    'data that are a number': { custom_data: 1 },
    NUL: { custom_data: { a: '\0' } },
    'half a character': { item_name: '\ud800' },
    'a name too long': { custom_data: { ['x'.repeat(256)]: 1 } },
    'a prototype': JSON.parse('{"custom_data":{"__proto__":1}}'),
    'nesting without end': { custom_data: { a: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) } },
    'a field named as the data are': { custom_data: { size: 1 }, custom_fields: [{ name: 'size' }] },
    'a field twice': { custom_fields: [{ name: 'size' }, { name: 'size' }] },
    'fields that are none': { custom_fields: [1] },
    'too many fields': { custom_fields: Array.from({ length: 21 }, (_, index) => ({ name: String(index) })) },
    'an address of another kind': { address: 'home' },
    'a fulfillment below nothing': { fulfillment: -1 },
    'half a fulfillment': { fulfillment: 1.5 },
    'a fulfillment too large': { fulfillment: 2_147_483_648 },
    'words without end': { custom_user_data: 'x'.repeat(2_501) },
    'more than a hook can hold': { custom_data: { a: 'x'.repeat(24_576) } },
  }
  for (const [what, userData] of Object.entries(refusals)) {
    test(what, () => assert.equal(saying(userData), null))
  }

  test('a hook has room for it twice, and for the token once', () => {
    const userData = { custom_data: { a: 'x'.repeat(9_500) } }
    assert.notEqual(offered({ userData }, { content: 'x'.repeat(19_000) }), null)
    assert.equal(offered({ userData }, { content: 'x'.repeat(21_000) }), null)
  })
})

describe('members as older clients write them', () => {
  test('both addresses, with a comma between or as a list, in any order', () => {
    const both = ['shipping,billing', 'billing,shipping', ' billing , shipping ', ['billing', 'shipping']]
    for (const address of both) assert.equal(saying({ address })?.address, 'shipping,billing', String(address))
    for (const address of [['billing'], 'billing', 'billing,billing'])
      assert.equal(saying({ address })?.address, 'billing')
    assert.equal(saying({ address: [] })?.address, null)
    for (const address of ['billing,', 'home,billing', [['shipping']], ['shipping', 1], { shipping: true }, 7, true]) {
      assert.equal(saying({ address }), null, JSON.stringify(address))
    }
  })

  test('`name` is the title, and `item_name` goes before it', () => {
    assert.equal(saying({ name: 'Bell' })?.title, 'Bell')
    assert.equal(saying({ name: 'Bell', item_name: 'Brass bell' })?.title, 'Brass bell')
    assert.equal(saying({ name: 'Bell', item_name: '' })?.title, 'Bell')
    assert.equal(saying({ name: 7 }), null)
  })

  test('`quantity` and `item_quantity` are the stock; a token for one customer pays once all the same', () => {
    const page = { kind: 'url', value: '' } as const
    const stock = (userData: Data, target: OpenedToken['target'] = page) => offered({ target, userData })?.stockLeft
    assert.deepEqual(
      [stock({ quantity: '5' }), stock({ quantity: 5 }), stock({ item_quantity: 7, quantity: 5 })],
      [5, 5, 7],
    )
    assert.deepEqual([stock({}), stock({ quantity: '' })], [null, null])
    assert.deepEqual([stock({ quantity: 5 }, token.target), stock({ quantity: 0 }, token.target)], [1, 0])
    for (const quantity of [-1, 1.5, '1e3', ' 5', 1_000_000_001, true]) assert.equal(stock({ quantity }), undefined)
  })

  test('`url` of a targeted token is the page of its offer; one for everybody names its own', () => {
    const url = 'https://shop.example/bell'
    assert.equal(saying({ url })?.pageUrl, url)
    assert.equal(saying({ url: '' })?.pageUrl, null)
    assert.equal(saying({ url: 'javascript:alert(1)' }), null)
    assert.equal(saying({ url: 7 }), null)
    const open = (value: string) => offered({ target: { kind: 'url', value }, userData: { url } })
    assert.equal(open('https://shop.example/own')?.pageUrl, 'https://shop.example/own')
    assert.deepEqual([open('')?.pageUrl, open('')?.email, open('')?.stockLeft], [null, null, null], 'the page is ours')
  })

  test('`custom_data` that is text is kept as `custom_user_data`, and does not hide another', () => {
    const kept = (userData: Data) => {
      const offer = saying(userData)
      return offer === null ? null : [offer.customData, offer.customUserData]
    }
    assert.deepEqual(kept({ custom_data: 'order 5' }), [{}, 'order 5'])
    assert.deepEqual(kept({ custom_data: 'x', custom_user_data: 'x' }), [{}, 'x'])
    assert.equal(kept({ custom_data: 'x', custom_user_data: 'y' }), null)
    assert.equal(kept({ custom_data: 'x'.repeat(2_501) }), null)
    assert.equal(kept({ custom_data: '4111 1111 1111 1111' }), null)
    assert.equal(kept({ custom_user_data: '\0' }), null)
  })
})

describe('currency and amount', () => {
  test('a token has the currency that it names, else that of its key', () => {
    assert.equal(saying({})?.currency, 'USD')
    assert.equal(saying({ currency: 'EUR' })?.currency, 'EUR')
    assert.equal(saying({ currency: null })?.currency, 'USD')
    assert.equal(offered({}, { keyCurrency: 'JPY' as Currency })?.currency, 'JPY')
    for (const currency of ['XXX', 'EURO', 7, ['EUR'], {}]) assert.equal(saying({ currency }), null)
  })

  test('a float is rounded to the decimals of its currency, and below 10,000,000 of its smallest unit', () => {
    const minor = (amount: number, currency = 'USD') => {
      const read = tokenAmountMinor(Math.fround(amount), currency as Currency)
      return typeof read === 'bigint' ? read : null
    }
    for (let cents = 1n; cents < 10_000_000n; cents = cents * 3n + 7n) assert.equal(minor(Number(cents) / 100), cents)
    for (let fils = 1n; fils < 10_000_000n; fils = fils * 3n + 7n) assert.equal(minor(Number(fils) / 1000, 'KWD'), fils)
    for (let yen = 1n; yen < 10_000_000n; yen = yen * 3n + 7n) assert.equal(minor(Number(yen), 'JPY'), yen)
    assert.deepEqual(
      [minor(99_999.99), minor(9_999_999, 'JPY'), minor(9_999.999, 'KWD')],
      [9_999_999n, 9_999_999n, 9_999_999n],
    )
    assert.deepEqual(
      [minor(0.004), minor(99_999.999), minor(10_000_000, 'JPY'), minor(10_000, 'KWD')],
      [null, null, null, null],
    )
    assert.deepEqual([minor(500, 'JPY'), minor(20.55, 'JPY'), minor(20.55, 'KWD')], [500n, 21n, 20_550n])
  })
})

test('why it does not open is said to its merchant in sentences that name the member', () => {
  assert.match(
    whyNot({ userData: { currency: 'XXX' } }),
    /^user_data\.currency is "XXX", which is not a known currency\.$/,
  )
  assert.match(
    whyNot({ amount: 100_000 }),
    /^The amount \(100000 USD\) is more than a token can hold, which is 99999\.99 USD\.$/,
  )
  assert.match(
    whyNot({ userData: { address: 'home', fulfillment: -1 } }),
    /user_data\.fulfillment must .* user_data\.address must /,
  )
  assert.match(
    whyNot({ target: { kind: 'card', value: 'q83vEjRWeJCrze8SNFZ4kKvN' } }),
    /^The card that it is for is not stored/,
  )
})

test('it is over from the very moment that it names', () => {
  assert.equal(tokenHasExpired({ ...token, expiresAt: noon }, noon), true)
  assert.equal(tokenHasExpired({ ...token, expiresAt: noon }, new Date(noon.getTime() - 1)), false)
  assert.equal(tokenHasExpired(token, new Date('2100-01-01')), false)
})
