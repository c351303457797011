import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import Fastify, { type FastifyInstance } from 'fastify'
import { createAuthority } from '../../test/support/certificates.ts'
import { bodyParser, messageClasses } from './bodies.ts'
import { parseInSlices } from './parse-in-slices.ts'
import { oneRequestAtATime } from './pipelining.ts'

const bodyBytesMax = 1_048_576
/** Those that are allowed, and those of the slice of 4 KiB in which there were too many. */
const piecesMax = 1_000 + 4_096 / 6
const authority = createAuthority('test')

interface Listening {
  readonly app: FastifyInstance
  readonly connect: () => Socket
  /** As they came from Node's parser. */
  readonly pieces: Buffer[]
  readonly bodies: Buffer[]
  readonly sockets: Socket[]
  disconnected: number
}

/** `POST /read` reads its body, `POST /refuse` answers before. */
async function listen(t: TestContext, isSecure = false): Promise<Listening> {
  const listening = {
    pieces: [] as Buffer[],
    bodies: [] as Buffer[],
    sockets: [] as Socket[],
    disconnected: 0,
  }
  const classes = messageClasses(() => (listening.disconnected += 1))
  class ObservedRequest extends classes.IncomingMessage {
    override push(piece: Buffer | null): boolean {
      if (piece !== null) listening.pieces.push(piece)
      return super.push(piece)
    }
  }
  const settings = { ...classes, IncomingMessage: ObservedRequest } as http.ServerOptions
  const app = Fastify({
    bodyLimit: bodyBytesMax,
    serverFactory: handler =>
      isSecure
        ? https.createServer({ ...settings, ...authority.issue('127.0.0.1') }, handler)
        : http.createServer(settings, handler),
    clientErrorHandler: (_, socket) => void socket.destroy(),
  })
  parseInSlices(app.server, isSecure)
  app.server.on('connection', socket => listening.sockets.push(socket))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    bodyParser(body => body),
  )
  app.post('/read', async request => {
    listening.bodies.push(request.body as Buffer)
    return 'read'
  })
  app.post('/refuse', { onRequest: async (_, reply) => reply.code(401).send('refused') }, async () => 'never')
  t.after(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const connect = () =>
    isSecure ? tls.connect({ port, host: '127.0.0.1', ca: authority.cert }) : net.connect(port, '127.0.0.1')
  return Object.assign(listening, { app, connect })
}

const head = (path: string, length: number | 'chunked') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`}\r\n\r\n`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const lastChunk = '0\r\n\r\n'
const isHeard = (text: string) => text.endsWith('read') || text.endsWith('refused')

/** What is heard until the connection is closed, by us once there is a whole answer and `closes` is not asked for. */
function exchange({ connect }: Listening, bytes: string, closes = false): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect()
  let heard = ''
  socket.setEncoding('latin1').on('data', more => {
    heard += String(more)
    if (isHeard(heard) && !closes) socket.end()
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve(heard))
  socket.write(bytes)
  return promise
}

for (const isSecure of [false, true]) {
  const over = isSecure ? ', over TLS' : ''
  test(`a body in chunks of one byte is cut off, and the rest of what was sent is not parsed${over}`, async t => {
    for (const [path, chunks] of [
      ['/read', 20_000],
      ['/read', 1_200], // with the end in the slice that has too many
      ['/nothing-here', 20_000],
    ] as const) {
      const listening = await listen(t, isSecure)
      await exchange(listening, head(path, 'chunked') + chunk('a').repeat(chunks) + lastChunk)
      assert.ok(listening.pieces.length <= piecesMax, `${path}: ${listening.pieces.length} pieces`)
      assert.equal(listening.disconnected, 1)
      assert.equal(listening.bodies.length, 0)
    }
  })

  test(`what comes after an answer is not parsed, and a client that sends ten megabytes first still reads it${over}`, async t => {
    const listening = await listen(t, isSecure)
    const body = { chunks: chunk('a').repeat(1_700_000), length: 'x'.repeat(10_000_000) }
    for (const bytes of [head('/refuse', 'chunked') + body.chunks, head('/refuse', body.length.length) + body.length]) {
      listening.pieces.length = 0
      assert.match(await exchange(listening, bytes, true), /^HTTP\/1\.1 401 .*\r\nConnection: close\r\n.*refused$/is)
      assert.ok(listening.pieces.length <= piecesMax, `${listening.pieces.length} pieces`)
    }
    await Promise.all(listening.sockets.map(socket => socket.closed || once(socket, 'close')))
  })
}

test('a form of 2 KB with a length is read though it comes byte by byte', async t => {
  const listening = await listen(t)
  const form = 'ab'.repeat(1_000)
  const socket = listening.connect().setNoDelay()
  const heard = once(socket, 'data')
  socket.write(head('/read', form.length))
  for (let at = 0; at < form.length; at += 1) {
    socket.write(form.charAt(at))
    while (listening.pieces.length <= at) await new Promise(resolve => setImmediate(resolve))
  }
  assert.match(String((await heard)[0]), /^HTTP\/1\.1 200 /)
  socket.destroy()
  assert.equal(listening.pieces.length, form.length)
  assert.equal(String(listening.bodies[0]), form)
})

test('small chunked bodies may come in any chunks, large ones in chunks of a usual size', async t => {
  const listening = await listen(t)
  const small = 'ab'.repeat(450)
  const large = Array.from({ length: 2_000 }, (_, at) => String(at).padStart(500, 'x'))
  const sent = [[...small], large]
  for (const chunks of sent)
    assert.match(
      await exchange(listening, head('/read', 'chunked') + chunks.map(chunk).join('') + lastChunk),
      /^HTTP\/1\.1 200 /,
    )
  assert.deepEqual(
    listening.bodies.map(body => String(body) === sent[listening.bodies.indexOf(body)]?.join('')),
    [true, true],
  )
})

test('a body in one piece is not copied', async t => {
  const listening = await listen(t)
  await exchange(listening, `${head('/read', 5)}hello`)
  assert.equal(listening.pieces.length, 1)
  assert.equal(listening.bodies[0], listening.pieces[0])
  assert.equal(String(listening.bodies[0]), 'hello')
})

test('a body of as many bytes as its route takes is read, and no byte more', async t => {
  const listening = await listen(t)
  const { bodies, pieces } = listening
  const chunks = chunk('x'.repeat(65_536)).repeat(16)
  assert.match(await exchange(listening, head('/read', 'chunked') + chunks + lastChunk), /^HTTP\/1\.1 200 /)
  assert.equal(bodies[0]?.length, bodyBytesMax)
  const over = await exchange(listening, head('/read', 'chunked') + chunks + chunk('x') + lastChunk, true)
  assert.match(over, /^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/is)
  pieces.length = 0
  const announced = await exchange(listening, head('/read', bodyBytesMax + 1), true)
  assert.match(announced, /^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/is)
  assert.equal(pieces.length, 0)
})

test('requests that come after a last answer are not handled', async t => {
  const listening = await listen(t)
  const socket = listening.connect()
  socket.allowHalfOpen = true
  socket.on('error', () => {})
  let heard = ''
  socket.setEncoding('latin1').on('data', more => (heard += String(more)))
  socket.write(head('/refuse', 5))
  await once(socket, 'end')
  socket.write(`hello${head('/read', 3)}one`)
  await once(socket.end(), 'close')
  assert.equal(heard.split('HTTP/1.1 ').length - 1, 1)
  assert.equal(listening.bodies.length, 0)
  assert.equal(listening.pieces.length, 0)
})

test('a body that is not as long as was announced is never taken for the whole', async t => {
  const { app, bodies } = await listen(t)
  const short = await app.inject({
    method: 'POST',
    url: '/read',
    headers: { 'content-length': '5' },
    payload: Buffer.from('hell'),
  })
  assert.equal(short.statusCode, 400)
  assert.equal(bodies.length, 0)
})

test('a request that waited behind a last answer is not handled', async t => {
  const handled: string[] = []
  const answering = Promise.withResolvers<http.ServerResponse>()
  const listener = oneRequestAtATime(
    (request, response) => {
      handled.push(String(request.url))
      response.writeHead(401).write('ref')
      answering.resolve(response)
    },
    () => {},
  )
  const second = Promise.withResolvers<void>()
  const server = http.createServer(
    messageClasses(() => {}),
    (request, response) => {
      listener(request, response)
      if (request.url === '/second') second.resolve()
    },
  )
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
  const closed = once(socket.resume(), 'close')
  socket.write(head('/first', 5))
  const response = await answering.promise
  response.req.resume()
  socket.write(`hello${head('/second', 0)}`)
  await second.promise
  response.end('used')
  await closed
  assert.deepEqual(handled, ['/first'])
})
