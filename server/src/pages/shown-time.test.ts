import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownAgo, shownWait } from './shown-time.ts'
import { wordsFor } from './words/words.ts'

const [en, es] = [wordsFor('en'), wordsFor('es')]

test('what was is told in minutes, then in hours, then in days', () => {
  assert.equal(shownAgo(en, 3_000), 'a moment ago')
  assert.equal(shownAgo(es, 3_000), 'hace un momento')
  assert.equal(shownAgo(en, 60_000), '1 minute ago')
  assert.equal(shownAgo(es, 180_000), 'hace 3 minutos')
  assert.equal(shownAgo(en, 7_200_000), '2 hours ago')
  assert.equal(shownAgo(en, 61 * 60_000), '1 hour ago')
  assert.equal(shownAgo(en, 47 * 3_600_000), '47 hours ago')
  assert.equal(shownAgo(en, 72 * 3_600_000), '3 days ago')
  assert.equal(shownAgo(es, 72 * 3_600_000), 'hace 3 días')
})

test('nobody is told to come back too early', () => {
  assert.equal(shownWait(en, 1), 'in 1 minute')
  assert.equal(shownWait(en, 61), 'in 2 minutes')
  assert.equal(shownWait(es, 2_400), 'dentro de 40 minutos')
  assert.equal(shownWait(en, 3_601), 'in 2 hours')
})
