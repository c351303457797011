// The gateways that a line can be cut to: each adapter, with the server that speaks its gateway's language.

import assert from 'node:assert/strict'
import type { CardDetails, CardReference, Gateway, OperationKind } from '../../src/core/gateway.ts'
import type { GatewayId } from '../../src/core/ids.ts'
import { memoryBooks } from '../../src/gateways/sandbox/books.ts'
import { openSandboxOverHttp } from '../../src/gateways/sandbox/http-adapter.ts'
import { createSandboxServer } from '../../src/gateways/sandbox/server.ts'
import { listening } from '../../src/gateways/sandbox/strange-peer.ts'
import { testCardThat } from '../../src/gateways/sandbox/test-cards.ts'
import { openStripe } from '../../src/gateways/stripe/adapter.ts'
import { gatewayAt } from './braintree/gateway.ts'
import { openFakeBraintree } from './braintree/server.ts'
import type { FarEnd } from './every-byte.ts'
import { startStripe } from './stripe/server.ts'

async function stored(gateway: Gateway, card: CardDetails | CardReference): Promise<string> {
  const outcome = await gateway.storeCard(card, AbortSignal.timeout(10_000))
  assert.equal(outcome.kind, 'stored')
  return outcome.cardRef
}

async function sandboxOverHttp(): Promise<FarEnd> {
  const books = memoryBooks()
  const server = createSandboxServer({ books, fingerprintKey: Buffer.alloc(32, 7) })
  const port = Number(new URL(await listening(server)).port)
  const open = (at: number) => openSandboxOverHttp({ url: `http://127.0.0.1:${at}`, account: 'acct' })
  const direct = open(port)
  return {
    port,
    open,
    card: () => stored(direct, testCardThat('success')),
    async balanceOf(_, chargeId) {
      const read = await books.transact('acct', chargeId, entries => ({ append: [], result: entries }))
      assert.equal(read.kind, 'written')
      const done = read.result.filter(({ step }) => step === 'succeeded')
      const sum = (kind: OperationKind) =>
        done.filter(entry => entry.kind === kind).reduce((total, { bookedMinor }) => total + bookedMinor, 0n)
      assert.ok(done.filter(({ kind }) => kind === 'charge').length <= 1, 'charged twice')
      if (done.some(({ kind }) => kind === 'void')) return 0n
      return (done.some(({ kind }) => kind === 'capture') ? sum('capture') : sum('charge')) - sum('refund')
    },
    async close() {
      direct.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

async function stripe(): Promise<FarEnd> {
  const server = await startStripe()
  const { secret_key: secretKey, publishable_key: publishableKey, webhook_secret: webhookSecret } = server.credentials
  const own = { id: 'gw_1' as GatewayId, fingerprintKey: Buffer.alloc(32, 7) }
  const keys = { ...own, secretKey, publishableKey, webhookSecret }
  const open = (port: number) => openStripe({ ...keys, apiBase: new URL(`http://127.0.0.1:${port}`) })
  const port = Number(new URL(server.url).port)
  const direct = open(port)
  return {
    port,
    open,
    card: () => stored(direct, { reference: 'pm_card_visa' }),
    balanceOf(transactionId) {
      const line = server.ledger().get(transactionId)
      if (line === undefined) return 0n
      assert.equal(line.charges, 1, 'charged twice')
      return BigInt(line.held + line.taken - line.refunded)
    },
    async close() {
      direct.close()
      await server.close()
      assert.deepEqual(server.complaints, [])
    },
  }
}

async function braintree(): Promise<FarEnd> {
  const server = await openFakeBraintree()
  const direct = gatewayAt(server.port)
  return {
    port: server.port,
    open: gatewayAt,
    card: () => stored(direct, { reference: 'fake-valid-visa-nonce' }),
    balanceOf(transactionId) {
      const charges = server.ledger().filter(row => row.transactionId === transactionId && row.kind === 'charge')
      assert.ok(charges.length <= 1, 'charged twice')
      return server.balanceOf(transactionId)
    },
    settle: () => server.settleAll(),
    async close() {
      direct.close()
      await server.close()
    },
  }
}

export const farEnds: { readonly [name: string]: () => Promise<FarEnd> } = {
  'the sandbox over HTTP': sandboxOverHttp,
  Stripe: stripe,
  Braintree: braintree,
}
