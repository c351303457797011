import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTime } from '../../../test/gateways/conformance/bench.ts'
import { openPeer, refusing, type Talk } from '../../../test/support/stripe/scripted-peer.ts'
import { startStripe } from '../../../test/support/stripe/server.ts'
import type { GatewayId } from '../../core/ids.ts'
import { memoryBooks } from '../sandbox/books.ts'
import type { GatewayWorld, Identified } from '../type.ts'
import { stripeType } from './type.ts'

const world = (mode: 'sandbox' | 'live'): GatewayWorld => ({
  mode,
  books: memoryBooks(),
  fingerprintKey: Buffer.alloc(32),
  ownPorts: () => [80, 8080],
  challengeUrl: () => assert.fail('Stripe has pages of its own'),
})
const test1 = { secret_key: 'sk_test_1', publishable_key: 'pk_test_1', webhook_secret: 'whsec_1' }
const live1 = { secret_key: 'rk_live_1', publishable_key: 'pk_live_1', webhook_secret: 'whsec_1' }
const id = 'gw_1' as GatewayId

test('keys of the right kind are taken in each mode, and a stand-in on this machine in a sandbox', () => {
  assert.equal(stripeType.whyNot(test1, world('sandbox')), null)
  assert.equal(stripeType.whyNot({ ...test1, api_base: 'http://127.0.0.1:12111' }, world('sandbox')), null)
  assert.equal(stripeType.whyNot({ ...test1, api_base: 'http://localhost:12111/' }, world('sandbox')), null)
  assert.equal(stripeType.whyNot(live1, world('live')), null)
  const { webhook_secret: _, ...notYetKnown } = test1
  assert.equal(stripeType.whyNot(notYetKnown, world('sandbox')), null)
})

for (const [what, credentials, mode, says] of [
  ['no secret key', { ...test1, secret_key: undefined }, 'sandbox', /secret_key that begins with sk_test_/],
  ['a live key in a sandbox', { ...test1, secret_key: 'sk_live_1' }, 'sandbox', /secret_key .* in sandbox mode/],
  ['a test key in live mode', { ...live1, secret_key: 'sk_test_1' }, 'live', /secret_key .* in live mode/],
  ['a key with a line break', { ...test1, secret_key: 'sk_test_1\r\nx: y' }, 'sandbox', /secret_key/],
  ['a placeholder', { ...test1, secret_key: 'sk_test_…' }, 'sandbox', /secret_key with letters, digits and _ alone/],
  ['a beginning alone', { ...test1, publishable_key: 'pk_test_' }, 'sandbox', /publishable_key with letters/],
  ['a webhook placeholder', { ...test1, webhook_secret: 'whsec_...' }, 'sandbox', /webhook_secret with letters/],
  ['keys that were swapped', { ...test1, secret_key: 'pk_test_1' }, 'sandbox', /secret_key/],
  ['another mode’s publishable key', { ...test1, publishable_key: 'pk_live_1' }, 'sandbox', /publishable_key/],
  ['an empty webhook secret', { ...test1, webhook_secret: '' }, 'sandbox', /webhook_secret/],
  ['a stand-in in live mode', { ...live1, api_base: 'http://127.0.0.1:1' }, 'live', /api_base in live mode/],
  ['a stand-in elsewhere', { ...test1, api_base: 'http://stripe.example' }, 'sandbox', /an api_base such as/],
  ['this service', { ...test1, api_base: 'http://127.0.0.1:8080' }, 'sandbox', /not have this service itself/],
  ['this service, its port unsaid', { ...test1, api_base: 'http://localhost' }, 'sandbox', /this service itself/],
  ['a stand-in under a path', { ...test1, api_base: 'http://127.0.0.1:1/v2' }, 'sandbox', /an api_base such as/],
  ['a stand-in with a user', { ...test1, api_base: 'http://a@127.0.0.1:1' }, 'sandbox', /an api_base such as/],
] as const) {
  test(`refused: ${what}`, () => {
    const wrong = stripeType.whyNot(credentials, world(mode))
    assert.equal(wrong?.field, 'credentials')
    assert.match(wrong.says, says)
  })
}

test('an account is known by the name that Stripe gives it', async context => {
  const stripe = await startStripe()
  context.after(() => stripe.close())
  const identified = await stripeType.identify(stripe.credentials, world('sandbox'), inTime(), id)
  assert.deepEqual(identified, { kind: 'account', account: stripe.state.accountId })
  const wrong = { ...stripe.credentials, secret_key: 'sk_test_wrong' }
  assert.deepEqual(await stripeType.identify(wrong, world('sandbox'), inTime(), id), {
    kind: 'refused',
    says: 'are not accepted by Stripe.',
  })
  assert.deepEqual(stripe.complaints, [])
})

async function identifiedBy(talk: Talk): Promise<Identified> {
  const peer = await openPeer(talk)
  try {
    return await stripeType.identify({ ...test1, api_base: peer.url }, world('sandbox'), inTime(), id)
  } finally {
    peer.close()
  }
}

test('an account that cannot be asked for is unknown, with a sentence', async () => {
  for (const talk of [refusing(429, { code: 'rate_limit' }), refusing(500, { type: 'api_error' })]) {
    const identified = await identifiedBy(talk)
    assert.ok(identified.kind === 'unknown' && /\.$/.test(identified.sentence))
  }
})

test('what asking again would not change is refused: a key without the right, and a suspended account', async () => {
  for (const [talk, says] of [
    [refusing(403, {}), /may not read its own account/],
    [refusing(403, { code: 'account_invalid' }), /suspended/],
    [refusing(400, { code: 'account_invalid' }), /suspended/],
  ] as const) {
    const identified = await identifiedBy(talk)
    assert.ok(identified.kind === 'refused')
    assert.match(identified.says, says)
  }
})
