import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import net from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { startRaw } from '../../../test/support/raw-endpoint.ts'
import { MeteredSocket } from './metered-socket.ts'

async function connected(t: TestContext, say: (socket: net.Socket) => void, spend: (cpuMs: number) => void = () => {}) {
  const endpoint = await startRaw(t, say, { when: 'connected' })
  return new MeteredSocket(net.connect(endpoint.port, '127.0.0.1'), { spend })
}

test('bytes go both ways, and the end of either side', async t => {
  const endpoint = await startRaw(t, socket => socket.end(Buffer.alloc(100_000, 'b')), { when: 'connected' })
  const socket = new MeteredSocket(net.connect(endpoint.port, '127.0.0.1'), { spend: () => {} })
  socket.end('asked')
  assert.deepEqual(await buffer(socket), Buffer.alloc(100_000, 'b'))
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

test('more than 256 KiB are not read', async t => {
  const socket = await connected(t, socket => socket.end(Buffer.alloc(300_000)))
  let read = 0
  socket.on('data', bytes => {
    read += bytes.length
  })
  await assert.rejects(new Promise((_, reject) => socket.once('error', reject)), { code: 'TOO_MANY_BYTES' })
  assert.ok(read <= 256 * 1024 && socket.destroyed)
})

test('whoever reads slowly is not sent more than it takes', async t => {
  const plain: { socket: net.Socket | null } = { socket: null }
  const endpoint = await startRaw(t, socket => socket.write(Buffer.alloc(250_000)), { when: 'connected' })
  plain.socket = net.connect(endpoint.port, '127.0.0.1')
  const socket = new MeteredSocket(plain.socket, { spend: () => {} })
  await new Promise(resolve => plain.socket?.once('pause', resolve))
  assert.ok(socket.readableLength < 250_000)
  socket.destroy()
  await endpoint.letGo()
})
