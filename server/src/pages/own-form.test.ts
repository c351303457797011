import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf, isFromOurselves, readForm } from './own-form.ts'

const own = 'https://pay.example/here'

test('a browser that says where a form is from must say that it is from here', () => {
  assert.equal(isFromOurselves({ 'sec-fetch-site': 'same-origin', origin: 'null' }, own), true)
  for (const site of ['cross-site', 'same-site', 'none', '']) {
    assert.equal(isFromOurselves({ 'sec-fetch-site': site, origin: 'https://pay.example' }, own), false, site)
  }
  assert.equal(isFromOurselves({ origin: 'https://pay.example' }, own), true)
  assert.equal(isFromOurselves({ origin: 'https://evil.example' }, own), false)
  assert.equal(isFromOurselves({ origin: 'null' }, own), true, 'left to the token')
  assert.equal(isFromOurselves({}, own), true)
})

test('a form is read when it is one, and names each field once', () => {
  const type = 'application/x-www-form-urlencoded'
  assert.deepEqual(readForm(`${type}; charset=UTF-8`, 'a=1&b=%2B'), { a: '1', b: '+' })
  assert.equal(readForm(type, 'a=1&a=2'), null)
  assert.equal(readForm('application/json', '{}'), null)
  assert.equal(readForm(undefined, 'a=1'), null)
  assert.equal(readForm(type, undefined), null)
})

test('a form of more fields than any of ours is none', () => {
  const type = 'application/x-www-form-urlencoded'
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&')
  assert.equal(Object.keys(readForm(type, fields(200)) ?? {}).length, 200)
  assert.equal(readForm(type, fields(201)), null)
  assert.equal(fieldsOf('a&'.repeat(200)), null)
})
