import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsFor } from '../words/words.ts'
import { countriesIn } from './countries.ts'

test('countries have their names in the customer’s language, in the order of its alphabet', () => {
  const names = countriesIn(wordsFor('es')).map(({ says }) => says)
  assert.deepEqual(
    names.filter(name => /^(?:Egipto|España|Zambia|Åland|Alemania)$/.test(name)),
    ['Alemania', 'Egipto', 'España', 'Zambia'],
  )
})

test('however many countries a browser names, there is one list for each language', () => {
  assert.equal(countriesIn(wordsFor('es-MX')), countriesIn(wordsFor('es-001')))
  assert.notEqual(countriesIn(wordsFor('es-MX')), countriesIn(wordsFor('en-GB')))
})
