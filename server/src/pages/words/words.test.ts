import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Html } from '../html.ts'
import { languages, wordsFor } from './words.ts'

const languageFor = (header?: string) => wordsFor(header).language

test('the language is the one of ours that is wanted most', () => {
  for (const [header, language] of [
    ['es', 'es'],
    ['en', 'en'],
    ['es-MX,es;q=0.9,en-US;q=0.8,en;q=0.7', 'es'],
    ['en-GB, es;q=0.9', 'en'],
    ['fr, de;q=0.9, es;q=0.1', 'es'],
    ['en;q=0.5, es;q=0.501', 'es'],
    ['en;q=0.5, es;q=0.5', 'en'],
    ['es;q=0.5, en;q=0.5', 'es'],
    ['en;q=0.2, es-419;q=0.1, en-US;q=0.05, es;q=0.3', 'es'],
    ['ES-es', 'es'],
    [' es ; q=1.0 ', 'es'],
    ['es-Latn-US', 'es'],
  ] as const) {
    assert.equal(languageFor(header), language, header)
  }
})

test('any language is English, unless English is not wanted', () => {
  for (const [header, language] of [
    ['*', 'en'],
    ['fr, *;q=0.1', 'en'],
    ['*;q=0.8, es;q=0.5', 'en'],
    ['*;q=0.1, es;q=0.5', 'es'],
    ['en;q=0, *', 'es'],
    ['en;q=0', 'en'],
    ['es;q=0', 'en'],
    ['es;q=0.000, fr', 'en'],
  ] as const) {
    assert.equal(languageFor(header), language, header)
  }
})

test('what makes no sense is passed over, and who says nothing reads English', () => {
  for (const header of [
    undefined,
    '',
    ',',
    ';;;',
    'q=1',
    'es;q=abc',
    'es;q=1.5',
    'es;q=-1',
    'e s',
    'español',
    'est',
    'x-es',
  ])
    assert.equal(languageFor(header), 'en', header)
  assert.equal(languageFor('@@, ;q=1, es'), 'es')
})

test('however long the header is, it is read to its end', () => {
  assert.equal(languageFor(`${'fr-FR;q=0.9,'.repeat(1_300)}es;q=0.1`), 'es')
  assert.equal(languageFor(`es-${'a'.repeat(16_000)}!`), 'en')
})

test('amounts are written as in the country that is named with the language', () => {
  const localeFor = (header: string) => wordsFor(header).locale
  for (const [header, locale] of [
    ['es', 'es'],
    ['es-MX', 'es-MX'],
    ['es-mx', 'es-MX'],
    ['es-419', 'es-419'],
    ['es;q=0.5, es-CL', 'es-CL'],
    ['en', 'en-US'],
    ['en-GB', 'en-GB'],
    ['fr-FR', 'en-US'],
    ['es-XX', 'es-XX'],
  ] as const) {
    assert.equal(localeFor(header), locale, header)
    assert.doesNotThrow(() => new Intl.NumberFormat(locale))
  }
})

/** Every text, by its path; functions are asked with names that are easy to find again. */
function textsOf(given: unknown, path: string): [string, string][] {
  if (typeof given === 'string') return [[path, given]]
  if (given instanceof Html) return [[path, given.text]]
  if (typeof given === 'function') return textsOf(given(...anything), `${path}()`)
  return Object.entries(given as object).flatMap(([key, value]) => textsOf(value, `${path}.${key}`))
}

/** Stands for a name, an amount, a mask or a number. */
const anything = Array<string>(4).fill('«7»')

test('every language says everything, and nothing is empty', () => {
  const [english = [], ...others] = languages.map(words => textsOf(words, ''))
  assert.ok(english.length > 60)
  for (const texts of others) {
    assert.deepEqual(
      texts.map(([path]) => path),
      english.map(([path]) => path),
    )
  }
  for (const [path, text] of [english, ...others].flat()) assert.match(text, /\S/, path)
})

test('a name or an amount that one language says, the others say too', () => {
  const [english = [], ...others] = languages.map(words => textsOf(words, ''))
  for (const texts of others) {
    for (const [index, [path, text]] of texts.entries()) {
      if (path === '.card.refused()') continue // a gateway's own sentence is English
      const said = (all: string) => all.split('«7»').length
      assert.equal(said(text), said(english[index]?.[1] ?? ''), path)
    }
  }
})

/** Words that two languages share. */
const shared = ['.checkout.total', '.alerts.hooks.error']

test('nothing is left in English', () => {
  const [english = [], ...others] = languages.map(words => textsOf(words, ''))
  const inEnglish = new Map(english)
  for (const texts of others) {
    const left = texts.filter(([path, text]) => inEnglish.get(path) === text && !shared.includes(path))
    assert.deepEqual(left, [])
  }
})

test('no page has a sentence of its own', async () => {
  const folder = join(import.meta.dirname, '..')
  const names = (await readdir(folder, { recursive: true })).filter(name => /\.(ts|js)$/.test(name))
  const pages = names.filter(name => !/\.test\.ts$|^words\/|^inbox|^receive|^arrivals|^in-order/.test(name))
  assert.ok(pages.length > 15)
  for (const name of pages) {
    const text = (await readFile(join(folder, name), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
    const sentences = [...text.matchAll(/['`>]([A-Z][a-z]+(?: [a-z’]+)+[.?!]?)['`<]/g)].map(([, found]) => found)
    assert.deepEqual(sentences, [], name)
  }
})
