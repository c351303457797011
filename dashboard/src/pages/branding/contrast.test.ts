import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inkOn } from '../../../../server/src/core/look.ts'
import { contrastBetween, contrastOn, isColour } from './contrast.ts'

test('the letters are those that the payment page takes, and can always be read', () => {
  for (let part = 0; part < 4_096; part += 1) {
    const colour = `#${(part * 4_097).toString(16).padStart(6, '0').slice(0, 6)}`
    const { ink, ratio } = contrastOn(colour)
    assert.equal(ink, inkOn(colour) === '#000000' ? 'black' : 'white', colour)
    assert.ok(ratio >= 4.5, `${colour} has ${ratio}`)
  }
})

test('black on white is 21, and a colour on itself 1', () => {
  assert.equal(contrastBetween('#ffffff', '#000000'), 21)
  assert.equal(contrastBetween('#3347c9', '#3347c9'), 1)
})

test('a colour has six digits', () => {
  assert.deepEqual(['#3347C9', '#fff', '3347c9', 'red', ''].map(isColour), [true, false, false, false, false])
})
