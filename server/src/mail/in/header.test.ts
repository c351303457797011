import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeader } from './header.ts'

const read = (text: string) => readHeader(Buffer.from(text, 'latin1'))

test('fields, unfolded, and where the body begins', () => {
  const mail = 'From: ada\r\nSubject : a\r\n\tb\r\n  c\r\n\r\nBody: x\r\n'
  assert.deepEqual(read(mail), {
    fields: [
      { name: 'from', value: 'ada' },
      { name: 'subject', value: 'a\tb  c' },
    ],
    end: mail.indexOf('Body'),
  })
  assert.deepEqual(read('\r\nFrom: x\r\n'), { fields: [], end: 2 })
  assert.equal(read('From: x')?.end, 7)
})

test('lines that programs read differently are not read at all', () => {
  for (const line of ['a line', ' \t', '\xa0From: x', 'From', ': x', 'Fröm: x']) {
    assert.equal(read(`To: x\r\n${line}\r\nSubject: y\r\n\r\n`), null, JSON.stringify(line))
  }
  assert.equal(read(' From: x\r\n\r\n'), null)
})

test('no more than anybody needs', () => {
  assert.equal(read(`X: ${'y'.repeat(64 * 1024)}\r\n\r\n`), null)
  assert.equal(read('X: y\r\n'.repeat(2_001)), null)
  assert.equal(read('X: y\r\n'.repeat(2_000))?.fields.length, 2_000)
  assert.equal(read('DKIM-Signature: y\r\n'.repeat(11)), null)
  assert.equal(read('DKIM-Signature: y\r\n'.repeat(10))?.fields.length, 10)
  const ofLengths = (...lengths: string[]) => read(lengths.map(l => `DKIM-Signature: v=1; l=${l}; b=x\r\n`).join(''))
  assert.equal(ofLengths('1', '2', '1', '2')?.fields.length, 4)
  assert.equal(ofLengths('1', '2', ' 3'), null)
})
