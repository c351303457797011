import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownAnswer } from './shown-answer.ts'

test('a short answer is shown whole, indented', () => {
  assert.deepEqual(shownAnswer(''), [])
  assert.deepEqual(shownAnswer('noted'), ['  noted'])
  assert.deepEqual(shownAnswer('one\r\n\r\n  two\n'), ['  one', '', '    two'])
})

test('of a long one the beginning is shown, and how long it is', () => {
  const lines = Array.from({ length: 11 }, (_, index) => `line ${index}`)
  assert.equal(shownAnswer(lines.slice(1).join('\n')).length, 10)
  assert.deepEqual(shownAnswer(lines.join('\n')).slice(-2), [
    '  line 9',
    '  … (77 characters in all; --json prints them)',
  ])
  assert.deepEqual(shownAnswer('x'.repeat(160)), [`  ${'x'.repeat(160)}`])
  assert.deepEqual(shownAnswer('x'.repeat(161)), [
    `  ${'x'.repeat(160)}`,
    '  … (161 characters in all; --json prints them)',
  ])
})

test('whatever it says, it gives the terminal no orders', () => {
  assert.deepEqual(shownAnswer('\u001b[2J\u0007a\u009bb\tc'), ['  \uFFFD[2J\uFFFDa\uFFFDb\tc'])
})
