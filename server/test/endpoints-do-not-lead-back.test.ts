// An endpoint that leads back to the service would have it talk to itself: only the inbox, where it is served, is one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService, type TestService } from './support/service.ts'

function metricsPortOf(service: TestService): number {
  const entries = service
    .logged()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  return entries.find(({ msg }) => msg === 'started').metricsPort
}

async function whyNot(service: TestService, url: string): Promise<string | null> {
  const answer = await service.demo.ask('hook_endpoints', { form: { kind: 'transaction', url } })
  if (answer.status === 200) return null
  assert.equal(answer.status, 422)
  return answer.json.errors.url
}

const leadsBack = 'url must not lead back to this service.'

test("no endpoint is on the service's own ports, but for the inbox", async t => {
  const service = await startTestService()
  t.after(() => service.stop())
  const metrics = `http://127.0.0.1:${metricsPortOf(service)}`
  assert.equal(await whyNot(service, `${service.baseUrl}/api/v5/rest/transactions`), leadsBack)
  assert.equal(await whyNot(service, `${metrics}/metrics`), leadsBack)
  assert.equal(await whyNot(service, `${metrics}/inbox/demo`), leadsBack)
  assert.equal(await whyNot(service, `${service.baseUrl}/inbox/demo`), null)
})

test('a process that serves no pages has no inbox', async t => {
  const service = await startTestService({ TILLBELL_ROLES: 'api,worker' })
  t.after(() => service.stop())
  assert.equal(await whyNot(service, `${service.baseUrl}/inbox/demo`), leadsBack)
})
