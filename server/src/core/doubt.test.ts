import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { nextAskAt, nextStep } from './doubt.ts'
import type { GatewayPromises } from './gateway.ts'
import type { Operation } from './operation.ts'
import { after, charge, noon } from './samples.test.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const full: GatewayPromises = { idempotentForMs: 24 * hour, lookup: true, fence: true }
const refund: Operation = { ...charge, kind: 'refund' }
const followUps = (['refund', 'capture', 'void'] as const).map(kind => ({ ...charge, kind }))

/** When it is asked, from its first answer on, if nothing is ever learned: offsets from its creation. */
function schedule(operation: Operation, promises: GatewayPromises, times: number): number[] {
  const asked: number[] = []
  let now = operation.createdAt
  for (let asks = 0; asks < times; asks++) {
    now = nextAskAt({ ...operation, asks }, promises, now)
    asked.push(now.getTime() - operation.createdAt.getTime())
  }
  return asked
}

describe('the schedule', () => {
  test('grows from 5 s over 30 s, 2 min and 10 min to 1 h, and stays at every hour', () => {
    const gaps = [5 * second, 30 * second, 2 * minute, 10 * minute, hour, hour, hour]
    let sum = 0
    const expected = gaps.map(gap => (sum += gap))
    for (const operation of followUps) assert.deepEqual(schedule(operation, full, 7), expected)
  })

  test('asks about a charge exactly when its five minutes are over', () => {
    const asked = schedule(charge, full, 6)
    assert.deepEqual(asked.slice(0, 3), [5 * second, 35 * second, 155 * second])
    assert.deepEqual(asked.slice(3), [5 * minute, 5 * minute + hour, 5 * minute + 2 * hour])
  })

  test('a charge whose answer took long is still asked at the end of its five minutes', () => {
    const late = after(noon, 5 * minute - 1)
    assert.deepEqual(nextAskAt({ ...charge, asks: 2 }, full, late), after(noon, 5 * minute))
    assert.deepEqual(nextAskAt({ ...charge, asks: 0 }, full, after(noon, minute)), after(noon, minute + 5 * second))
  })

  test('once rolling forward is over a charge is asked like the others', () => {
    const end = after(noon, 5 * minute)
    assert.deepEqual(nextAskAt({ ...charge, asks: 0 }, full, end), after(end, 5 * second))
    assert.deepEqual(nextAskAt({ ...charge, asks: 9 }, full, end), after(end, hour))
  })

  test('always lies ahead, and never more than an hour', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(50), fc.nat(48 * hour), fc.nat(48 * hour), (isCharge, asks, age, kept) => {
        const now = after(noon, age)
        const operation = { ...(isCharge ? charge : refund), asks }
        const next = nextAskAt(operation, { ...full, idempotentForMs: kept }, now)
        const gap = next.getTime() - now.getTime()
        assert.ok(gap > 0 && gap <= hour, `${gap} ms`)
      }),
    )
  })
})

describe('rolling forward', () => {
  test('a charge is sent again for five minutes, and not a moment longer', () => {
    assert.equal(nextStep(charge, full, noon), 'send_again')
    assert.equal(nextStep(charge, full, after(noon, 5 * minute - 1)), 'send_again')
    assert.equal(nextStep(charge, full, after(noon, 5 * minute)), 'fence_and_look_up')
  })

  test('follow-ups are sent again as long as the gateway keeps keys, but for a margin of ten minutes', () => {
    const end = 24 * hour - 10 * minute
    for (const operation of followUps) {
      assert.equal(nextStep(operation, full, after(noon, 5 * minute)), 'send_again')
      assert.equal(nextStep(operation, full, after(noon, end - 1)), 'send_again')
      assert.equal(nextStep(operation, full, after(noon, end)), 'fence_and_look_up')
    }
  })

  test('no longer than keys are kept, for a charge as well', () => {
    const short = { ...full, idempotentForMs: 11 * minute }
    assert.equal(nextStep(charge, short, after(noon, minute - 1)), 'send_again')
    assert.equal(nextStep(charge, short, after(noon, minute)), 'fence_and_look_up')
    assert.deepEqual(nextAskAt({ ...charge, asks: 2 }, short, after(noon, minute - 1)), after(noon, minute))
  })
})

describe('a gateway that lacks', () => {
  test('idempotency is never sent anything twice', () => {
    const none = { ...full, idempotentForMs: 0 }
    for (const operation of [charge, ...followUps]) {
      fc.assert(
        fc.property(fc.nat(48 * hour), age => {
          assert.equal(nextStep(operation, none, after(noon, age)), 'fence_and_look_up')
        }),
        { numRuns: 20 },
      )
    }
  })

  test('a fence is looked up', () => {
    const promises = { ...full, fence: false }
    assert.equal(nextStep(charge, promises, after(noon, 5 * minute)), 'look_up')
    assert.equal(nextStep(refund, promises, after(noon, 24 * hour)), 'look_up')
  })

  test('lookup is left to a person once nothing may be sent again, fence or not', () => {
    for (const fence of [true, false]) {
      const promises = { ...full, lookup: false, fence }
      assert.equal(nextStep(charge, promises, after(noon, 5 * minute - 1)), 'send_again')
      assert.equal(nextStep(charge, promises, after(noon, 5 * minute)), 'leave_to_a_person')
    }
  })

  test('everything is left to a person at once', () => {
    const nothing = { idempotentForMs: 0, lookup: false, fence: false }
    for (const operation of [charge, ...followUps]) {
      assert.equal(nextStep(operation, nothing, noon), 'leave_to_a_person')
    }
  })
})
