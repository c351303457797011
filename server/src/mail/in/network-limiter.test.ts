import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNetworkLimiter } from './network-limiter.ts'

function limiter(trusted: readonly string[] = [], limits = {}) {
  const clock = { ms: 0 }
  const made = createNetworkLimiter(trusted, limits, () => clock.ms)
  const count = (
    address: string | null,
    times: number,
    kind: 'taken' | 'refused' | 'dropped' | 'not_now' = 'refused',
  ) => {
    for (let at = 0; at < times; at += 1) made.count(address, { kind })
  }
  return { ...made, clock, times: count, isAway: (address: string | null) => made.turnsAway(address) !== null }
}

test('a network whose mails are refused is told to come later, and so are its neighbours, until time has passed', () => {
  const { times, isAway, clock } = limiter()
  times('192.0.2.1', 99)
  assert.equal(isAway('192.0.2.1'), false)
  times('192.0.2.1', 1)
  assert.equal(isAway('192.0.2.1'), true)
  assert.equal(isAway('::ffff:192.0.2.1'), true, 'the same address, written as IPv6')
  assert.equal(isAway('192.0.2.2'), false)
  clock.ms += 3_000
  assert.equal(isAway('192.0.2.1'), false, 'a point is back')
  times('192.0.2.1', 1)
  assert.equal(isAway('192.0.2.1'), true)
  clock.ms += 5 * 60_000
  times('192.0.2.1', 99)
  assert.equal(isAway('192.0.2.1'), false, 'all are back')
  times('2001:db8::1', 50)
  times('2001:db8::ffff:2', 50)
  assert.equal(isAway('2001:db8::3'), true)
  assert.equal(isAway('2001:db8:0:1::3'), false)
})

test('a provider with many good customers and some bad ones is not turned away', () => {
  const { times, isAway } = limiter()
  for (let hour = 0; hour < 24; hour += 1) {
    for (let part = 0; part < 10; part += 1) {
      times('192.0.2.1', 50, 'refused')
      times('192.0.2.1', 60, 'taken')
      assert.equal(isAway('192.0.2.1'), false)
    }
  }
})

test('a message that took too long counts twenty times; what is dropped, or not decided, does not count', () => {
  const { count, times, isAway } = limiter()
  times('192.0.2.1', 1_000, 'dropped')
  times('192.0.2.1', 1_000, 'not_now')
  for (let at = 0; at < 4; at += 1) count('192.0.2.1', { kind: 'refused', isTooCostly: true })
  assert.equal(isAway('192.0.2.1'), false)
  count('192.0.2.1', { kind: 'refused', isTooCostly: true })
  assert.equal(isAway('192.0.2.1'), true)
  for (let at = 0; at < 100; at += 1) count('192.0.2.2', { kind: 'not_now', isOverLimit: true })
  assert.equal(isAway('192.0.2.2'), true, 'who goes over another limit over and over')
})

test('a mail that is known already gives no point back', () => {
  const { count, times, isAway } = limiter()
  times('192.0.2.1', 100)
  for (let at = 0; at < 100; at += 1) count('192.0.2.1', { kind: 'taken', known: true })
  assert.equal(isAway('192.0.2.1'), true)
  count('192.0.2.1', { kind: 'taken', known: false })
  assert.equal(isAway('192.0.2.1'), false)
})

test('a message costs its point before it is read, and has it back if it is not refused', () => {
  const address = '192.0.2.1'
  const { reserve, times, isAway } = limiter()
  const settles = Array.from({ length: 100 }, () => reserve(address))
  assert.equal(isAway(address), true, 'a hundred are being read')
  assert.equal(isAway('192.0.2.2'), false)
  const settle = (outcome: Parameters<(typeof settles)[0]>[0]) => settles.pop()?.(outcome)
  settle({ kind: 'refused' })
  settle({ kind: 'not_now', isOverLimit: true })
  settle({ kind: 'refused', isTooCostly: true })
  assert.equal(isAway(address), true)
  for (const outcome of [{ kind: 'dropped' }, { kind: 'not_now' }, { kind: 'taken', known: true }, null] as const) {
    settle(outcome)
    assert.equal(isAway(address), false, JSON.stringify(outcome))
    times(address, 1)
    assert.equal(isAway(address), true)
  }
  settle({ kind: 'taken', known: false })
  times(address, 1)
  assert.equal(isAway(address), false, 'its own, and one more')
  times(address, 1)
  assert.equal(isAway(address), true)
})

test('a network without points has none back that it did not have', () => {
  const { reserve, times, isAway } = limiter()
  times('192.0.2.1', 100)
  const settles = Array.from({ length: 20 }, () => reserve('192.0.2.1'))
  for (const settle of settles) settle({ kind: 'dropped' })
  assert.equal(isAway('192.0.2.1'), true)
})

test('mail whose DNS does not answer costs a point while DNS answers for others', () => {
  const { count, clock, isAway } = limiter()
  const undecided = (address: string) => {
    for (let at = 0; at < 100; at += 1) count(address, { kind: 'not_now', isUndecided: true })
  }
  undecided('192.0.2.1')
  assert.equal(isAway('192.0.2.1'), false, 'it may be our resolver')
  count('192.0.2.1', { kind: 'taken', known: false })
  undecided('192.0.2.1')
  assert.equal(isAway('192.0.2.1'), false, 'its own mail says nothing of others')
  count('192.0.2.2', { kind: 'taken', known: false })
  count('192.0.2.1', { kind: 'taken', known: false })
  undecided('192.0.2.1')
  assert.equal(isAway('192.0.2.1'), true)
  clock.ms += 11 * 60_000
  undecided('192.0.2.3')
  assert.equal(isAway('192.0.2.3'), false, 'that was too long ago')
})

test('this machine, relays that the operator trusts, and who is not known are not counted', () => {
  const { times, isAway } = limiter(['10.0.0.0/8', '203.0.113.7', '2001:db8:1::/48'])
  for (const address of [
    '127.0.0.1',
    '127.1.2.3',
    '::1',
    '::ffff:127.0.0.1',
    '10.1.2.3',
    '203.0.113.7',
    '2001:db8:1:2::3',
    null,
  ]) {
    times(address, 1_000)
    assert.equal(isAway(address), false, String(address))
  }
  times('203.0.113.8', 1_000)
  assert.equal(isAway('203.0.113.8'), true)
})

test('only so many networks are remembered: the one that was quiet longest is forgotten', () => {
  const { times, isAway } = limiter([], { networksMax: 2 })
  for (const address of ['192.0.2.1', '192.0.2.2']) times(address, 200)
  times('192.0.2.1', 1)
  times('192.0.2.3', 200)
  assert.deepEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(isAway), [true, false, true])
})
