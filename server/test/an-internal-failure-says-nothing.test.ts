// What we did not expect: the caller gets 500 and a request id, the log has the rest under that id, and when the trouble
// is over the service goes on.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, answeredAbout, refused, rowCounts } from './support/answers.ts'
import { send } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

async function without(table: string, work: () => Promise<void>): Promise<void> {
  const { sql } = service.database
  await sql`alter table ${sql(table)} rename to mislaid`
  try {
    await work()
  } finally {
    await sql`alter table mislaid rename to ${sql(table)}`
  }
}

test('a failure inside is 500 with a request id and no detail, and the log has the detail under that id', async () => {
  const { demo } = service
  await without('offer', async () => {
    const asks = [
      demo.charge(demo.offer, demo.card, { key: 'again' }),
      demo.charge(demo.offer, demo.card, { method: 'GET' }),
      demo.ask('offers', { form: { amount: '5.00' } }),
      demo.ask('transactions'),
    ]
    for (const answer of await Promise.all(asks)) {
      refused(answer, 500, ['general'])
      assert.doesNotMatch(answer.text, /offer"? does not exist|relation|mislaid|PostgresError/)
      const id = String(answer.headers['x-request-id'])
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.equal(answer.json.errors.general, `Something went wrong on our side. The request id is ${id}.`)
      const line = service
        .logged()
        .split('\n')
        .find(each => each.includes(id) && each.includes('"level":"error"'))
      assert.match(line ?? '', /does not exist/)
    }
  })
  const before = await rowCounts(service.database.sql)
  assert.deepEqual([before.transaction, before.operation, before.idempotency_key], [0, 0, 0])
  answeredAbout(await demo.charge(demo.offer, demo.card, { key: 'again' }), 200)
})

test('credentials that cannot be checked are 500, neither let in nor called wrong', async () => {
  const { demo } = service
  await without('api_key', async () => refused(await demo.ask('transactions'), 500, ['general']))
  answered(await demo.ask('transactions'), 200)
})

test('healthz says that the process lives, readyz that it can work', async () => {
  const get = (path: string) => send(`${service.baseUrl}${path}`, { method: 'GET', headers: {}, body: null })
  assert.deepEqual(answered(await get('/healthz'), 200).json, { status: 'ok' })
  assert.deepEqual(answered(await get('/readyz'), 200).json, { status: 'ready' })
  await without('merchant', async () => {
    assert.deepEqual(answered(await get('/healthz'), 200).json, { status: 'ok' })
    const problem = 'The database does not answer.'
    assert.deepEqual(answered(await get('/readyz'), 503).json, { status: 'not ready', problem })
  })
  answered(await get('/readyz'), 200)
})
