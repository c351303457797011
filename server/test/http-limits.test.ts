// What one client may ask of the HTTP server at once, measured by what reached a route.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { measure } from './support/metrics.ts'
import { type ServiceProcess, spawnService } from './support/process.ts'
import { exchange, requestText } from './support/raw.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let process: ServiceProcess
before(async () => {
  service = await startTestService()
  process = await spawnService({ DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder })
})
after(async () => {
  await process.kill()
  await service.stop()
})

const routed = async (route: string) =>
  (await measure(process))('tillbell_request_duration_seconds_count', `route="${route}"`)
const disconnected = async (reason: string) =>
  (await measure(process))('tillbell_connections_ended_total', `reason="${reason}"`)

/** Ends when the service closes the connection, and says how many answers there were. */
async function pipelined(request: string, count: number): Promise<number> {
  const socket = net.connect(Number(new URL(process.baseUrl).port), '127.0.0.1')
  let heard = ''
  socket.setEncoding('latin1').on('data', more => (heard += String(more)))
  socket.on('error', () => {})
  socket.setTimeout(10_000, () => socket.destroy(new Error('the connection stayed open')))
  const failed = once(socket, 'timeout').then(() => assert.fail('the connection stayed open'))
  socket.write(request.repeat(count))
  await Promise.race([once(socket, 'close'), failed])
  return heard.split('HTTP/1.1 ').length - 1
}

for (const [route, path] of [
  ['/healthz', '/healthz'],
  ['/api/v5/openapi.json', '/api/v5/openapi.json'],
  ['none', '/nothing-here'],
] as const) {
  test(`of a thousand pipelined requests for ${path} one at most is handled, and the connection is closed`, async () => {
    const [routedBefore, endedBefore] = [await routed(route), await disconnected('pipelined')]
    await pipelined(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`, 1_000)
    assert.ok((await routed(route)) - routedBefore <= 1, `${(await routed(route)) - routedBefore} were handled`)
    assert.equal((await disconnected('pipelined')) - endedBefore, 1)
  })
}

test('pipelined requests without a Host are not answered one by one either', async () => {
  const endedBefore = await disconnected('pipelined')
  const answers = await pipelined('GET /healthz HTTP/1.1\r\n\r\n', 2_000)
  assert.ok(answers <= 1, `${answers} answers`)
  assert.equal((await disconnected('pipelined')) - endedBefore, 1)
})

test('a request without a Host is refused with a sentence', async () => {
  const text = await exchange(process.baseUrl, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')
  assert.match(text, /^HTTP\/1\.1 400 /)
  assert.deepEqual(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))), {
    errors: { general: 'The header Host is missing.' },
  })
  const old = await exchange(process.baseUrl, 'GET /healthz HTTP/1.0\r\n\r\n')
  assert.match(old, /^HTTP\/1\.1 200 /, 'HTTP/1.0 has no Host')
})

test('the OpenAPI document is packed for who takes that, and not sent again to who has it', async () => {
  const ask = (headers: { readonly [name: string]: string }) =>
    fetch(`${process.baseUrl}/api/v5/openapi.json`, { headers })
  const plain = await ask({ 'accept-encoding': 'identity' })
  assert.equal(plain.headers.get('content-encoding'), null)
  assert.equal(plain.headers.get('content-type'), 'application/json')
  const document = await plain.text()
  const etag = plain.headers.get('etag') ?? assert.fail('no ETag')
  const request = requestText('GET /api/v5/openapi.json', { 'Accept-Encoding': 'gzip' })
  const packed = await rawBytes(request)
  assert.match(packed.head, /content-encoding: gzip/i)
  assert.match(packed.head, /vary: accept-encoding/i)
  assert.equal(gunzipSync(packed.body).toString(), document)
  const known = await ask({ 'if-none-match': etag })
  assert.equal(known.status, 304)
  assert.equal(await known.text(), '')
})

async function rawBytes(request: string): Promise<{ readonly head: string; readonly body: Buffer }> {
  const socket: Socket = net.connect(Number(new URL(process.baseUrl).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(request)
  await once(socket, 'close')
  const all = Buffer.concat(chunks)
  const end = all.indexOf('\r\n\r\n')
  return { head: all.subarray(0, end).toString(), body: all.subarray(end + 4) }
}
