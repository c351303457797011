import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { parseInSlices } from './parse-in-slices.ts'

async function listen(t: TestContext, handle: RequestListener): Promise<number> {
  const server = http.createServer(handle)
  parseInSlices(server, false)
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')

test('requests behind one that destroys the connection are not parsed', async t => {
  let asked = 0
  const port = await listen(t, ({ socket }) => {
    asked += 1
    socket.destroy()
  })
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  socket.write(requests(2_000))
  await closed
  assert.ok(asked < 150, `${asked} requests`)
})

test('requests that wait while Node has paused their connection are all answered, in their order', async t => {
  const text = 'x'.repeat(50_000)
  const first = Promise.withResolvers<void>()
  let isPaused = false
  const port = await listen(t, async (request, response) => {
    if (request.url === '/0') await first.promise
    response.end(`${request.url}:${text};`)
    isPaused ||= request.socket.isPaused()
  })
  const socket = net.connect(port, '127.0.0.1').setEncoding('latin1')
  t.after(() => socket.destroy())
  socket.write(requests(300))
  while (!isPaused) await new Promise(resolve => setImmediate(resolve))
  first.resolve()
  let heard = ''
  for await (const more of socket) {
    heard += String(more).replaceAll('x', '')
    if (heard.endsWith('/299:;')) break
  }
  assert.deepEqual(heard.match(/(?<=\/)\d+(?=:;)/g)?.map(Number), [...Array(300).keys()])
})

test('a body whose reader is slower than its client arrives whole', async t => {
  const body = randomBytes(3_000_000)
  const port = await listen(t, async (request, response) => {
    const hash = createHash('sha256')
    for await (const piece of request) {
      hash.update(piece)
      await new Promise(resolve => setImmediate(resolve))
    }
    response.end(hash.digest('hex'))
  })
  for (const chunked of [false, true]) {
    const stream = new Blob([body]).stream()
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      ...(chunked ? { body: stream, duplex: 'half' } : { body }),
    })
    assert.equal(await answer.text(), createHash('sha256').update(body).digest('hex'))
  }
})
