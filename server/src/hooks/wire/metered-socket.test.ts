import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import net from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { startRaw } from '../../../test/support/raw-endpoint.ts'
import { MeteredSocket } from './metered-socket.ts'

/** At once. */
const inTurn = (read: () => number) => void read()

async function connected(t: TestContext, say: (socket: net.Socket) => void, spend: (cpuMs: number) => void = () => {}) {
  const endpoint = await startRaw(t, say, { when: 'connected' })
  return new MeteredSocket(net.connect(endpoint.port, '127.0.0.1'), { spend, inTurn })
}

test('bytes go both ways, and the end of either side', async t => {
  const endpoint = await startRaw(t, socket => socket.end(Buffer.alloc(90_000, 'b')), { when: 'connected' })
  const socket = new MeteredSocket(net.connect(endpoint.port, '127.0.0.1'), { spend: () => {}, inTurn })
  socket.end('asked')
  assert.deepEqual(await buffer(socket), Buffer.alloc(90_000, 'b'))
  await endpoint.letGo()
  assert.deepEqual(endpoint.received, ['asked'])
})

test('what is computed with the bytes while they are read is what they cost', async t => {
  let spentMs = 0
  const socket = await connected(
    t,
    socket => socket.end('go'),
    cpuMs => {
      spentMs += cpuMs
    },
  )
  const before = process.threadCpuUsage()
  socket.on('data', () => {
    for (let times = 0; times < 50_000; times += 1) createHash('sha512').update('x').digest()
  })
  await new Promise(resolve => socket.once('end', resolve))
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(spentMs > (user + system) / 2_000, `${spentMs} ms of ${(user + system) / 1_000}`)
})

test('more than 96 KiB are not read', async t => {
  const socket = await connected(t, socket => socket.end(Buffer.alloc(300_000, 'b')))
  let read = 0
  socket.on('data', bytes => {
    read += bytes.length
  })
  await assert.rejects(new Promise((_, reject) => socket.once('error', reject)), { code: 'TOO_MANY_BYTES' })
  assert.ok(read <= 96 * 1024 && socket.destroyed)
})

test('whoever reads slowly is not sent more than it takes', async t => {
  const plain: { socket: net.Socket | null } = { socket: null }
  const endpoint = await startRaw(t, socket => socket.write(Buffer.alloc(90_000, 'b')), { when: 'connected' })
  plain.socket = net.connect(endpoint.port, '127.0.0.1')
  const socket = new MeteredSocket(plain.socket, { spend: () => {}, inTurn })
  await new Promise(resolve => plain.socket?.once('pause', resolve))
  assert.ok(socket.readableLength < 90_000)
  socket.destroy()
  await endpoint.letGo()
})

test('very many small records are not read', async t => {
  const record = Buffer.from([23, 3, 3, 0, 1, 0])
  const socket = await connected(t, socket => socket.end(Buffer.concat(Array<Buffer>(400).fill(record))))
  socket.resume()
  await assert.rejects(new Promise((_, reject) => socket.once('error', reject)), { code: 'TOO_MANY_BYTES' })
})

test('what waits for its turn is read in order, its end and the end of its connection behind it', async t => {
  const waiting: (() => number)[] = []
  const endpoint = await startRaw(t, socket => socket.end(Buffer.alloc(90_000, 'b')), { when: 'connected' })
  const plain = net.connect(endpoint.port, '127.0.0.1')
  const socket = new MeteredSocket(plain, { spend: () => {}, inTurn: read => void waiting.push(read) })
  const read = buffer(socket)
  // One reading after the other, as the connection sends; it is gone before the last of them.
  while (!socket.destroyed) {
    waiting.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  assert.deepEqual(await read, Buffer.alloc(90_000, 'b'))
})
