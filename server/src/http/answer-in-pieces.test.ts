import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createAuthority } from '../../test/support/certificates.ts'
import { createWaitingAnswers, endInPieces, pieceBytes } from './answer-in-pieces.ts'
import { messageClasses } from './bodies.ts'

const authority = createAuthority('test')
const megabyte = Buffer.alloc(1_048_576, 'abcdefghijk')

/** Answers every request with this, and notes what its connections are given at once. */
async function listen(t: TestContext, answer: Buffer | string) {
  const writes: number[] = []
  const disconnected: string[] = []
  const settings = { ...messageClasses(why => disconnected.push(why)), ...authority.issue('127.0.0.1') }
  const server = https.createServer(settings, (_, response) => response.end(answer))
  server.on('secureConnection', (socket: Socket) => {
    const write = socket.write.bind(socket)
    socket.write = ((bytes: Uint8Array | string, ...others: []) => {
      writes.push(bytes.length)
      return write(bytes, ...others)
    }) as typeof socket.write
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (method = 'GET', agent: https.Agent | false = false) => {
    const request = https.request({ port, host: '127.0.0.1', ca: authority.cert, method, agent }).end()
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    return response
  }
  return { port, ask, writes, disconnected, server }
}

const bodyOf = async (response: http.IncomingMessage) => Buffer.concat(await response.toArray())

for (const answer of [megabyte, megabyte.toString(), 'ü'.repeat(200_000)])
  test(`an answer of ${answer.length} in ${typeof answer === 'string' ? 'text' : 'bytes'} arrives whole, and its connection is given a piece at a time`, async t => {
    const { ask, writes } = await listen(t, answer)
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    for (const _ of [1, 2]) {
      const response = await ask('GET', agent)
      assert.equal(response.headers['content-length'], String(Buffer.byteLength(answer)))
      assert.deepEqual(await bodyOf(response), Buffer.from(answer))
    }
    assert.ok(Math.max(...writes) <= pieceBytes, `${Math.max(...writes)}`)
    assert.ok(writes.length >= 2 * Math.ceil(Buffer.byteLength(answer) / pieceBytes))
  })

test('HEAD has the length, and no body', async t => {
  const { ask } = await listen(t, megabyte)
  const response = await ask('HEAD')
  assert.equal(response.headers['content-length'], String(megabyte.length))
  assert.equal((await bodyOf(response)).length, 0)
})

test('answers that are not taken are bounded: the connection that has waited longest is closed', async t => {
  const answer = Buffer.alloc(40 * 1_048_576)
  const { ask, disconnected } = await listen(t, answer)
  const waiting: http.IncomingMessage[] = []
  for (const _ of [1, 2, 3]) waiting.push(await ask())
  assert.deepEqual(disconnected, [])
  waiting.push(await ask())
  assert.deepEqual(disconnected, ['slow'])
  const [first, ...others] = waiting
  await assert.rejects(bodyOf(first ?? assert.fail()), { code: 'ECONNRESET' })
  for (const each of others) assert.equal((await bodyOf(each)).length, answer.length)
})

test('an answer to a client that has gone does not wait', async t => {
  const gone = Promise.withResolvers<void>()
  const added: string[] = []
  const server = http.createServer(async (request, response) => {
    request.socket.destroy()
    await once(response, 'close')
    const add = (network: string) => {
      added.push(network)
      return () => {}
    }
    endInPieces(response, megabyte, { waiting: { add }, disconnect: () => {}, end: () => gone.resolve() })
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  http.get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {})
  await gone.promise
  assert.deepEqual(added, [])
})

test('the network that has most waiting loses its oldest, and what was taken counts no more', () => {
  const waiting = createWaitingAnswers(100)
  const ended: string[] = []
  const add = (network: string, bytes: number, name: string) => waiting.add(network, bytes, () => ended.push(name))
  add('a', 30, 'a1')
  const leave = add('b', 40, 'b1')
  add('a', 30, 'a2')
  assert.deepEqual(ended, [])
  add('b', 10, 'b2')
  assert.deepEqual(ended.splice(0), ['a1'])
  leave()
  leave()
  add('a', 60, 'a3')
  assert.deepEqual(ended, [])
  add('c', 1, 'c1')
  assert.deepEqual(ended, ['a2'])
})
