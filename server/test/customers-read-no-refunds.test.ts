// Whoever has a payment's address may look at its page as often as strangers may ask for a page. Its refunds may have megabytes, and are
// not read for it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { OfferId, TransactionId } from '../src/core/ids.ts'
import { openFoundation } from '../src/foundation.ts'
import { stepPagePorts } from '../src/join-steps.ts'
import { join } from '../src/join-work.ts'
import { openLog } from '../src/observe/log.ts'
import { openMetrics } from '../src/observe/metrics.ts'
import { answered } from './support/answers.ts'
import { startTestService } from './support/service.ts'

test('the page of a payment reads what became of it, and none of its refunds', async t => {
  const service = await startTestService()
  const { demo, dataFolder, database } = service
  const { id } = answered(await demo.charge(demo.offer, demo.card), 200).json.transaction
  for (const amount of ['1.00', '2.00'])
    answered(await demo.ask('transactions/refunds', { form: { transaction: id, amount, notes: 'Too dear.' } }), 200)
  const config = readConfig({ TILLBELL_DATA: dataFolder, DATABASE_URL: database.url })
  const foundation = await openFoundation(config, 'guest', openLog('silent'))
  t.after(async () => {
    await foundation.close()
    await service.stop()
  })
  const log = openLog('silent')
  const joined = join(foundation, log, openMetrics(), { mode: 'sandbox', baseUrl: service.baseUrl })
  const store = { ...joined.ports.store, load: () => assert.fail('it reads all of the payment') }
  const pages = stepPagePorts(foundation, { ...joined, ports: { ...joined.ports, store } })

  const sale = await pages.find(demo.offer as OfferId, id as TransactionId)
  assert.equal(sale?.transaction.refundedMinor, 300n)
  assert.deepEqual(
    sale.operations.map(({ kind }) => kind),
    ['charge'],
  )
  assert.equal((await pages.lookAgain(sale)).transaction.id, id)
  assert.deepEqual(await pages.begin(sale, service.baseUrl), { kind: 'over' })
  const page = await fetch(`${service.baseUrl}/offers/${demo.offer}?transaction=${id}`)
  assert.match(await page.text(), /\$3\.00/)
})
