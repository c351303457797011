// A key for work that reaches beyond one commit: it is taken before the work begins, so that a second request under it
// cannot begin the same again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused } from './support/answers.ts'
import { startRaw } from './support/raw-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

async function endpointAt(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}/`
  const { json } = answered(
    await service.demo.ask('hook_endpoints', { form: { kind: 'far', url, timeout_s: 30 } }),
    200,
  )
  return json.hook_endpoint.id
}

const testOf = (id: string, key: string) =>
  service.demo.ask(`hook_endpoints/${id}/test`, { method: 'POST', headers: { 'idempotency-key': key } })

test('while the first request runs, a second under its key is 409, and afterwards gets its answer', async t => {
  const answers: (() => void)[] = []
  const endpoint = await startRaw(t, socket => {
    answers.push(() => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  })
  const id = await endpointAt(endpoint.port)
  const first = testOf(id, 'once')
  await until('it is on the wire', async () => answers.length === 1)
  refused(await testOf(id, 'once'), 409, ['general'])
  refused(await testOf('00000000-0000-7000-8000-000000000000', 'once'), 422, ['general'])
  answers[0]?.()
  const done = answered(await first, 200)
  const again = answered(await testOf(id, 'once'), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [done.text, 'true'])
  assert.equal(endpoint.received.length, 1)
})

test('a request that is refused gives its key back', async t => {
  const endpoint = await startRaw(t, socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  const id = await endpointAt(endpoint.port)
  answered(await service.demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { status: 'paused' } }), 200)
  refused(await testOf(id, 'paused-first'), 409, ['general'])
  answered(await service.demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { status: 'enabled' } }), 200)
  answered(await testOf(id, 'paused-first'), 200)
})

test('the key of a process that died is free after its time, and forgotten after a day', async t => {
  const endpoint = await startRaw(t, socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  const id = await endpointAt(endpoint.port)
  answered(await testOf(id, 'died'), 200)
  const { sql } = service.database
  const died = (ago: string) =>
    sql`update idempotency_key set status = null, answer = null, settled_at = null, created_at = now() - ${ago}::interval
      where key = 'died'`
  await died('9 minutes')
  refused(await testOf(id, 'died'), 409, ['general'])
  await died('11 minutes')
  answered(await testOf(id, 'died'), 200)
  assert.equal(endpoint.received.length, 2)
  await died('25 hours')
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 120 } }), 200)
  assert.equal((await sql`select from idempotency_key where key = 'died'`).length, 0)
})
