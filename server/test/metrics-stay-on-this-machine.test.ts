// Metrics name endpoints, gateways and amounts: unless the operator says otherwise, only this machine can read them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { startTestService, type TestService } from './support/service.ts'

async function started(t: TestContext, environment: { readonly [name: string]: string }): Promise<TestService> {
  const service = await startTestService(environment)
  t.after(() => service.stop())
  return service
}

function metricsPortOf(service: TestService): number {
  return Number(/"metricsPort":([0-9]+)/.exec(service.logged())?.[1])
}

/** Whether anybody listens there. */
async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED')
    return false
  } finally {
    socket.destroy()
  }
}

test('a service that listens on every address shows its metrics on 127.0.0.1 alone', async t => {
  const service = await started(t, { TILLBELL_HOST: '0.0.0.0' })
  const [port, metricsPort] = [Number(new URL(service.baseUrl).port), metricsPortOf(service)]
  assert.deepEqual([await accepts('127.0.0.1', port), await accepts('127.0.0.2', port)], [true, true])
  assert.deepEqual([await accepts('127.0.0.1', metricsPort), await accepts('127.0.0.2', metricsPort)], [true, false])
})

test('TILLBELL_METRICS_HOST says where else', async t => {
  const service = await started(t, { TILLBELL_METRICS_HOST: '0.0.0.0' })
  assert.equal(await accepts('127.0.0.2', Number(new URL(service.baseUrl).port)), false)
  const answer = await fetch(`http://127.0.0.2:${metricsPortOf(service)}/metrics`)
  assert.match(await answer.text(), /tillbell_doubt/)
})
