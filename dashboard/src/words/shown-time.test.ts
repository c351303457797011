import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exactUtc, shownAgo, shownSpan, shownTime } from './shown-time.ts'

const plain = (text: string) => text.replace(/\s/g, ' ')
const now = new Date('2026-11-15T12:00:00Z')
const ago = (seconds: number, locale = 'en-US') => shownAgo(new Date(now.getTime() - seconds * 1_000), now, locale)

test('a span is said by its two largest units', () => {
  assert.equal(shownSpan(270_061, 'en-US'), '3 days, 3 hours')
  assert.equal(shownSpan(61, 'en-US'), '1 minute, 1 second')
  assert.equal(shownSpan(0, 'en-US'), '0 seconds')
  assert.equal(shownSpan(29 * 3_600 - 6, 'en-US'), '1 day, 5 hours', 'and rounded to the second of them')
  assert.equal(shownSpan(86_399, 'en-US'), '1 day')
  assert.equal(shownSpan(86_400, 'es'), '1 día')
})

test('how long ago is never rounded up', () => {
  assert.equal(ago(20), 'now')
  assert.equal(ago(119), '1 minute ago')
  assert.equal(ago(2 * 3_600 - 1), '1 hour ago')
  assert.equal(ago(-150), 'in 2 minutes')
  assert.equal(ago(86_400), 'yesterday')
  assert.equal(ago(3 * 86_400, 'es'), 'hace 3 días')
  assert.equal(ago(400 * 86_400), 'Oct 11, 2025')
})

test('a time has as much of the day as is needed, in the viewer’s zone', () => {
  const shown = (at: string, timeZone: string) => plain(shownTime(new Date(at), now, 'en-US', timeZone))
  assert.equal(shown('2026-11-15T09:05:00Z', 'UTC'), 'Nov 15, 9:05 AM')
  assert.equal(shown('2026-11-14T23:05:00Z', 'UTC'), 'Nov 14, 11:05 PM')
  assert.equal(shown('2026-11-14T23:05:00Z', 'Europe/Madrid'), 'Nov 15, 12:05 AM')
  assert.equal(shown('2025-11-15T09:05:00Z', 'UTC'), 'Nov 15, 2025')
})

test('the exact time is in UTC, to the millisecond where there are any', () => {
  assert.equal(exactUtc(new Date('2026-11-15T09:05:07.120Z')), '2026-11-15 09:05:07.120 UTC')
  assert.equal(exactUtc(new Date('2026-11-15T09:05:07Z')), '2026-11-15 09:05:07 UTC')
})
