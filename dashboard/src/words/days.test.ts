import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfDay, startOfDay } from './days.ts'

test('a day is from midnight to midnight where the viewer is, also when the clocks change', t => {
  const before = process.env.TZ
  t.after(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
  process.env.TZ = 'Europe/Madrid'
  assert.equal(startOfDay('2026-07-01'), '2026-06-30T22:00:00.000Z')
  assert.equal(endOfDay('2026-07-01'), '2026-07-01T22:00:00.000Z')
  assert.equal(startOfDay('2026-10-25'), '2026-10-24T22:00:00.000Z')
  assert.equal(endOfDay('2026-10-25'), '2026-10-25T23:00:00.000Z')
})

test('what is no day is none', () => {
  for (const text of ['', '2026', '2026-13-01', 'yesterday']) {
    assert.equal(startOfDay(text), null, text)
    assert.equal(endOfDay(text), null, text)
  }
})
