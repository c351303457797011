// One hook request over real sockets: what is on the wire, and what becomes of endpoints that misbehave.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { hasIpv6, startRaw, unusedPort } from '../../../test/support/raw-endpoint.ts'
import { createSender, type Post, type Posted, type SenderOptions } from './sender.ts'

const options: SenderOptions = {
  mode: 'sandbox',
  allow: [],
  ownPorts: () => [],
  inboxPort: () => null,
  proxy: null,
  dns: null,
}
const post = createSender(options)
const body = 'details=%7B%22a%22%3A1%7D&signature=0123456789abcdef0123456789abcdef01234567'
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthank'
const timeoutMs = 20_000

function head(target: string, host: string, more = ''): string {
  return (
    `POST ${target} HTTP/1.1\r\nAccept: */*\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n` +
    `Host: ${host}\r\nContent-Length: ${body.length}\r\n${more}\r\n`
  )
}

/** Posts to an endpoint that answers so, and makes sure that the connection is let go. */
async function postTo(
  t: TestContext,
  answer: (socket: Socket) => void,
  { withinMs = timeoutMs, by = post }: { readonly withinMs?: number; readonly by?: Post } = {},
): Promise<Posted> {
  const endpoint = await startRaw(t, answer)
  const posted = await by({ url: `http://127.0.0.1:${endpoint.port}/hook`, body, timeoutMs: withinMs })
  await endpoint.letGo()
  assert.equal(endpoint.received.length, 1, 'it was asked once')
  assert.ok(Number.isInteger(posted.durationMs) && posted.durationMs >= 0)
  return posted
}

const saying = (text: string) => (socket: Socket) => void socket.write(text, 'latin1')

test('the request is these bytes and no others', async t => {
  const endpoint = await startRaw(t, saying(ok))
  const { durationMs, ...posted } = await post({
    url: `http://127.0.0.1:${endpoint.port}/a/hook?shop=7&x=%20`,
    body,
    timeoutMs,
  })
  assert.deepEqual(posted, { status: 200, reason: null, answer: 'thank' })
  await endpoint.letGo()
  assert.deepEqual(endpoint.received, [head('/a/hook?shop=7&x=%20', `127.0.0.1:${endpoint.port}`) + body])
})

test('headers that an endpoint asked for come after the five', async t => {
  const endpoint = await startRaw(t, saying(ok))
  const moreHeaders = [
    ['webhook-id', 'evt_1'],
    ['webhook-timestamp', '1700000000'],
  ] as const
  await post({ url: `http://127.0.0.1:${endpoint.port}`, body, timeoutMs, moreHeaders })
  const more = 'webhook-id: evt_1\r\nwebhook-timestamp: 1700000000\r\n'
  assert.deepEqual(endpoint.received, [head('/', `127.0.0.1:${endpoint.port}`, more) + body])
})

test('IPv6 goes as well, and is written in brackets', { skip: !hasIpv6 }, async t => {
  const endpoint = await startRaw(t, saying(ok), { host: '::1' })
  const posted = await post({ url: `http://[::1]:${endpoint.port}/`, body, timeoutMs })
  assert.equal(posted.status, 200)
  assert.deepEqual(endpoint.received, [head('/', `[::1]:${endpoint.port}`) + body])
})

for (const host of ['127.0.0.1', '::1']) {
  test(`localhost finds an endpoint that listens on ${host} only, and no resolver is asked`, {
    skip: host === '::1' && !hasIpv6,
  }, async t => {
    const endpoint = await startRaw(t, saying(ok), { host })
    const by = createSender({ ...options, dns: '127.0.0.1:1' })
    const posted = await by({ url: `http://shop.localhost:${endpoint.port}/`, body, timeoutMs })
    assert.equal(posted.status, 200)
    assert.deepEqual(endpoint.received, [head('/', `shop.localhost:${endpoint.port}`) + body])
  })
}

test('a body of 200 KB arrives whole', async t => {
  const endpoint = await startRaw(t, saying(ok))
  const long = '%C3%BC'.repeat(33_334)
  const posted = await post({ url: `http://127.0.0.1:${endpoint.port}/`, body: long, timeoutMs })
  assert.equal(posted.status, 200)
  const [received = ''] = endpoint.received
  assert.ok(received.endsWith(`\r\nContent-Length: ${long.length}\r\n\r\n${long}`))
})

for (const [answer, status, text] of [
  ['HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
  ['HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwait\r\n0\r\n\r\n', 503, 'wait'],
  ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n', 410, ''],
] as const) {
  test(`${status} is an answer`, async t => {
    const posted = await postTo(t, saying(answer))
    assert.deepEqual([posted.status, posted.reason, posted.answer], [status, null, text])
  })
}

test('a redirect is not followed', async t => {
  const elsewhere = await startRaw(t, saying(ok))
  for (const location of ['http://169.254.169.254/', `http://127.0.0.1:${elsewhere.port}/`, '/again']) {
    const posted = await postTo(t, saying(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`))
    assert.deepEqual([posted.status, posted.reason], [302, null])
  }
  assert.deepEqual(elsewhere.received, [])
})

test('an answer without a length ends with the connection', async t => {
  const posted = await postTo(t, socket => void socket.end('HTTP/1.0 200 OK\r\n\r\nbye'))
  assert.deepEqual([posted.status, posted.reason, posted.answer], [200, null, 'bye'])
})

test('a reset is not the end of such an answer', async t => {
  const resetting = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nhalf', () => socket.resetAndDestroy())
  const posted = await postTo(t, resetting)
  assert.equal(posted.status, null)
  assert.match(posted.reason ?? '', /^The connection broke (before|during) the answer\.$/)
})

test('what comes after the answer is ignored', async t => {
  const posted = await postTo(t, saying(`${ok}HTTP/1.1 500 Oh\r\n\r\n\0\0`))
  assert.deepEqual([posted.status, posted.answer], [200, 'thank'])
})

test('an answer that has no end is cut at 16 KiB, and the connection with it', async t => {
  for (const framing of ['', 'Content-Length: 100000000000\r\n', 'Transfer-Encoding: chunked\r\n']) {
    const piece = framing.startsWith('T') ? `1000\r\n${'x'.repeat(4_096)}\r\n` : 'x'.repeat(4_096)
    let writtenBytes = 0
    const flood = (socket: Socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n`)
      const more = () => {
        while (socket.writable && socket.write(piece)) writtenBytes += piece.length
      }
      socket.on('drain', more)
      more()
    }
    const posted = await postTo(t, flood)
    assert.deepEqual([posted.status, posted.reason, posted.answer], [200, null, 'x'.repeat(16_384)])
    assert.ok(writtenBytes < 100_000_000, 'what the system buffers, and no more')
  }
})

const broken: { readonly [name: string]: readonly [answer: (socket: Socket) => void, reason: string] } = {
  'closes at once': [socket => socket.end(), 'The connection broke before the answer.'],
  resets: [socket => void socket.resetAndDestroy(), 'The connection broke before the answer.'],
  'closes in the middle of the head': [
    socket => void socket.end('HTTP/1.1 200 OK\r\nConte'),
    'The connection broke during the answer.',
  ],
  'closes in the middle of the body': [
    socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    'The connection broke during the answer.',
  ],
  'answers garbage': [saying('\0\x01\x02 nonsense'), 'The answer is not HTTP.'],
  'speaks another protocol': [saying('220 mail.example ESMTP\r\n'), 'The answer is not HTTP.'],
  'sends a header of 20 KB': [
    saying(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}`),
    'The headers of the answer exceed 16 KiB.',
  ],
}
for (const [name, [answer, reason]] of Object.entries(broken)) {
  test(`an endpoint that ${name}: ${reason}`, async t => {
    const posted = await postTo(t, answer)
    assert.deepEqual([posted.status, posted.reason], [null, reason])
  })
}

test('headers without end are cut at 16 KiB', async t => {
  const endless = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const more = () => {
      while (socket.writable && socket.write('X: y\r\n')) {}
    }
    socket.on('drain', more)
    more()
  }
  assert.equal((await postTo(t, endless)).reason, 'The headers of the answer exceed 16 KiB.')
})

function dripping(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => socket.write(text.charAt(at++ % text.length)), 10)
  socket.once('close', () => clearInterval(timer))
}

const late: { readonly [name: string]: readonly [answer: (socket: Socket) => void, reason: string] } = {
  'never answers': [() => {}, 'No answer within 0.3 s.'],
  'answers half a head and hangs': [saying('HTTP/1.1 200 OK\r\nX: y\r\n'), 'No answer within 0.3 s.'],
  'drips a head': [socket => dripping(socket, `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(9_999)}`), 'No answer within 0.3 s.'],
  'answers 200 and hangs': [
    saying('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    'Answered 200, but not the whole of it within 0.3 s.',
  ],
  'answers 200 without a length and hangs': [
    saying('HTTP/1.1 200 OK\r\n\r\nhalf'),
    'Answered 200, but not the whole of it within 0.3 s.',
  ],
  'drips a body': [
    socket => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n')
      dripping(socket, 'x')
    },
    'Answered 200, but not the whole of it within 0.3 s.',
  ],
}
for (const [name, [answer, reason]] of Object.entries(late)) {
  test(`an endpoint that ${name}: ${reason}`, async t => {
    const posted = await postTo(t, answer, { withinMs: 300 })
    assert.deepEqual([posted.status, posted.reason], [null, reason])
    assert.ok(posted.durationMs >= 300 && posted.durationMs < 1_000, `it ended after ${posted.durationMs} ms`)
  })
}

test('an endpoint of several addresses that never answers: No answer within 0.3 s.', async t => {
  const endpoint = await startRaw(t, () => {})
  const posted = await post({ url: `http://localhost:${endpoint.port}/`, body, timeoutMs: 300 })
  await endpoint.letGo()
  assert.deepEqual([posted.status, posted.reason], [null, 'No answer within 0.3 s.'])
})

test('what came of a broken answer is kept', async t => {
  const posted = await postTo(t, socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'))
  assert.equal(posted.answer, 'half')
})

test('an answer that comes before the request was read is an answer', async t => {
  const refuse = (socket: Socket) => {
    socket.pause()
    saying('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')(socket)
  }
  const endpoint = await startRaw(t, refuse, { when: 'connected' })
  const posted = await post({ url: `http://127.0.0.1:${endpoint.port}/`, body: 'x'.repeat(20_000_000), timeoutMs })
  assert.equal(posted.status, 413)
})

test('nobody listens: the connection was refused', async () => {
  const posted = await post({ url: `http://127.0.0.1:${await unusedPort()}/`, body, timeoutMs })
  assert.deepEqual([posted.status, posted.reason, posted.answer], [null, 'The connection was refused.', ''])
})

test('a URL that may not be configured is not sent to either', async () => {
  const live = createSender({ ...options, mode: 'live' })
  for (const [url, reason] of [
    ['http://shop.example/', 'The URL must be an https URL in live mode.'],
    ['https://127.0.0.1/', 'The URL must not lead to a private or reserved address.'],
    ['https://[::ffff:169.254.169.254]/', 'The URL must not lead to a private or reserved address.'],
    ['https://2130706433/', 'The URL must write an IPv4 address as four decimal numbers.'],
    ['https://user:secret@shop.example/', 'The URL must not carry credentials.'],
    ['nonsense', 'The URL must begin with http:// or https:// and name a host.'],
  ] as const) {
    const posted = await live({ url, body, timeoutMs })
    assert.deepEqual([posted.status, posted.reason, posted.answer], [null, reason, ''])
  }
})

test('an own port is refused without a connection', async t => {
  const endpoint = await startRaw(t, saying(ok))
  const by = createSender({ ...options, ownPorts: () => [endpoint.port], inboxPort: () => endpoint.port })
  const at = (path: string) => by({ url: `http://localhost:${endpoint.port}${path}`, body, timeoutMs })
  assert.equal((await at('/api/v5/rest/transactions')).reason, 'The URL must not lead back to this service.')
  assert.deepEqual(endpoint.received, [])
  assert.equal((await at('/inbox/demo')).status, 200)
})

/** Whose queue of connections is full, and who takes none: the system answers no more. */
async function unreachablePort(t: TestContext): Promise<number> {
  const listen =
    "const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))"
  const stopped = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => stopped.kill('SIGKILL'))
  const [text] = await once(stopped.stdout, 'data')
  stopped.kill('SIGSTOP')
  const waiting = Array.from({ length: 4 }, () => net.connect(Number(text), '127.0.0.1').on('error', () => {}))
  t.after(() => waiting.forEach(socket => void socket.destroy()))
  await Promise.all(waiting.slice(0, 2).map(socket => once(socket, 'connect')))
  return Number(text)
}

test('a connection that does not come is given up in time, and whoever is connected may take all of his own', async t => {
  const url = `http://127.0.0.1:${await unreachablePort(t)}/`
  const posted = await Promise.all([
    post({ url, body, timeoutMs: 300 }),
    post({ url, body, timeoutMs: 15_000 }),
    postTo(t, socket => void setTimeout(saying(ok), 5_500, socket), { withinMs: 15_000 }),
  ])
  assert.deepEqual(
    posted.map(({ status, reason }) => [status, reason]),
    [
      [null, 'No connection within 0.3 s.'],
      [null, 'No connection within 5 s.'],
      [200, null],
    ],
  )
})

/** Each is cut off when it has come so far, if it says so, or a moment later. */
const stages: {
  readonly [name: string]: (t: TestContext) => Promise<{ url: string; dns?: string; reached?: Promise<unknown> }>
} = {
  async 'waits for its answer'(t) {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    const { port } = await startRaw(t, () => resolve())
    return { url: `http://127.0.0.1:${port}/`, reached }
  },
  async 'waits for the end of an answer that has no length'(t) {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    const { port } = await startRaw(t, socket => void socket.write('HTTP/1.1 200 OK\r\n\r\nhalf', () => resolve()))
    return { url: `http://127.0.0.1:${port}/`, reached }
  },
  async 'waits for a connection'(t) {
    return { url: `http://127.0.0.1:${await unreachablePort(t)}/` }
  },
  async 'waits for one of two addresses'(t) {
    return { url: `http://localhost:${await unreachablePort(t)}/` }
  },
  async 'waits for TLS'(t) {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    const { port } = await startRaw(t, () => resolve(), { when: 'connected' })
    return { url: `https://127.0.0.1:${port}/`, reached }
  },
  async 'waits for an address'(t) {
    const silent = createSocket('udp4').bind(0, '127.0.0.1')
    t.after(() => silent.close())
    await once(silent, 'listening')
    return { url: 'http://shop.example/', dns: `127.0.0.1:${silent.address().port}`, reached: once(silent, 'message') }
  },
}
for (const [name, begin] of Object.entries(stages)) {
  test(`what ${name} when all is cut off ends at once, and was not answered`, async t => {
    const { url, dns = null, reached = delay(100) } = await begin(t)
    const by = createSender({ ...options, dns })
    const posting = by({ url, body, timeoutMs })
    await reached
    by.cutOff()
    const ended = await Promise.race([posting, delay(3_000, null, { ref: false })])
    assert.ok(ended !== null, 'it waited on')
    assert.equal(ended.status, null)
    assert.match(ended.reason ?? '', /^The connection broke (before|during) the answer\.$/)
  })
}
