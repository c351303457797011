import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptLine } from './kept-text.ts'

test('a card number is masked, also where the cut would go through it', () => {
  assert.equal(keptLine('paid with 4111 1111 1111 1111', 100), 'paid with **** **** **** 1111')
  assert.equal(keptLine('4111111111111111', 15), '************11…')
})

test('it is one line, without what a database refuses or a terminal obeys', () => {
  assert.equal(keptLine(' a\0b\r\n\u001b[31mc\t', 100), 'a b [31mc')
  assert.equal(keptLine('half \ud83d', 100), 'half \ufffd')
})

test('it is cut to its length, and says so', () => {
  assert.equal(keptLine('x'.repeat(10), 10), 'x'.repeat(10))
  assert.equal(keptLine('x'.repeat(11), 10), `${'x'.repeat(9)}…`)
  assert.equal(keptLine('ab😀d', 4), 'ab\ufffd…', 'not through the middle of a character')
})
