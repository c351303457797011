// A service, a Stripe, and a merchant of both, for the tests of a whole file. After each of them Stripe has had nothing to
// complain of, and all that it told was taken in the end; after all of them the books are audited.

import assert from 'node:assert/strict'
import { after, afterEach } from 'node:test'
import type { MerchantId } from '../../../src/core/ids.ts'
import { answered } from '../answers.ts'
import { audited } from '../audited.ts'
import type { Client } from '../client.ts'
import { startTestService, type TestService } from '../service.ts'
import { type Connected, connectStripe } from './connected.ts'
import { type StripeServer, startStripe } from './server.ts'

export interface StripeShop {
  readonly service: TestService
  readonly stripe: StripeServer
  readonly shop: Client & { readonly merchant: string }
  readonly connected: Connected
  /** The transaction, as REST shows it now. */
  // biome-ignore lint/suspicious/noExplicitAny: each test reads what it expects there
  record(id: string): Promise<any>
}

export async function openStripeShop(): Promise<StripeShop> {
  const [service, stripe] = [await startTestService(), await startStripe()]
  const shop = await service.newMerchant()
  const connected = await connectStripe(shop, stripe)
  afterEach(async () => {
    stripe.faults.clear()
    // What came while our own answer was on its way is told once more.
    await stripe.webhooks.settled()
    assert.deepEqual(stripe.complaints, [])
    assert.deepEqual(stripe.webhooks.refused(), [])
    assert.doesNotMatch(service.logged(), /more than is left/)
  })
  after(async () => {
    try {
      await audited(service.database.sql, shop.merchant as MerchantId)
    } finally {
      await service.stop()
      await stripe.close()
    }
  })
  return {
    ...{ service, stripe, shop, connected },
    record: async id => answered(await shop.ask(`transactions/${id}`), 200).json.transaction,
  }
}
