import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import {
  type AfterAttempt,
  afterAttempt,
  attemptOffsetsMs,
  attemptsMax,
  type BeforeAttempt,
  isAccepted,
  nextAttemptAt,
} from './retry-schedule.ts'

/** As the interface writes it. */
const seedTable = `
| Attempt | 1 (original) | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |
| Time | 0 seconds | 5 minutes | 10 minutes | 15 minutes | 20 minutes | 27.5 minutes | 87.5 minutes | 4.8 hours | 12.8 hours | 28.45 hours |
`
const unitMs: { readonly [unit: string]: number } = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 }
const seedTimesMs = [...seedTable.matchAll(/([0-9.]+) (seconds|minutes|hours)/g)].map(([, number, unit = '']) =>
  Math.round(Number(number) * (unitMs[unit] ?? Number.NaN)),
)

const noon = new Date('2026-11-15T12:00:00Z')
const minuteMs = 60_000
const after = (time: Date, ms: number) => new Date(time.getTime() + ms)

test('the times are the interface’s, to the millisecond, and there are ten', () => {
  assert.deepEqual(attemptOffsetsMs, seedTimesMs)
  assert.deepEqual([attemptsMax, seedTimesMs.length], [10, 10])
  assert.equal(attemptOffsetsMs[9], 102_420_000)
})

describe('the next attempt', () => {
  test('is due at its place, counted from the original one, however long the others took', () => {
    for (let made = 1; made < 10; made++) {
      const lastAt = after(noon, (seedTimesMs[made - 1] ?? 0) + 900)
      const dueAt = nextAttemptAt({ made, originalAt: noon, lastAt })
      assert.deepEqual(dueAt, after(noon, seedTimesMs[made] ?? 0))
    }
  })

  test('is none after the tenth', () => {
    assert.equal(nextAttemptAt({ made: 10, originalAt: noon, lastAt: after(noon, 1) }), null)
  })

  test('comes half of the table’s gap after a late one, when that is later than its place', () => {
    // The second was due after 5 minutes and came after 13: half of the 5 minutes between second and third.
    const lastAt = after(noon, 13 * minuteMs)
    assert.deepEqual(nextAttemptAt({ made: 2, originalAt: noon, lastAt }), after(lastAt, 2.5 * minuteMs))
    // After 7 minutes the place of the third, at 10, is later than half a gap.
    const sooner = after(noon, 7 * minuteMs)
    assert.deepEqual(nextAttemptAt({ made: 2, originalAt: noon, lastAt: sooner }), after(noon, 10 * minuteMs))
  })

  test('after a pause of days goes on with its number, half a gap after each that was late', () => {
    const resumedAt = after(noon, 4 * 24 * 60 * minuteMs)
    const times: Date[] = []
    let lastAt = resumedAt
    for (let made = 4; ; made++) {
      const dueAt = nextAttemptAt({ made, originalAt: noon, lastAt })
      if (dueAt === null) break
      times.push(dueAt)
      lastAt = dueAt
    }
    const gapsMinutes = times.map(
      (time, index) => (time.getTime() - (times[index - 1] ?? resumedAt).getTime()) / minuteMs,
    )
    assert.deepEqual(gapsMinutes, [2.5, 3.75, 30, 100.25, 240, 469.5])
  })

  test('whenever the service was down, comes neither before its place nor in a burst, and ten times at most', () => {
    const anyLateness = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 * 86_400_000 }))
    fc.assert(
      fc.property(fc.array(anyLateness, { minLength: 15, maxLength: 15 }), latenesses => {
        const times = [noon]
        for (const lateMs of latenesses) {
          const lastAt = times.at(-1) as Date
          const dueAt = nextAttemptAt({ made: times.length, originalAt: noon, lastAt })
          if (dueAt === null) break
          times.push(after(dueAt, lateMs))
        }
        assert.equal(times.length, 10)
        times.forEach((time, index) => {
          const placeMs = seedTimesMs[index] ?? Number.NaN
          assert.ok(time.getTime() - noon.getTime() >= placeMs, `${index + 1} came before its place`)
          const before = times[index - 1]
          if (before === undefined) return
          const halfGapMs = (placeMs - (seedTimesMs[index - 1] ?? 0)) / 2
          assert.ok(time.getTime() - before.getTime() >= halfGapMs, `${index + 1} came in a burst`)
        })
      }),
    )
  })
})

test('accepted is any of 200 to 299, and nothing else', () => {
  const statuses = [null, 100, 199, 200, 204, 299, 300, 302, 404, 500]
  assert.deepEqual(
    statuses.filter(status => isAccepted(status)),
    [200, 204, 299],
  )
})

describe('after an attempt', () => {
  const at = after(noon, 6 * minuteMs)
  const afterTwo = { scheduledMade: 2, originalAt: noon, lastAt: after(noon, 5 * minuteMs) }
  const pending: BeforeAttempt = { state: 'pending', ...afterTwo, resendAt: null }
  const settled = (state: 'delivered' | 'dropped'): BeforeAttempt => ({
    ...{ state, scheduledMade: 10, originalAt: noon, lastAt: after(noon, 1), resendAt: noon },
  })

  const rows: readonly [string, BeforeAttempt, boolean, AfterAttempt][] = [
    [
      'the original one, accepted',
      { state: 'pending', scheduledMade: 0, originalAt: null, lastAt: null, resendAt: null },
      true,
      { state: 'delivered', scheduledMade: 1, originalAt: at, lastAt: at, dueAt: null },
    ],
    [
      'the original one, failed: the table counts from it',
      { state: 'pending', scheduledMade: 0, originalAt: null, lastAt: null, resendAt: null },
      false,
      { state: 'pending', scheduledMade: 1, originalAt: at, lastAt: at, dueAt: after(at, 5 * minuteMs) },
    ],
    [
      'the third, accepted',
      pending,
      true,
      { state: 'delivered', scheduledMade: 3, originalAt: noon, lastAt: at, dueAt: null },
    ],
    [
      'the third, failed',
      pending,
      false,
      { state: 'pending', scheduledMade: 3, originalAt: noon, lastAt: at, dueAt: after(noon, 15 * minuteMs) },
    ],
    [
      'the tenth, failed',
      { ...pending, scheduledMade: 9 },
      false,
      { state: 'dropped', scheduledMade: 10, originalAt: noon, lastAt: at, dueAt: null },
    ],
    [
      'the tenth, accepted',
      { ...pending, scheduledMade: 9 },
      true,
      { state: 'delivered', scheduledMade: 10, originalAt: noon, lastAt: at, dueAt: null },
    ],
    [
      'a resend of a pending one, accepted: the schedule ends',
      { ...pending, resendAt: noon },
      true,
      { state: 'delivered', ...afterTwo, dueAt: null },
    ],
    [
      'a resend of a pending one, failed: the schedule goes on as if it had not been',
      { ...pending, resendAt: noon },
      false,
      { state: 'pending', ...afterTwo, dueAt: after(noon, 10 * minuteMs) },
    ],
    [
      'a resend of a dropped one, accepted',
      settled('dropped'),
      true,
      { state: 'delivered', scheduledMade: 10, originalAt: noon, lastAt: after(noon, 1), dueAt: null },
    ],
    ...((['dropped', 'delivered'] as const).map(state => [
      `a resend of a ${state} one, failed: it stays so`,
      settled(state),
      false,
      { state, scheduledMade: 10, originalAt: noon, lastAt: after(noon, 1), dueAt: null },
    ]) as [string, BeforeAttempt, boolean, AfterAttempt][]),
    [
      'a resend of a delivered one, accepted',
      settled('delivered'),
      true,
      { state: 'delivered', scheduledMade: 10, originalAt: noon, lastAt: after(noon, 1), dueAt: null },
    ],
  ]
  for (const [name, before, accepted, expected] of rows) {
    test(name, () => assert.deepEqual(afterAttempt(before, { at, accepted }), expected))
  }

  test('whatever the answers, the tenth failure drops it and no earlier one does', () => {
    let before: BeforeAttempt = { state: 'pending', scheduledMade: 0, originalAt: null, lastAt: null, resendAt: null }
    let time = noon
    const states = Array.from({ length: 10 }, () => {
      const { dueAt, ...now } = afterAttempt(before, { at: time, accepted: false })
      before = { ...now, resendAt: null }
      time = dueAt ?? time
      return now.state
    })
    assert.deepEqual(states, [...Array(9).fill('pending'), 'dropped'])
  })
})
