import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Envelope, Taken } from './ports.ts'
import { inTurn } from './turns.ts'

const envelope: Envelope = { mailFrom: null, rcptTo: null, clientAddress: null, helo: null }
const dropped: Taken = { kind: 'dropped', why: '' }

test('some at once, some wait, the rest may come again', async () => {
  const held: PromiseWithResolvers<Taken>[] = []
  const take = inTurn(
    () => {
      const one = Promise.withResolvers<Taken>()
      held.push(one)
      return one.promise
    },
    { atOnceMax: 2, waitingMax: 1 },
  )
  const results = [1, 2, 3, 4].map(() => take(envelope, Buffer.alloc(0)).catch(() => 'failed'))
  assert.equal(((await results[3]) as Taken).kind, 'not_now')
  assert.equal(held.length, 2)
  held[0]?.reject(new Error('a bug gives its turn back too'))
  assert.equal(await results[0], 'failed')
  assert.equal(held.length, 3)
  held[1]?.resolve(dropped)
  held[2]?.resolve(dropped)
  assert.deepEqual(await Promise.all(results.slice(1, 3)), [dropped, dropped])
  const [fifth, sixth] = [take(envelope, Buffer.alloc(0)), take(envelope, Buffer.alloc(0))]
  for (const one of held) one.resolve(dropped)
  assert.deepEqual(await Promise.all([fifth, sixth]), [dropped, dropped])
})
