import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forwarderOf } from './listen-queue.ts'

/** Works that hang until they are let go, in the order in which they were begun. */
function hangingWorks() {
  const begun: { readonly id: unknown; readonly letGo: () => void }[] = []
  const forwarder = forwarderOf(({ id }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push({ id, letGo: resolve })
    return promise
  })
  const add = (kind: string, ...ids: number[]) => {
    for (const id of ids) forwarder.add({ id, kind })
  }
  return { begun, add, forwarder, ids: () => begun.map(({ id }) => id) }
}

test('notifications are eight at once, in the order in which they came', async () => {
  const { begun, add, forwarder, ids } = hangingWorks()
  add('transaction', 1, 2, 3, 4, 5)
  add('error', 6, 7, 8, 9, 10)
  assert.deepEqual(ids(), [1, 2, 3, 4, 5, 6, 7, 8])
  const idle = forwarder.idle()
  for (const work of begun) work.letGo()
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(ids(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  for (const work of begun) work.letGo()
  await idle
})

test('Pre-Sale begins at once, whatever hangs and waits, and is not idle before it is done', async () => {
  const { begun, add, forwarder, ids } = hangingWorks()
  add('transaction', 1, 2, 3, 4, 5, 6, 7, 8, 9)
  add('pre_sale', 10)
  assert.deepEqual(ids(), [1, 2, 3, 4, 5, 6, 7, 8, 10])
  add('pre_sale', ...Array.from({ length: 20 }, (_, index) => 11 + index))
  assert.equal(begun.length, 29, 'nor does one customer wait for another')
  const first = await Promise.race([forwarder.idle().then(() => 'idle'), Promise.resolve('busy')])
  assert.equal(first, 'busy')
})
