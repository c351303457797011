// A thousand connections that ask nothing, bodies that come byte by byte, and readers that do not read: others are served as if they
// were not there, and they are ended in time.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pipelinedMax } from '../src/http/pipelining.ts'
import { answered, answeredAbout } from './support/answers.ts'
import { type Client, send } from './support/client.ts'
import { percentile, timed } from './support/load.ts'
import { measure } from './support/metrics.ts'
import { type ServiceProcess, spawnService } from './support/process.ts'
import { requestText, sendRaw } from './support/raw.ts'
import { startTestService, type TestService } from './support/service.ts'
import { idle, type SlowClient, silent, slowBody, slowReader } from './support/slow-clients.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

async function start(environment: { readonly [name: string]: string }): Promise<ServiceProcess> {
  return spawnService({ DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, ...environment })
}

const many = <Made>(count: number, make: () => Promise<Made>) => Promise.all(Array.from({ length: count }, make))
/** On a machine that has much else to do. */
const marginMs = 15_000
const promptMs = 1_000

test('idle connections, slow bodies and slow readers keep nobody waiting, and are ended', async t => {
  const { demo } = service
  // Fewer places than there are slow ones, so that they would be felt if they held any; but enough for all to have their credentials looked at.
  const process = await start({ TILLBELL_REQUESTS_AT_ONCE: '90' })
  t.after(() => process.kill())
  const { baseUrl } = process
  const client: Client = Object.assign(Object.create(demo), { baseUrl })
  const idles = [...(await many(500, () => silent(baseUrl))), ...(await many(500, () => idle(baseUrl)))]
  const bodies: SlowClient[] = []
  for (let group = 0; group < 10; group++) {
    bodies.push(...(await many(10, () => slowBody(baseUrl, demo.authorization))))
    answered(await client.ask('offers?limit=1'), 200) // behind those before it: they were let in
  }
  const readers = await many(50, () => slowReader(baseUrl, '/api/v5/openapi.json', 1 + pipelinedMax))
  t.after(() => {
    for (const { socket } of [...idles, ...bodies, ...readers]) socket.destroy()
  })
  const charges = []
  for (let index = 0; index < 20; index++) charges.push(await timed(index, () => client.charge(demo.offer, demo.card)))
  for (const { answer } of charges) answeredAbout(answer, 200)
  assert.ok(percentile(charges, 50) < promptMs, `the median was ${percentile(charges, 50)} ms`)
  const ready = await send(`${baseUrl}/readyz`, { method: 'GET', headers: {}, body: null })
  answered(ready, 200)
  const memoryMiB = (await measure(process))('process_resident_memory_bytes') / 1_048_576
  t.diagnostic(`charges p50 ${percentile(charges, 50).toFixed(0)} ms; ${memoryMiB.toFixed(0)} MiB`)

  const endedAfterMs = await Promise.all(bodies.map(body => body.endedAfterMs))
  assert.ok(Math.max(...endedAfterMs) < 15_000 + marginMs, `a slow body lived for ${Math.max(...endedAfterMs)} ms`)
  for (const body of bodies) assert.match(body.said(), /^HTTP\/1\.1 408 .*did not arrive in time/s)
  await until(
    'slow readers are ended',
    async () => {
      const measured = await measure(process)
      return measured('tillbell_connections_ended_total', 'reason="slow"') === readers.length
    },
    20_000 + marginMs,
  )
})

test('where there is no room for a connection, those that are idle make some', async t => {
  const { baseUrl, kill, ...process } = await start({
    TILLBELL_CONNECTIONS_MAX: '40',
    TILLBELL_TRUSTED_PROXIES: '127.0.0.1/32', // by which everybody may come, so that all 40 are taken
  })
  t.after(() => kill())
  const idles = await many(40, () => idle(baseUrl))
  const ask = () => sendRaw(baseUrl, requestText('GET /healthz', {}))
  await until('somebody new is served', () =>
    ask().then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
  await Promise.all(idles.map(({ endedAfterMs }) => endedAfterMs))
  assert.ok((await measure(process))('tillbell_connections_ended_total', 'reason="crowded"') > 0)
})
