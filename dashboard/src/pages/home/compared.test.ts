import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownChange, shownPoints } from './compared.ts'

const plain = (text: string | null) => text?.replace(/\s/g, ' ')

test('a change is said in percent of what was before, and not at all where there was nothing', () => {
  assert.equal(shownChange(112, 100, 'en-US'), '+12%')
  assert.equal(plain(shownChange(50, 100, 'es')), '-50 %')
  assert.equal(shownChange(100, 100, 'en-US'), '0%')
  assert.equal(shownChange(5, 0, 'en-US'), null)
})

test('a rate changes by points', () => {
  assert.equal(shownPoints(0.95, 0.915, 'en-US'), '+3.5')
  assert.equal(shownPoints(0.9, 0.9, 'en-US'), '0')
  assert.equal(shownPoints(null, 0.9, 'en-US'), null)
})
