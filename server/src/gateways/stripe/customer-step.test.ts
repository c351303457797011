// The customer's way to the card's bank and back.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BenchCard, chargeWith, inTime } from '../../../test/gateways/conformance/bench.ts'
import { openTestStripe } from '../../../test/support/stripe/gateway.ts'
import { charge as aCharge, intent, openPeer, response } from '../../../test/support/stripe/scripted-peer.ts'
import type { CustomerStep, Gateway } from '../../core/gateway.ts'

const back = 'https://shop.example/back'

async function waiting(context: TestContext, reference = 'pm_card_authenticationRequired') {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, { reference } as BenchCard)
  const sent = await gateway.send(charge, inTime())
  const keys = (): (string | null)[] =>
    stripe.asked.filter(({ path }) => path.endsWith('/confirm')).map(({ key }) => key)
  const confirmations = (): number => keys().length
  const step = (returnUrl = back): Promise<CustomerStep> => stepOf(gateway, charge, returnUrl)
  return { stripe, gateway, charge, sent, step, keys, confirmations }
}

async function stepOf(gateway: Gateway, charge: typeof aCharge, returnUrl = back): Promise<CustomerStep> {
  assert.ok(gateway.customerStep !== null)
  return gateway.customerStep(charge, returnUrl, inTime())
}

test('it begins once: whoever comes again is sent to the same page', async context => {
  const { step, confirmations } = await waiting(context)
  const first = await step()
  assert.ok(first.kind === 'redirect' && first.url.includes('/challenge/'))
  assert.deepEqual(await step('https://shop.example/elsewhere'), first)
  assert.equal(confirmations(), 1)
})

test('two tabs at once confirm under one key, which is not the charge’s', async context => {
  const { charge, step, keys, confirmations } = await waiting(context)
  const steps = await Promise.all([step(), step(), step()])
  assert.ok(steps.some(({ kind }) => kind === 'redirect'))
  assert.ok(confirmations() > 1)
  const used = new Set(keys())
  assert.equal(used.size, 1)
  assert.ok(!used.has(charge.id) && !used.has(null))
})

test('a tab that comes late, after the bank said no, begins nothing new', async context => {
  const { stripe, gateway, charge, sent, step, keys } = await waiting(context)
  assert.ok(sent.kind === 'further_action')
  assert.equal((await step()).kind, 'redirect')
  const id = sent.gatewayRef
  const [key] = keys()
  assert.ok(typeof key === 'string' && key !== charge.id)
  await stripe.dashboard.answerChallenge(id, 'fail')
  const form = new URLSearchParams({
    payment_method: charge.cardRef.split('/')[1] ?? '',
    return_url: back,
    off_session: 'false',
    'payment_method_options[card][request_three_d_secure]': 'challenge',
  })
  const authorization = `Bearer ${stripe.credentials.secret_key}`
  const late = await fetch(`${stripe.url}/v1/payment_intents/${id}/confirm`, {
    method: 'POST',
    headers: { authorization, 'idempotency-key': key },
    body: form,
  })
  assert.equal(late.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(await gateway.lookup(charge, inTime()), { kind: 'declined', code: 'authentication_failed' })
  assert.deepEqual(await step(), { kind: 'settled' })
})

const isConfirmation = ({ path }: { readonly path: string }): boolean => path.endsWith('/confirm')

test('a failure of Stripe that is kept under the key does not lock the customer out', async context => {
  const { stripe, step, keys } = await waiting(context)
  stripe.faults.next({ kind: 'breakdown', at: 'during' }, isConfirmation)
  assert.equal((await step()).kind, 'unknown')
  assert.equal((await step()).kind, 'redirect')
  const [first, again, next, ...others] = keys()
  assert.deepEqual([first, others], [again, []])
  assert.notEqual(next, first)
})

test('a failure that may not be kept is asked about again under the same key', async context => {
  const { stripe, step, keys } = await waiting(context)
  stripe.faults.next({ kind: 'breakdown', at: 'before' }, isConfirmation)
  assert.equal((await step()).kind, 'unknown')
  assert.equal((await step()).kind, 'redirect')
  assert.equal(new Set(keys()).size, 1)
})

test('a kept failure behind which the confirmation happened begins nothing new', async context => {
  const { stripe, step, confirmations } = await waiting(context)
  stripe.faults.next({ kind: 'breakdown', at: 'after' }, isConfirmation)
  assert.equal((await step()).kind, 'redirect')
  assert.equal((await step()).kind, 'redirect')
  assert.equal(confirmations(), 1)
})

test('Stripe that fails for ever is given up after a few keys', async context => {
  const { stripe, step, keys } = await waiting(context)
  stripe.faults.always({ kind: 'breakdown', at: 'during' }, isConfirmation)
  for (let visit = 0; visit < 10; visit++) assert.equal((await step()).kind, 'unknown')
  assert.equal(new Set(keys()).size, 5)
})

test('it is settled when the charge is', async context => {
  const paid = await waiting(context, 'pm_card_visa')
  assert.deepEqual(await paid.step(), { kind: 'settled' })
  const calledOff = await waiting(context)
  await calledOff.gateway.fence(calledOff.charge, inTime())
  assert.deepEqual(await calledOff.step(), { kind: 'settled' })
  assert.equal(calledOff.confirmations(), 0)
})

test('a charge that Stripe does not know, or cannot be asked about, is unknown', async context => {
  const { stripe, charge, gateway, step } = await waiting(context)
  assert.equal((await stepOf(gateway, { ...charge, id: aCharge.id })).kind, 'unknown')
  stripe.faults.next({ kind: 'reset', at: 'before' })
  assert.equal((await step()).kind, 'unknown')
})

test('only a page that is https, or on this machine beside a stand-in, is one to send a customer to', async () => {
  for (const [url, kind] of [
    ['https://hooks.stripe.com/3d_secure/1', 'redirect'],
    ['http://127.0.0.1:9/challenge', 'redirect'],
    ['http://bank.example/challenge', 'unknown'],
    ['javascript:alert(1)', 'unknown'],
    ['nowhere', 'unknown'],
  ] as const) {
    const now = intent({ status: 'requires_action', next_action: { redirect_to_url: { url } } })
    const list = `{"object":"list","has_more":false,"data":[${now}]}`
    const { gateway, close } = await openPeer(
      (socket, head) => void socket.write(response(200, head.includes('?customer=') ? list : now)),
    )
    assert.equal((await stepOf(gateway, aCharge)).kind, kind, url)
    close()
  }
})
