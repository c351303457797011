import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConcatenatingBlob } from './concatenating-blob.ts'

test('its bytes are those of Node’s Blob', async () => {
  const bytes = new Uint8Array([1, 2, 3, 250, 0])
  const parts = ['Ädä', bytes, bytes.subarray(1, 3), bytes.buffer, '', Buffer.from('x'), new Uint16Array([513])]
  for (const some of [[], parts, parts.toReversed()]) {
    const [ours, nodes] = await Promise.all([new ConcatenatingBlob(some), new Blob(some)].map(it => it.arrayBuffer()))
    assert.deepEqual(Buffer.from(ours as ArrayBuffer), Buffer.from(nodes as ArrayBuffer))
  }
})
