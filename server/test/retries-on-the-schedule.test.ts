// The seed's table, quoted, against a real endpoint and the sandbox clock.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { verifyHook } from '@tillbell/sdk'
import { addEndpoint, type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

/** As the interface writes it. */
const seedTable = `
| Attempt | 1 (original) | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |
|---|---|---|---|---|---|---|---|---|---|---|
| Time | 0 seconds | 5 minutes | 10 minutes | 15 minutes | 20 minutes | 27.5 minutes | 87.5 minutes | 4.8 hours | 12.8 hours | 28.45 hours |
`
const unitS: { readonly [unit: string]: number } = { seconds: 1, minutes: 60, hours: 3_600 }
const seedTimesS = [...seedTable.matchAll(/([0-9.]+) (seconds|minutes|hours)/g)].map(
  ([, number, unit = '']) => Number(number) * (unitS[unit] ?? Number.NaN),
)

describe('a notification that is never accepted', () => {
  let service: TestService
  let endpoint: MerchantEndpoint
  before(async () => {
    service = await startTestService()
    endpoint = await startEndpoint(response => response.writeHead(500).end('not today'))
    await service.database.sql`update hook_endpoint set deleted_at = now() where deleted_at is null`
    await addEndpoint(service.database.sql, service.demoSheet.merchant, { url: endpoint.url, kind: 'transaction' })
  })
  after(async () => {
    await service.stop()
    await endpoint.close()
  })

  test('is tried ten times, each within a second of its place in the table, and then dropped', async () => {
    assert.equal(seedTimesS.length, 10)
    const { demo, database } = service
    const first = await demo.charge(demo.offer, demo.card)
    assert.equal(first.status, 200, service.logged().slice(-3000))
    const attemptsMade = async () => {
      const rows = await database.sql<{ at: Date; status: number; response: string }[]>`
        select at, status, response from attempt order by number`
      return rows
    }
    await until('the original attempt is recorded', async () => (await attemptsMade()).length === 1)
    const { status } = await demo.ask('sandbox/clock', { form: { advance_s: 30 * 3_600 } })
    assert.equal(status, 200)
    const attempts = await attemptsMade()
    const originalMs = attempts[0]?.at.getTime() ?? 0
    const placesS = attempts.map(({ at }) => (at.getTime() - originalMs) / 1_000)
    assert.equal(placesS.length, 10)
    placesS.forEach((placeS, index) => {
      const lateS = placeS - (seedTimesS[index] ?? Number.NaN)
      assert.ok(lateS >= 0 && lateS <= 1, `attempt ${index + 1} came ${lateS} s after its place`)
    })
    const [delivery] = await database.sql`select state, attempts, scheduled_made, due_at from whole_delivery`
    assert.deepEqual({ ...delivery }, { state: 'dropped', attempts: 10, scheduledMade: 10, dueAt: null })
    assert.deepEqual(
      new Set(attempts.map(({ status, response }) => `${status} ${response}`)),
      new Set(['500 not today']),
    )
  })

  test('carries the same bytes each time, with a signature that verifies', () => {
    const bodies = new Set(endpoint.received.map(({ body }) => body))
    assert.deepEqual([endpoint.received.length, bodies.size], [10, 1])
    const form = new URLSearchParams([...bodies][0])
    assert.deepEqual([...form.keys()], ['details', 'signature'])
    assert.ok(verifyHook(form.get('details') ?? '', form.get('signature') ?? '', service.demoSheet.private_key))
  })

  test('is not tried an eleventh time', async () => {
    const { demo } = service
    await demo.ask('sandbox/clock', { form: { advance_s: 10 * 86_400 } })
    assert.equal(endpoint.received.length, 10)
  })
})
