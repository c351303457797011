// The deliverer works for all merchants. Whoever woke it, it does not wait where that merchant's work waits for a connection.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../src/config.ts'
import type { MerchantId } from '../src/core/ids.ts'
import { openFoundation } from '../src/foundation.ts'
import { joinHooks } from '../src/join-hooks.ts'
import { openLog } from '../src/observe/log.ts'
import { openMetrics } from '../src/observe/metrics.ts'
import { addEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

test('hooks go out while the work of the merchant that woke the deliverer has no connection', async t => {
  const service = await startTestService({ TILLBELL_ROLES: 'api' })
  const [stuck, other] = [await service.newMerchant(), await service.newMerchant()]
  const [offer, card] = [await other.makeOffer(), await other.storeCard()]
  const endpoint = await startEndpoint(response => response.end())
  await addEndpoint(service.database.sql, other.merchant, { url: endpoint.url, kind: 'transaction' })

  const log = openLog('silent')
  const config = readConfig({ TILLBELL_DATA: service.dataFolder, DATABASE_URL: service.database.url })
  const worker = await openFoundation(config, 'guest', log)
  const free = Promise.withResolvers<void>()
  const { deliverer, outbox } = joinHooks(worker, log, openMetrics())
  t.after(async () => {
    free.resolve()
    await deliverer.stop()
    await worker.close()
    await endpoint.close()
    await service.stop()
  })
  await deliverer.start()

  const { sql } = worker
  const name = { merchantId: stuck.merchant as MerchantId }
  let [begun, held] = [0, 0]
  const hold = () => {
    begun += 1
    return sql.worksFor(name, () =>
      sql.begin(async () => {
        held += 1
        await free.promise
      }),
    )
  }
  const holding = Array.from({ length: 20 }, hold)
  await until('it has all that it may have', async () => held > 0 && (await delay(100).then(() => held)) === held)
  assert.ok(held < begun, 'the next one waits')
  // At least one of these comes while no round is under way, and begins the next.
  for (let times = 0; times < 100; times++) {
    sql.worksFor(name, () => outbox.born([], true))
    await delay(5)
  }
  assert.equal((await other.charge(offer, card)).status, 200)
  await until('the hook has come', async () => endpoint.received.length === 1)
  free.resolve()
  await Promise.all(holding)
})
