import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { after, charge, noon } from '../../test/support/sale-samples.ts'
import { askGaps, asksFor, nextAskAt, nextStep, retryAt } from './doubt.ts'
import type { GatewayPromises } from './gateway.ts'
import type { Operation } from './operation.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const full: GatewayPromises = { idempotentForMs: 24 * hour, lookup: true, fence: true }
const refund: Operation = { ...charge, kind: 'refund' }
const followUps = (['refund', 'capture', 'void'] as const).map(kind => ({ ...charge, kind }))

const inDoubt = (operation: Operation): Operation => ({ ...operation, outcome: 'unknown' })

/** When it is asked, from its first answer on, if nothing is ever learned: seconds from its creation. */
function schedule(operation: Operation, promises: GatewayPromises, timesMax = 1_000): number[] {
  const asked: number[] = []
  let now: Date | null = operation.createdAt
  while (asked.length < timesMax) {
    now = nextAskAt({ ...operation, asks: asked.length }, promises, now)
    if (now === null) break
    asked.push((now.getTime() - operation.createdAt.getTime()) / second)
  }
  return asked
}

describe('the schedule', () => {
  const rows: readonly { readonly ask: number; readonly followUpS: number; readonly chargeS: number }[] = [
    { ask: 1, followUpS: 5, chargeS: 5 },
    { ask: 2, followUpS: 35, chargeS: 35 },
    { ask: 3, followUpS: 155, chargeS: 155 },
    { ask: 4, followUpS: 755, chargeS: 300 }, // when its five minutes are over
    { ask: 5, followUpS: 4_355, chargeS: 3_900 },
    { ask: 6, followUpS: 7_955, chargeS: 7_500 },
    { ask: 7, followUpS: 11_555, chargeS: 11_100 },
    { ask: 74, followUpS: 252_755, chargeS: 252_300 },
    { ask: 75, followUpS: 256_355, chargeS: 255_900 }, // the last: an hour later three days are over
  ]
  for (const { ask, followUpS, chargeS } of rows) {
    test(`ask ${ask} comes ${followUpS} s after a follow-up and ${chargeS} s after a charge began`, () => {
      for (const operation of followUps) assert.equal(schedule(inDoubt(operation), full)[ask - 1], followUpS)
      assert.equal(schedule(inDoubt(charge), full)[ask - 1], chargeS)
    })
  }

  test('is 5 s, 30 s, 2 min, 10 min, 1 h, then hourly, and ends after 3 days', () => {
    assert.deepEqual([...askGaps, asksFor], ['5s', '30s', '2m', '10m', '1h', '3d'])
    for (const operation of [charge, ...followUps]) {
      const asked = schedule(inDoubt(operation), full)
      assert.equal(asked.length, 75)
      assert.ok((asked.at(-1) ?? 0) <= 72 * 3_600 && (asked.at(-1) ?? 0) > 71 * 3_600)
    }
  })

  test('ends to the millisecond: an ask may fall on the end of the three days, and not behind it', () => {
    const operation = { ...inDoubt(refund), asks: 9 }
    assert.deepEqual(nextAskAt(operation, full, after(noon, 71 * hour)), after(noon, 72 * hour))
    assert.equal(nextAskAt(operation, full, after(noon, 71 * hour + 1)), null)
  })

  test('has no end while a customer may act: that is not doubt', () => {
    assert.deepEqual(nextAskAt({ ...charge, asks: 9 }, full, after(noon, 99 * hour)), after(noon, 100 * hour))
  })

  const leftAlone: readonly { says: string; asks: number; ageMs: number; waitMs: number; nextMs: number }[] = [
    { says: 'longer than the gap', asks: 0, ageMs: hour, waitMs: 20 * second, nextMs: hour + 20 * second },
    { says: 'shorter than the gap', asks: 1, ageMs: hour, waitMs: 20 * second, nextMs: hour + 30 * second },
    { says: 'longer than any gap', asks: 0, ageMs: hour, waitMs: 9 * hour, nextMs: 2 * hour },
    { says: 'past the five minutes', asks: 0, ageMs: 4 * minute, waitMs: 3 * minute, nextMs: 7 * minute },
    { says: 'not past the five minutes', asks: 3, ageMs: 4 * minute, waitMs: 30 * second, nextMs: 5 * minute },
  ]
  for (const { says, asks, ageMs, waitMs, nextMs } of leftAlone) {
    test(`a gateway that asked to be left alone ${says} is asked when both allow it`, () => {
      const next = nextAskAt({ ...inDoubt(charge), asks }, full, after(noon, ageMs), waitMs)
      assert.deepEqual(next, after(noon, nextMs))
    })
  }

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
    const span = fc.nat(48 * hour)
    fc.assert(
      fc.property(fc.boolean(), fc.nat(50), span, span, span, (isCharge, asks, age, kept, leftAloneMs) => {
        const now = after(noon, age)
        const operation = { ...inDoubt(isCharge ? charge : refund), asks }
        const next = nextAskAt(operation, { ...full, idempotentForMs: kept }, now, leftAloneMs)
        const gap = (next?.getTime() ?? 0) - now.getTime()
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
      assert.equal(nextStep(operation, full, after(noon, end - 1)), 'look_up_then_send')
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

describe('counted, and not only measured: the clock may have been ahead when the operation was created', () => {
  const asked = (operation: Operation, asks: number) => ({ ...inDoubt(operation), asks })

  test('from the fourth ask on a follow-up is looked up before it is sent', () => {
    for (const operation of followUps) {
      for (const asks of [0, 1, 2]) assert.equal(nextStep(asked(operation, asks), full, noon), 'send_again')
      for (const asks of [3, 4, 74]) assert.equal(nextStep(asked(operation, asks), full, noon), 'look_up_then_send')
    }
  })

  test('and so it is where an ask comes late, as after a day without a worker', () => {
    assert.equal(nextStep(asked(refund, 0), full, after(noon, 10 * minute - 1)), 'send_again')
    assert.equal(nextStep(asked(refund, 0), full, after(noon, 10 * minute)), 'look_up_then_send')
  })

  test('from the fourth ask on a charge is ended: by then its five minutes are over', () => {
    assert.equal(nextStep(asked(charge, 2), full, noon), 'send_again')
    assert.equal(nextStep(asked(charge, 3), full, noon), 'fence_and_look_up')
  })

  test('no ask of the schedule comes to that earlier than without the count', () => {
    for (const operation of [charge, ...followUps]) {
      for (const [asks, afterS] of schedule(inDoubt(operation), full).entries()) {
        const at = after(noon, afterS * second)
        const step = nextStep(asked(operation, asks), full, at)
        const uncounted = nextStep(asked(operation, 0), full, at)
        const isSent = ['send_again', 'look_up_then_send']
        assert.equal(isSent.includes(step), isSent.includes(uncounted), `${operation.kind}, ask ${asks + 1}`)
      }
    }
  })

  test('without lookup it is sent again by the clock alone', () => {
    assert.equal(nextStep(asked(refund, 9), { ...full, lookup: false }, after(noon, hour)), 'send_again')
  })
})

describe('an operation that begins later than now', () => {
  const span = fc.integer({ min: minute + 1, max: 400 * 24 * hour })

  test('is never sent again, whatever the gateway keeps: nobody knows how old it is', () => {
    const steps: [Partial<GatewayPromises>, string][] = [
      [{}, 'fence_and_look_up'],
      [{ fence: false }, 'look_up'],
      [{ lookup: false }, 'leave_to_a_person'],
    ]
    for (const [some, expected] of steps) {
      for (const operation of [charge, ...followUps]) {
        fc.assert(
          fc.property(span, fc.nat(80), (aheadMs, asks) => {
            const step = nextStep({ ...operation, asks }, { ...full, ...some }, after(noon, -aheadMs))
            assert.equal(step, expected)
          }),
          { numRuns: 20 },
        )
      }
    }
  })

  test('by up to a minute is one of now: processes look at the time a little apart', () => {
    assert.equal(nextStep(charge, full, after(noon, -minute)), 'send_again')
    assert.equal(nextStep(charge, full, after(noon, -minute - 1)), 'fence_and_look_up')
  })

  test('is asked about on the schedule, but always before it begins, which tells it from one that nobody asked about', () => {
    assert.deepEqual(nextAskAt(inDoubt(charge), full, after(noon, -2 * hour)), after(noon, -2 * hour + 5 * second))
    fc.assert(
      fc.property(fc.boolean(), fc.nat(80), span, fc.nat(2 * hour), (isCharge, asks, aheadMs, leftAloneMs) => {
        const now = after(noon, -aheadMs)
        const operation = { ...inDoubt(isCharge ? charge : refund), asks }
        for (const at of [nextAskAt(operation, full, now, leftAloneMs), retryAt(operation, now)]) {
          assert.ok(at !== null && at > now && at < noon, `${at?.toISOString()}`)
        }
      }),
    )
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
