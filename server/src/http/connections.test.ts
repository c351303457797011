import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { createAuthority } from '../../test/support/certificates.ts'
import { until } from '../../test/support/until.ts'
import { boundConnections, type Ending, slowReaders } from './connections.ts'
import { oneRequestAtATime } from './pipelining.ts'

const megabyte = 1_048_576

/** Takes so much more of what comes. */
async function take(reader: Socket, bytes: number): Promise<void> {
  const upTo = reader.bytesRead + bytes
  reader.resume()
  await until('it was taken', async () => reader.bytesRead >= upTo, 20_000, 1)
  reader.pause()
}

test('who takes an answer piece by piece is not slow, also of one that was written at once; who stops is', async t => {
  const server = createServer()
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [writer] = (await once(server, 'connection')) as [Socket]
  t.after(() => {
    writer.destroy()
    reader.destroy()
  })
  let nowMs = 0
  const isSlow = slowReaders(() => nowMs)
  writer.write(Buffer.alloc(64 * megabyte))
  for (; nowMs < 100_000; nowMs += 14_000) {
    assert.equal(isSlow(writer), false, `after ${nowMs} ms`)
    await take(reader, 4 * megabyte)
  }
  assert.equal(isSlow(writer), false)
  nowMs += 14_000
  assert.equal(isSlow(writer), false)
  nowMs += 2_000
  assert.equal(isSlow(writer), true)
})

test('over TLS, too, connections without a request make room, and one with a request under way does not', async t => {
  const begun = Promise.withResolvers<() => void>()
  const handle = oneRequestAtATime(
    (_, response) => begun.resolve(() => response.end('done')),
    () => {},
  )
  const authority = createAuthority('test')
  const server = https.createServer({ ...authority.issue('127.0.0.1') }, handle)
  const endings: Ending[] = []
  boundConnections(server, { connectionsMax: 8, isTrustedProxy: () => false, ended: ending => endings.push(ending) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const open = async () => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca: authority.cert }).on('error', () => {})
    sockets.push(socket)
    await once(socket, 'secureConnect')
    return socket
  }
  const busy = await open()
  busy.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const answer = await begun.promise
  for (let count = 0; count < 10; count += 1) await open()
  assert.ok(endings.length > 0 && endings.every(ending => ending === 'share'), endings.join())
  const heard = once(busy, 'data')
  answer()
  assert.match(String((await heard)[0]), /^HTTP\/1\.1 200 /)
})
