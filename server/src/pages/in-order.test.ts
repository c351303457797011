import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './in-order.ts'

/** Writes that end when the test says so. */
function slowWriter() {
  const writes: { readonly items: readonly number[]; readonly ends: PromiseWithResolvers<void> }[] = []
  const write = (items: readonly number[]) => {
    const ends = Promise.withResolvers<void>()
    writes.push({ items: [...items], ends })
    return ends.promise
  }
  return { writes, keep: inOrder(write) }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

test('one write at a time, and what arrives during one is in the next, in order', async () => {
  const { writes, keep } = slowWriter()
  const first = keep(1)
  await settled()
  const others = [keep(2), keep(3)]
  await settled()
  assert.deepEqual(
    writes.map(({ items }) => items),
    [[1]],
  )
  writes[0]?.ends.resolve()
  await first
  await settled()
  assert.deepEqual(
    writes.map(({ items }) => items),
    [[1], [2, 3]],
  )
  writes[1]?.ends.resolve()
  await Promise.all(others)
})

test('nobody is told before it is written', async () => {
  const { writes, keep } = slowWriter()
  let told = false
  const written = keep(1).then(() => {
    told = true
  })
  await settled()
  assert.equal(told, false)
  writes[0]?.ends.resolve()
  await written
  assert.equal(told, true)
})

test('a write that fails is told to those whose it was, and the next goes on', async () => {
  const { writes, keep } = slowWriter()
  const failing = assert.rejects(keep(1), /no room/)
  await settled()
  const later = keep(2)
  writes[0]?.ends.reject(new Error('no room'))
  await failing
  await settled()
  writes[1]?.ends.resolve()
  await later
})
