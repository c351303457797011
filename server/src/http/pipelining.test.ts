import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { parseInSlices } from './parse-in-slices.ts'
import { oneRequestAtATime, pipelinedMax } from './pipelining.ts'

interface Listening {
  readonly port: number
  /** In the order in which they were handled. */
  readonly handled: string[]
  /** How many requests Node's parser has made of the bytes. */
  parsed: number
  disconnected: number
}

async function listen(
  t: TestContext,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listening> {
  const listening = { port: 0, handled: [] as string[], parsed: 0, disconnected: 0 }
  const limited = oneRequestAtATime(
    (request, response) => {
      listening.handled.push(request.url ?? '')
      handle(request, response)
    },
    () => (listening.disconnected += 1),
  )
  const server = http.createServer((request, response) => {
    listening.parsed += 1
    limited(request, response)
  })
  parseInSlices(server, false)
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  listening.port = (server.address() as AddressInfo).port
  return listening
}

const requests = (count: number, path = '/') =>
  Array.from({ length: count }, (_, at) => `GET ${path}${at} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')

/** What is heard until the connection is closed by either side; ours is, once so many answers were heard. */
function exchange(port: number, text: string, answers = Number.POSITIVE_INFINITY): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = net.connect(port, '127.0.0.1')
  let heard = ''
  socket.setEncoding('latin1').on('data', (more: Buffer | string) => {
    heard += String(more)
    if (heard.split('HTTP/1.1 200').length > answers) socket.end()
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve(heard))
  socket.write(text)
  return promise
}

test('requests that a client sends ahead are handled one at a time and answered in their order', async t => {
  let underWay = 0
  let underWayMax = 0
  const listening = await listen(t, (request, response) => {
    underWay += 1
    underWayMax = Math.max(underWayMax, underWay)
    setImmediate(() => {
      underWay -= 1
      response.end(`answer ${request.url};`)
    })
  })
  const count = pipelinedMax + 1
  const heard = await exchange(listening.port, requests(count), count)
  const expected = Array.from({ length: count }, (_, at) => `/${at}`)
  assert.deepEqual(
    [...heard.matchAll(/answer ([^;]*);/g)].map(([, path]) => path),
    expected,
  )
  assert.deepEqual(listening.handled, expected)
  assert.equal(underWayMax, 1)
  assert.equal(listening.disconnected, 0)
})

test('a client may go on to send ahead, as long as few wait', async t => {
  const listening = await listen(t, (_, response) => void setImmediate(() => response.end('x')))
  const socket = net.connect(listening.port, '127.0.0.1')
  t.after(() => socket.destroy())
  let answers = 0
  let sent = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const send = (count: number) => {
    sent += count
    socket.write(requests(count))
  }
  socket.on('error', reject)
  socket.on('close', () => reject(new Error(`closed after ${answers}`)))
  socket.setEncoding('latin1').on('data', (more: Buffer | string) => {
    const heard = String(more).split('HTTP/1.1 200').length - 1
    answers += heard
    if (sent < 100) send(heard)
    else if (answers === sent) resolve()
  })
  send(4)
  await promise
  assert.equal(listening.handled.length, sent)
})

test('a client that sends more ahead is disconnected, and the rest of what it sent is not parsed', async t => {
  const listening = await listen(t, (_, response) => void setImmediate(() => response.end('x')))
  await exchange(listening.port, requests(2_000))
  assert.ok(listening.handled.length <= 1, `${listening.handled.length} were handled`)
  const inSlice = 4_096 / requests(1).length
  assert.ok(listening.parsed <= inSlice + 1, `${listening.parsed} were parsed`)
  assert.equal(listening.disconnected, 1)
  await exchange(listening.port, requests(1), 1)
  assert.equal(listening.handled.length, 2, 'others are served')
})

test('what waits behind a request whose client hung up is not begun', async t => {
  const begun = Promise.withResolvers<IncomingMessage>()
  const listening = await listen(t, request => begun.resolve(request))
  const socket = net.connect(listening.port, '127.0.0.1')
  socket.write(requests(3))
  const { socket: ours } = await begun.promise
  const closed = once(ours, 'close')
  socket.destroy()
  await closed
  assert.deepEqual(listening.handled, ['/0'])
})
