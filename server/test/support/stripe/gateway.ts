// The Stripe adapter, turned to a look-alike of its own.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Gateway } from '../../../src/core/gateway.ts'
import type { GatewayId } from '../../../src/core/ids.ts'
import { openAt } from './scripted-peer.ts'
import { type StripeServer, startStripe } from './server.ts'

export interface TestStripe {
  readonly stripe: StripeServer
  readonly gateway: Gateway
}

/** Until the test is over, which ends by holding that Stripe had nothing to complain of. */
export async function openTestStripe(context: TestContext): Promise<TestStripe> {
  const stripe = await startStripe()
  const gateway = gatewayAt(stripe)
  context.after(async () => {
    gateway.close()
    await stripe.close()
    assert.deepEqual(stripe.complaints, [])
  })
  return { stripe, gateway }
}

export function gatewayAt({ url, credentials }: StripeServer, id?: GatewayId): Gateway {
  const { secret_key: secretKey, webhook_secret: webhookSecret } = credentials
  return openAt(url, { secretKey, webhookSecret }, id)
}
