// What goes on beside requests is for all merchants. Whoever began it, it does not wait where that merchant's work waits for a connection;
// and what one hook needs comes from the connections of its merchant.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../src/config.ts'
import type { MerchantId } from '../src/core/ids.ts'
import { type Foundation, openFoundation } from '../src/foundation.ts'
import { clockMover, join } from '../src/join-work.ts'
import { openLog } from '../src/observe/log.ts'
import { openMetrics } from '../src/observe/metrics.ts'
import type { Database } from '../src/store/database.ts'
import { addEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

/** A service that takes requests, and beside it the work of a process that begins with the test. */
async function begin(t: TestContext) {
  const service = await startTestService({ TILLBELL_ROLES: 'api' })
  const [stuck, other] = [await service.newMerchant(), await service.newMerchant()]
  const [offer, card] = [await other.makeOffer(), await other.storeCard()]
  const endpoint = await startEndpoint(response => response.end())
  await addEndpoint(service.database.sql, other.merchant, { url: endpoint.url, kind: 'transaction' })
  const config = readConfig({ TILLBELL_DATA: service.dataFolder, DATABASE_URL: service.database.url })
  const worker: Foundation = await openFoundation(config, 'guest', openLog('silent'))
  const joined = join(worker, openLog('silent'), openMetrics(), { mode: 'sandbox', baseUrl: service.baseUrl })
  const free = Promise.withResolvers<void>()
  t.after(async () => {
    free.resolve()
    await joined.deliverer.stop()
    await worker.close()
    await endpoint.close()
    await service.stop()
  })
  const name = { merchantId: stuck.merchant as MerchantId }
  return {
    ...{ worker, joined, stuck, name, endpoint },
    chargeOther: async () => assert.equal((await other.charge(offer, card)).status, 200),
    holdAll: () => holdAll(worker.sql, name, free.promise),
    free: free.resolve,
  }
}

/** Until it is freed, this merchant has no connection left; how to wait until all are given back. */
async function holdAll(sql: Database, name: { readonly merchantId: MerchantId }, freed: Promise<void>) {
  let held = 0
  const hold = () =>
    sql.worksFor(name, () =>
      sql.begin(async () => {
        held += 1
        await freed
      }),
    )
  const holding = Array.from({ length: 20 }, hold)
  await until('it has all that it may have', async () => held > 0 && (await delay(100).then(() => held)) === held)
  assert.ok(held < holding.length, 'the next one waits')
  return () => Promise.all(holding)
}

test('hooks go out while the work of the merchant that woke the deliverer has no connection', async t => {
  const { worker, joined, name, endpoint, chargeOther, holdAll, free } = await begin(t)
  await joined.deliverer.start()
  const allGivenBack = await holdAll()
  // At least one of these comes while no round is under way, and begins the next.
  for (let times = 0; times < 100; times++) {
    worker.sql.worksFor(name, () => joined.outbox.born([], true))
    await delay(5)
  }
  await chargeOther()
  await until('the hook has come', async () => endpoint.received.length === 1)
  free()
  await allGivenBack()
})

test('the clock is moved, and what falls due is done, while the work of the merchant that moves it has no connection', async t => {
  const { worker, joined, name, endpoint, chargeOther, holdAll, free } = await begin(t)
  const allGivenBack = await holdAll()
  await chargeOther()
  const ofMail = async () => (await worker.sql`select 1`.start()).length - 1
  const moveClock = clockMover(worker, joined, ofMail)
  await worker.sql.worksFor(name, () => moveClock(60_000))
  assert.equal(endpoint.received.length, 1)
  free()
  await allGivenBack()
})

test('what a hook needs of the database comes from the connections of its merchant', async t => {
  const { joined, stuck, endpoint, chargeOther, holdAll, free } = await begin(t)
  const stuckEndpoint = await startEndpoint(response => response.end())
  t.after(() => stuckEndpoint.close())
  const json = { url: stuckEndpoint.url, kind: 'transaction', standard_webhooks: true }
  assert.equal((await stuck.ask('hook_endpoints', { json })).status, 200)
  assert.equal((await stuck.charge(await stuck.makeOffer(), await stuck.storeCard())).status, 200)
  const allGivenBack = await holdAll()
  await joined.deliverer.start()
  for (const count of [1, 2]) {
    await chargeOther()
    await until('the hook of the other has come', async () => endpoint.received.length === count)
  }
  assert.equal(stuckEndpoint.received.length, 0, 'its secret is not read with a connection of everybody')
  free()
  await allGivenBack()
  await until('its hook has come', async () => stuckEndpoint.received.length === 1)
})
