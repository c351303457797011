import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserLanguage, localeOf } from './languages.ts'

test('the first language of the browser that we speak is spoken, else English', () => {
  assert.equal(browserLanguage(['es-MX', 'en']), 'es')
  assert.equal(browserLanguage(['fr', 'ES', 'en']), 'es')
  assert.equal(browserLanguage(['est', 'de']), 'en')
  assert.equal(browserLanguage([]), 'en')
})

test('dates and amounts are as in the viewer’s country, where it speaks that language', () => {
  assert.equal(localeOf('en', ['es', 'en-GB']), 'en-GB')
  assert.equal(localeOf('es', ['en-GB']), 'es')
  assert.equal(localeOf('es', ['est-EE', 'es-MX']), 'es-MX')
  assert.equal(localeOf('en', ['de']), 'en-US')
})
