// The customer's way to the card's bank and back.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startStripe } from '../../../test/support/stripe/server.ts'
import type { CustomerStep, Gateway } from '../../core/gateway.ts'
import { type BenchCard, chargeWith, inTime } from '../conformance/bench.ts'
import { charge as aCharge, intent, openAt, openPeer, response } from './scripted-peer.ts'

const back = 'https://shop.example/back'

async function waiting(context: TestContext, reference = 'pm_card_authenticationRequired') {
  const stripe = await startStripe()
  const { secret_key: secretKey, webhook_secret: webhookSecret } = stripe.credentials
  const gateway = openAt(stripe.url, { secretKey, webhookSecret })
  context.after(async () => {
    gateway.close()
    await stripe.close()
    assert.deepEqual(stripe.complaints, [])
  })
  const charge = await chargeWith(gateway, { reference } as BenchCard)
  const sent = await gateway.send(charge, inTime())
  const confirmations = (): number => stripe.asked.filter(({ path }) => path.endsWith('/confirm')).length
  const step = (returnUrl = back): Promise<CustomerStep> => stepOf(gateway, charge, returnUrl)
  return { stripe, gateway, charge, sent, step, confirmations }
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
  const { stripe, charge, step, confirmations } = await waiting(context)
  const steps = await Promise.all([step(), step(), step()])
  assert.ok(steps.some(({ kind }) => kind === 'redirect'))
  assert.ok(confirmations() > 1)
  const keys = new Set(stripe.asked.filter(({ path }) => path.endsWith('/confirm')).map(({ key }) => key))
  assert.equal(keys.size, 1)
  assert.ok(!keys.has(charge.id) && !keys.has(null))
})

test('a tab that comes late, after the bank said no, begins nothing new', async context => {
  const { stripe, gateway, charge, sent, step } = await waiting(context)
  assert.ok(sent.kind === 'further_action')
  assert.equal((await step()).kind, 'redirect')
  const id = sent.gatewayRef
  const key = stripe.asked.find(({ path }) => path.endsWith('/confirm'))?.key ?? null
  assert.ok(key !== null && key !== charge.id)
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
