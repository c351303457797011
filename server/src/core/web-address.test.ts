import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWebAddress, parsedUrl } from './web-address.ts'

const letters = (count: number) => Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')

test('a URL is read as URL reads it', () => {
  for (const text of [
    'https://shop.example/a?b#c',
    'http://bücher.example',
    'http://[::1]:8080/',
    'mailto:ada@example.com',
  ]) {
    assert.equal(parsedUrl(text)?.href, new URL(text).href)
  }
  assert.equal(parsedUrl(`https://shop.example/${'a'.repeat(2_000)}`)?.host, 'shop.example')
  for (const text of ['', 'shop.example', 'http://', 'https://a b/']) assert.equal(parsedUrl(text), null, text)
})

test('nobody waits until a host of very many letters is read', () => {
  const isNone = (text: string) => assert.equal(parsedUrl(text), null, text.slice(0, 20))
  for (const beginning of ['http://', 'http:', 'HTTPS:\\\\', 'ftp:////', 'http://ada@', 'http:/\\']) {
    isNone(`${beginning}${letters(513)}`)
    isNone(`${beginning}${letters(513)}/path`)
    isNone(`${beginning}shop.example/${'a'.repeat(2_048)}`)
  }
  isNone(`http://${encodeURIComponent(letters(200))}`)
  assert.equal(isWebAddress(`https://shop.example/${'a'.repeat(2_048)}`), false)
  assert.equal(isWebAddress(`https://${letters(513)}.example`), false)
  assert.equal(isWebAddress('https://shop.example/a'), true)
})
