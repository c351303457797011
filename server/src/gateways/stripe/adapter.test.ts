// The Stripe adapter keeps the promises of every gateway, against a server that speaks Stripe's API and complains of
// every request that Stripe's reference does not allow.

import assert from 'node:assert/strict'
import { type BenchCard, inTime } from '../../../test/gateways/conformance/bench.ts'
import { gatewayConformance } from '../../../test/gateways/conformance/suite.ts'
import { type CuttingProxy, openCuttingProxy } from '../../../test/support/cutting-proxy.ts'
import { methodNamed } from '../../../test/support/stripe/cards.ts'
import { openAt, openPeer } from '../../../test/support/stripe/scripted-peer.ts'
import { startStripe } from '../../../test/support/stripe/server.ts'
import type { Gateway } from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'

const testCard = (reference: string, mask: string): BenchCard => ({
  reference,
  mask,
  expiryMonth: 12,
  expiryYear: 2040,
})

gatewayConformance('stripe', async () => {
  const stripe = await startStripe()
  const gateways: Gateway[] = []
  const open = (url: string, id?: GatewayId): Gateway => {
    const { secret_key: secretKey, webhook_secret: webhookSecret } = stripe.credentials
    const gateway = openAt(url, { secretKey, webhookSecret }, id)
    gateways.push(gateway)
    return gateway
  }
  const silent = await openPeer(() => {})
  const resetting = await openPeer(socket => void socket.resetAndDestroy())
  const gone = await openPeer(() => {})
  gone.close()
  const gateway = open(stripe.url)
  let line: CuttingProxy | null = null
  let clientSecret: string | null = null
  return {
    gateway,
    cards: {
      succeeding: testCard('pm_card_visa', '4242'),
      declined: testCard('pm_card_chargeCustomerFail', '0341'),
      refused: { number: '4242424242424242', cvc: '123', expiryMonth: 12, expiryYear: 2040 },
      challenged: testCard('pm_card_authenticationRequired', '3184'),
    },
    namesOf: cardRef => cardRef.split('/'),
    enteredCard: async () => ({ fieldsToken: methodNamed(stripe.state, 'pm_card_visa')?.id ?? assert.fail() }),
    async cardOfMerchant() {
      const stored = await open(stripe.url, 'gw_of_another_service' as GatewayId).storeCard(
        { reference: 'pm_card_visa' },
        inTime(),
      )
      return stored.kind === 'stored' ? stored.cardRef : assert.fail()
    },
    async challenge(charge, result) {
      const step = await gateway.customerStep?.(charge, 'https://shop.example/back', AbortSignal.timeout(10_000))
      if (step?.kind === 'redirect') {
        const body = new URLSearchParams({ result })
        const back = await fetch(step.url, { method: 'POST', body, redirect: 'manual' })
        const { searchParams } = new URL(back.headers.get('location') ?? '')
        clientSecret = searchParams.get('payment_intent_client_secret')
      } else if (result === 'pass' && clientSecret !== null) {
        // Who has been at the bank before needs no page any more: what the way back brought along is enough.
        await stripe.dashboard.payWithSecret(clientSecret, 'pm_card_visa')
      }
    },
    secrets: [stripe.credentials.secret_key, stripe.credentials.webhook_secret],
    chargesOf: async transactionId =>
      stripe.state.all('payment_intent').filter(({ metadata, amount_received, amount_capturable }) => {
        return metadata.tillbell_transaction === transactionId && amount_received + amount_capturable > 0
      }).length,
    network: {
      refusing: async () => open(gone.url),
      silent: async () => open(silent.url),
      resetting: async () => open(resetting.url),
      async delayed() {
        line = await openCuttingProxy(Number(new URL(stripe.url).port))
        line.arm('request', 0, 'hold')
        return { gateway: open(`http://127.0.0.1:${line.port}`), deliver: line.deliver }
      },
    },
    async otherAmount() {
      stripe.faults.always(
        { kind: 'alter', change: body => Object.assign(body, { amount_received: 2_499 }) },
        ({ method, path }) => method === 'POST' && path === '/v1/payment_intents',
      )
      return {}
    },
    async close() {
      for (const each of gateways) each.close()
      await line?.close()
      silent.close()
      resetting.close()
      await stripe.close()
      assert.deepEqual(stripe.complaints, [])
    },
  }
})
