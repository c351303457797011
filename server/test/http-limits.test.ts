// What one client may ask of the HTTP server at once, measured by what reached a route.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net, { type Socket } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { measure } from './support/metrics.ts'
import { type ServiceProcess, spawnService } from './support/process.ts'
import { exchange, requestText } from './support/raw.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
let process: ServiceProcess
before(async () => {
  service = await startTestService()
  process = await spawnService({
    DATABASE_URL: service.database.url,
    TILLBELL_DATA: service.dataFolder,
    TILLBELL_MAIL_INBOUND_SECRET: 'secret',
  })
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
  // What still comes when the service closes it resets it.
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.write(request.repeat(count))
  await Promise.race([closed, failed])
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

/** What is heard until the service closes the connection. */
async function heardOf(head: string, body: string): Promise<string> {
  const socket = net.connect(Number(new URL(process.baseUrl).port), '127.0.0.1')
  let heard = ''
  socket.setEncoding('latin1').on('data', more => (heard += String(more)))
  socket.on('error', () => {}) // it may be closed on what we still send
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  socket.on('close', () => resolve(heard))
  socket.setTimeout(10_000, () => {
    socket.destroy()
    reject(new Error(`the connection stayed open after: ${heard}`))
  })
  socket.write(`${head}\r\n\r\n`)
  socket.write(body)
  return promise
}

const formType = 'Content-Type: application/x-www-form-urlencoded'
const takesBodies = (): { readonly [name: string]: string } => ({
  'page of an offer': `POST /offers/${service.demo.offer}`,
  'token registration': 'POST /token/registrations',
  'notice of a gateway': 'POST /gateways/gw_AAAAAAAAAAAAAAAAAAAAAA/events',
  'REST without credentials': 'POST /api/v5/rest/transactions',
  'charge by GET without credentials': 'GET /api/v5/rest/transactions',
  'email without the secret': 'POST /mail/inbound',
  'sign-in': 'POST /console/session',
  'nothing there': 'POST /nothing-here',
  'GET of a page': 'GET /docs',
  'GET of health': 'GET /healthz',
})

test('a body in chunks of one byte is not read to its end, whatever it is sent to', async () => {
  for (const [name, line] of Object.entries(takesBodies())) {
    const endedBefore = await disconnected('chunks')
    const head = `${line} HTTP/1.1\r\nHost: a\r\n${formType}\r\nTransfer-Encoding: chunked`
    const heard = await heardOf(head, '1\r\na\r\n'.repeat(20_000))
    const isDisconnected = (await disconnected('chunks')) - endedBefore === 1
    assert.ok(isDisconnected || /\r\nConnection: close\r\n/i.test(heard), `${name}: ${heard}`)
  }
})

test('an answer that comes before the body is the last of its connection', async () => {
  const answered = ['REST without credentials', 'charge by GET without credentials', 'email without the secret']
  for (const name of [...answered, 'nothing there', 'GET of a page', 'GET of health']) {
    for (const announced of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
      const heard = await heardOf(`${takesBodies()[name]} HTTP/1.1\r\nHost: a\r\n${formType}\r\n${announced}`, '')
      assert.match(heard, /^HTTP\/1\.1 (200|401|404) .*\r\nConnection: close\r\n/is, name)
    }
  }
})

test('a refusal leaves the connection open where the whole request has arrived', async () => {
  const refused = `POST /api/v5/rest/transactions HTTP/1.1\r\nHost: a\r\n${formType}\r\nContent-Length: 3\r\n\r\na=1`
  const text = await exchange(process.baseUrl, `${refused}${requestText('GET /healthz', {})}`)
  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['401', '200'])
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

/** From an address of this machine. It sends a part of a header, and then nothing. */
async function halfHeader({ baseUrl }: ServiceProcess, localAddress: string): Promise<Socket> {
  const socket = net.connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nX')
  return socket
}

async function statusFor({ baseUrl }: ServiceProcess, localAddress: string): Promise<number> {
  const request = http.get(`${baseUrl}/healthz`, { localAddress, agent: false })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  answer.resume()
  return answer.statusCode ?? 0
}

async function startSmall(t: TestContext, environment: { readonly [name: string]: string } = {}) {
  const small = await spawnService({
    DATABASE_URL: service.database.url,
    TILLBELL_DATA: service.dataFolder,
    TILLBELL_CONNECTIONS_MAX: '40',
    ...environment,
  })
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    return small.kill()
  })
  const flood = async (count: number, addressOf: (at: number) => string) => {
    for (let at = 0; at < count; at += 1) sockets.push(await halfHeader(small, addressOf(at)))
  }
  const open = () => sockets.filter(socket => !socket.closed).length
  return { small, flood, open }
}

test('one network cannot take all connections, and its own oldest unfinished one makes room for its next', async t => {
  const { small, flood, open } = await startSmall(t)
  await flood(60, () => '127.0.0.1')
  assert.equal(await statusFor(small, '127.0.0.2'), 200, 'somebody else is served')
  assert.equal(await statusFor(small, '127.0.0.1'), 200, 'so is somebody behind the same address')
  await until('the oldest are closed', async () => open() <= 20)
  assert.ok((await measure(small))('tillbell_connections_ended_total', 'reason="share"') >= 40)
})

test('where many networks take all connections together, the largest makes room', async t => {
  const { small, flood } = await startSmall(t)
  await flood(120, at => `127.0.0.${10 + (at % 12)}`)
  assert.equal(await statusFor(small, '127.0.0.2'), 200)
  assert.ok((await measure(small))('tillbell_connections_ended_total', 'reason="crowded"') > 0)
})

test('a request under way is not ended to make room', async t => {
  const { small, flood } = await startSmall(t)
  const { hostname, port } = new URL(small.baseUrl)
  const waiting = net.connect(Number(port), hostname)
  waiting.write(
    'POST /token/registrations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n',
  )
  const heard = once(waiting, 'data')
  await flood(60, () => '127.0.0.1')
  waiting.write('{}')
  assert.match(String((await heard)[0]), /^HTTP\/1\.1 422 /)
  waiting.destroy()
})

test('a trusted proxy, by which everybody comes, has no share', async t => {
  const { small, flood, open } = await startSmall(t, { TILLBELL_TRUSTED_PROXIES: '127.0.0.1/32' })
  await flood(35, () => '127.0.0.1')
  assert.equal(await statusFor(small, '127.0.0.2'), 200)
  assert.equal(open(), 35)
})
