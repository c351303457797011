import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTime } from '../../../test/gateways/conformance/bench.ts'
import { openTestGateway } from '../../../test/support/braintree/gateway.ts'
import { credentialsAt } from '../../../test/support/braintree/server.ts'
import type { GatewayId } from '../../core/ids.ts'
import { memoryBooks } from '../sandbox/books.ts'
import type { GatewayWorld } from '../type.ts'
import { refusedCards } from './cards.ts'
import { braintreeType } from './type.ts'

const world = (mode: GatewayWorld['mode']): GatewayWorld => ({
  mode,
  books: memoryBooks(),
  fingerprintKey: Buffer.alloc(32, 7),
  ownPorts: () => [8080],
  challengeUrl: () => '',
})
const right = credentialsAt(9)
const { api_base: _, ...withoutBase } = right

function whyNot(more: object, mode: GatewayWorld['mode'] = 'sandbox'): string | undefined {
  return braintreeType.whyNot({ ...right, ...more }, world(mode))?.says
}

test('credentials that cannot be meant are refused by name', () => {
  assert.equal(whyNot({}), undefined)
  for (const name of ['merchant_id', 'public_key', 'private_key']) {
    for (const wrong of [undefined, '', 7, 'a b', 'a/b', 'x'.repeat(65)]) {
      assert.match(whyNot({ [name]: wrong }) ?? '', new RegExp(name))
    }
  }
  for (const [wrong, says] of [
    ['USD', /such as/],
    [[], /such as/],
    [null, /such as/],
    [{ USD: 'a', XXX: 'a' }, /XXX is none/],
    [{ usd: 'a' }, /usd is none/],
    [{ '4111111111111111': 'a' }, /a name is none/],
    [{ USD: 'a', EUR: '' }, /for EUR/],
    [{ USD: 5 }, /for USD/],
  ] as const) {
    const told = whyNot({ merchant_accounts: wrong }) ?? ''
    assert.match(told, /merchant_accounts/)
    assert.match(told, says)
  }
  const elsewhere = [
    'https://127.0.0.1:1',
    'http://example.com',
    'http://127.0.0.1/path',
    'http://u@127.0.0.1',
    'no',
    5,
  ]
  for (const wrong of elsewhere) assert.match(whyNot({ api_base: wrong }) ?? '', /api_base/)
  assert.match(whyNot({ api_base: 'http://127.0.0.1:8080' }) ?? '', /not have this service itself/)
})

test('each mode has its environment, and live mode no other address', () => {
  assert.match(whyNot({ environment: 'production' }) ?? '', /environment sandbox/)
  assert.match(whyNot({ environment: 'sandbox' }, 'live') ?? '', /environment production/)
  assert.match(whyNot({ environment: 'production' }, 'live') ?? '', /api_base/)
  assert.equal(braintreeType.whyNot({ ...withoutBase, environment: 'production' }, world('live')), null)
})

test('the account is that of the keys, and wrong keys or merchant accounts are refused', async context => {
  const { fake } = await openTestGateway(context, { pageSize: 2 })
  const identify = (more: object) =>
    braintreeType.identify({ ...fake.credentials, ...more }, world('sandbox'), inTime(), 'gw' as GatewayId)
  const account = `127.0.0.1:${fake.port}/tillbelltest`
  assert.deepEqual(await identify({}), { kind: 'account', account })
  for (const [more, says] of [
    [{ private_key: 'wrong' }, /not accepted/],
    [{ merchant_id: 'nobody' }, /merchant_id/],
    [{ merchant_accounts: { USD: 'nowhere' } }, /nowhere/],
    [{ merchant_accounts: { USD: 'shop_eur' } }, /another currency/],
  ] as const) {
    const identified = await identify(more)
    assert.equal(identified.kind, 'refused')
    assert.match(identified.says, says)
    assert.ok(!identified.says.includes('wrong'))
  }
  for (const answers of [500, 'html', 'other xml', 'reset'] as const) {
    fake.failNext({ at: /merchant_accounts/, executes: false, answers })
    assert.equal((await identify({})).kind, 'unknown', String(answers))
  }
})

test('what is not the card’s fault is not said of the card', async context => {
  const { gateway, fake } = await openTestGateway(context)
  for (const [at, reference] of [
    [/customers/, 'fake-valid-nonce'],
    [/payment_methods/, 'token:abc'],
  ] as const) {
    for (const [answers, said] of [
      [401, 'gateway_credentials_refused'],
      [403, 'gateway_credentials_refused'],
      [429, 'gateway_busy'],
      [426, 'gateway_refused'],
      [500, 'unknown'],
      [503, 'unknown'],
      ['html', 'unknown'],
      ['reset', 'unknown'],
    ] as const) {
      fake.failNext({ at, executes: false, answers })
      const outcome = await gateway.storeCard({ reference }, inTime())
      assert.equal(outcome.kind === 'not_sent' ? outcome.code : outcome.kind, said, `${reference} ${answers}`)
    }
  }
  fake.failNext({ at: /customers/, executes: true, answers: 'other xml' })
  assert.equal((await gateway.storeCard({ reference: 'fake-valid-nonce' }, inTime())).kind, 'unknown')
  fake.failNext({ at: /payment_methods/, executes: false, answers: 401 })
  assert.equal((await gateway.describeCard('abc', inTime())).kind, 'unknown')
})

test('cards come by a nonce or by their name in the vault, and never by their number', async context => {
  const { gateway } = await openTestGateway(context)
  const store = (reference: string) => gateway.storeCard({ reference }, inTime())
  const first = await store('fake-valid-amex-nonce')
  assert.ok(first.kind === 'stored')
  assert.deepEqual([first.type, first.mask], ['american_express', '0005'])
  assert.deepEqual(await store(`token:${first.cardRef}`), first)
  for (const [reference, type] of [
    ['fake-valid-mastercard-nonce', 'master'],
    ['fake-valid-discover-nonce', 'discover'],
    ['fake-valid-jcb-nonce', 'other'],
  ] as const) {
    const stored = await store(reference)
    assert.equal(stored.kind === 'stored' && stored.type, type)
  }
  const refusals: readonly [string, string][] = [
    ['4111111111111111', refusedCards.reference],
    ['token:', refusedCards.reference],
    ['token:../customers', refusedCards.reference],
    ['a nonce', refusedCards.reference],
    ['token:nobody', refusedCards.notThere],
    ['no-such-nonce', refusedCards.notStored],
  ]
  for (const [reference, sentence] of refusals) assert.deepEqual(await store(reference), { kind: 'refused', sentence })
  const number = { number: '4111111111111111', cvc: null, expiryMonth: 12, expiryYear: 2036 }
  assert.deepEqual(await gateway.storeCard(number, inTime()), { kind: 'refused', sentence: refusedCards.number })
})
