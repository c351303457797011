import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { slowReaders } from './connections.ts'

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
