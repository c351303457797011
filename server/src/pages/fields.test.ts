import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkField, field, selectField, summary } from './fields.ts'
import { html } from './html.ts'

test('a field is named by its label, and described by what is wrong with it', () => {
  const { text } = field({ name: 'city', label: 'City', problem: 'Enter your city.' })
  assert.match(text, /<label for="city">City<\/label>/)
  assert.match(text, /<input id="city" name="city" aria-describedby="city-problem" aria-invalid="true">/)
  assert.match(text, /<p class="problem" id="city-problem">Enter your city.<\/p>/)
})

test('a field with nothing wrong is not invalid, and keeps an empty place for a script to write into', () => {
  const { text } = field({ name: 'city', label: 'City', problem: null })
  assert.doesNotMatch(text, /aria-invalid/)
  assert.match(text, /<p class="problem" id="city-problem"><\/p>/)
})

test('what a customer typed, and every label and hint, is text and never markup', () => {
  const hostile = '"><script>alert(1)</script>'
  const texts = [
    field({ name: 'a', label: hostile, problem: hostile, hint: hostile, attributes: { value: hostile } }).text,
    selectField({
      name: 'a',
      label: hostile,
      problem: null,
      chosen: null,
      choices: [{ value: hostile, says: hostile }],
    }).text,
    checkField({ name: 'a', label: hostile, problem: hostile }).text,
    summary(hostile).text,
  ]
  for (const text of texts) assert.doesNotMatch(text, /<script|""/)
})

test('an attribute that is true stands alone, and one that is false or null is left out', () => {
  const attributes = { required: true, autofocus: false, placeholder: null, maxlength: 4 }
  const { text } = field({ name: 'cvc', label: 'Code', problem: null, attributes })
  assert.match(text, / required maxlength="4" /)
  assert.doesNotMatch(text, /autofocus|placeholder/)
})

test('a problem is read out before the hint, and stands beside its field', () => {
  const { text } = field({ name: 'phone', label: 'Phone', problem: 'Too long.', hint: 'With the country.' })
  assert.match(text, /aria-describedby="phone-problem phone-hint"/)
  assert.match(text, /<p class="hint" id="phone-hint">With the country.<\/p>/)
})

test('a list has the choice selected that was made', () => {
  const choices = [
    { value: 'US', says: 'United States' },
    { value: 'MX', says: 'Mexico' },
  ]
  const { text } = selectField({ name: 'country', label: 'Country', problem: null, choices, chosen: 'MX' })
  assert.match(text, /<option value="US">United States<\/option>/)
  assert.match(text, /<option value="MX" selected>Mexico<\/option>/)
})

test('a box to tick sends yes, and its label may hold markup of ours', () => {
  const { text } = checkField({ name: 'consent', label: html`Keep it for <bdi>Ada</bdi>`, problem: null })
  assert.match(text, /<input type="checkbox" value="yes" id="consent" name="consent"/)
  assert.match(text, /<label for="consent">Keep it for <bdi>Ada<\/bdi><\/label>/)
})
