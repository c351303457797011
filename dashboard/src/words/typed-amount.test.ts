import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleAmount, typedAmount } from './typed-amount.ts'

test('a comma is the decimal sign where the language writes one, and nothing else is guessed', () => {
  assert.equal(typedAmount(' 49,90 ', 'es'), '49.90')
  assert.equal(typedAmount('1.234,50', 'es-ES'), '1234.50')
  assert.equal(typedAmount('49.90', 'es'), '49.90')
  // Written with a point it is three decimals, as the service writes dinars: never a thousand times as much.
  assert.equal(typedAmount('1.234', 'es'), '1.234')
  for (const typed of ['1,234', '49,90']) {
    assert.equal(typedAmount(typed, 'en-US'), typed)
    assert.equal(typedAmount(typed, 'es-MX'), typed)
  }
  for (const typed of ['1.23,50', '1,2,3', ',5', 'abc', '']) assert.equal(typedAmount(typed, 'es'), typed)
})

test('the example of an amount has the decimals of its currency', () => {
  assert.equal(exampleAmount('USD', 'en-US'), '12.50')
  assert.equal(exampleAmount('USD', 'es'), '12,50')
  assert.equal(exampleAmount('KWD', 'en-US'), '12.500')
  assert.equal(exampleAmount('JPY', 'en-US'), '1250')
  assert.equal(exampleAmount('U', 'en-US'), '12.50')
})
