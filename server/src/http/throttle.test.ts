import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThrottle, type Taken } from './throttle.ts'

const afterMs = (taken: Taken) => (taken.ok ? taken.afterMs : assert.fail('it was refused'))

test('what goes beyond the burst waits, each for the one before, and what would wait too long is refused', () => {
  const throttle = createThrottle({ perS: 1, burst: 2, waitingMax: 3 })
  assert.deepEqual(
    [1, 2].map(() => afterMs(throttle.take('a'))),
    [0, 0],
  )
  const waits = [1, 2, 3].map(() => afterMs(throttle.take('a')))
  for (const [index, wait] of waits.entries()) {
    assert.ok(wait > index * 1_000 && wait <= (index + 1) * 1_000, `${index + 1} over the burst waits ${wait} ms`)
  }
  assert.deepEqual(throttle.take('a'), { ok: false, retryAfterS: 1 })
  assert.deepEqual(throttle.take('b'), { ok: true, afterMs: 0 }, 'another name has its own')
})

test('nothing waits where the limit does not say so', () => {
  const throttle = createThrottle({ perS: 1, burst: 1 })
  assert.deepEqual(throttle.take('a'), { ok: true, afterMs: 0 })
  assert.deepEqual(throttle.take('a'), { ok: false, retryAfterS: 1 })
})

test('what was given back, or charged, counts for the next', () => {
  const throttle = createThrottle({ perS: 1, burst: 2, waitingMax: 1 })
  throttle.take('a', 2)
  throttle.giveBack('a', 2)
  assert.equal(afterMs(throttle.take('a', 2)), 0)
  throttle.charge('a', 1)
  assert.equal(throttle.take('a').ok, false)
})
