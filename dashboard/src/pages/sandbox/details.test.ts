import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDetails } from './details.ts'

test('details say their type and their transaction', () => {
  const { type, transaction, text } = readDetails('{"type":"success","transaction":"01"}')
  assert.deepEqual([type, transaction], ['success', '01'])
  assert.match(text, /\n {2}"type": "success"/)
})

test('a test has no transaction, and what is no JSON is shown as it is', () => {
  assert.equal(readDetails('{"transaction":"00000000-0000-0000-0000-000000000000"}').transaction, null)
  for (const details of ['', 'x', 'null', '[1]', '7']) assert.equal(readDetails(details).type, null)
  assert.equal(readDetails('<b>').text, '<b>')
})
