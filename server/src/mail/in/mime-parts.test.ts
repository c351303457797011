import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasTooManyParts, unknownCharset } from './mime-parts.ts'

const part = (type: string) => `--b\r\nContent-Type: ${type}\r\n\r\nx\r\n`
const mail = (...parts: string[]) =>
  Buffer.from(`From: a@b.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`)

test('five hundred parts are too many, and a few hundred are not', () => {
  assert.equal(hasTooManyParts(mail(part('text/plain').repeat(400))), false)
  assert.equal(hasTooManyParts(mail(part('text/plain').repeat(10_000))), true)
})

test('charsets are known by any of their names, in quotes, in any case, and on the next line', () => {
  for (const known of [
    'utf-8',
    '"UTF-8"',
    'us-ascii',
    'ISO-8859-15',
    'windows-1252',
    'gb18030',
    'koi8-r',
    '"utf-8";\r\n format=flowed',
  ])
    assert.equal(unknownCharset(mail(part(`text/plain;\r\n charset=${known}`))), null, known)
  assert.equal(unknownCharset(mail(part('text/plain'))), null)
})

test('one that nobody knows is found in whichever part it is', () => {
  assert.equal(unknownCharset(mail(part('text/plain; charset=x-klingon'))), 'x-klingon')
  assert.equal(unknownCharset(mail(part('text/plain'), part('text/html; format=x;\r\n\tCHARSET="utf-7"'))), 'utf-7')
  assert.equal(unknownCharset(Buffer.from('content-type: text/plain; charset=\r\n\r\nx')), null)
})
