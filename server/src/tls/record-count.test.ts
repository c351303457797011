import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordCount } from './record-count.ts'

const limits = { freeRecords: 10, handshakeBytesMax: 1_000, lastHandshakeBytesMax: 100 }
const record = (bytes: number, type = 23) =>
  Buffer.concat([Buffer.from([type, 3, 3, bytes >> 8, bytes & 255]), Buffer.alloc(bytes, 1)])
const records = (count: number, bytes: number) => Buffer.concat(Array<Buffer>(count).fill(record(bytes)))

/** In pieces of so many bytes. How many bytes may be read, at most one piece more. */
function readable(bytes: Buffer, pieceBytes: number, free: number): number {
  const count = new RecordCount({ ...limits, freeRecords: free })
  for (let at = 0; at < bytes.length; at += pieceBytes)
    if (!count.mayRead(bytes.subarray(at, at + pieceBytes))) return at
  return bytes.length
}

test('so many small records may be read, however they are cut, and no more', () => {
  const small = records(100, 1)
  for (const pieceBytes of [1, 3, 5, 6, 7, small.length]) {
    assert.equal(readable(small, pieceBytes, 96), small.length, `${pieceBytes}`)
    // The header of the 96th has been read: 91 are free, and four more are earned by the bytes of all.
    assert.ok(readable(small, pieceBytes, 91) <= 95 * 6 + 4, `${pieceBytes}`)
  }
})

test('of records of 128 bytes and more there may be any number', () => {
  assert.equal(readable(records(5_000, 123), 65_536, 1), 5_000 * 128)
  assert.equal(readable(records(100, 16_384), 1_000, 1), 100 * 16_389)
  assert.ok(readable(records(5_000, 100), 65_536, 500) < 5_000 * 105)
})

test('an empty record is one', () => {
  assert.ok(readable(records(100, 0), 5, 50) < 60 * 5)
})

test('there may be so much of a handshake, and one small part of it after keys were changed', () => {
  const may = (...sent: readonly (readonly [type: number, bytes: number])[]) => {
    const count = new RecordCount(limits)
    return sent.every(([type, bytes]) => count.mayRead(record(bytes, type)))
  }
  const [change, shake, data] = [20, 22, 23]
  assert.ok(may([shake, 600], [shake, 400], [change, 1], [shake, 100], [data, 16_384], [change, 1], [data, 9]))
  assert.ok(!may([shake, 1_001]))
  assert.ok(!may([shake, 600], [shake, 401]))
  assert.ok(!may([shake, 600], [change, 1], [shake, 101]))
  assert.ok(!may([shake, 600], [change, 1], [shake, 40], [data, 9], [shake, 40]))
  assert.ok(!may([change, 1], [shake, 40], [change, 1], [shake, 40]))
})
