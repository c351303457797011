import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptMail } from './kept-mail.ts'

const number = '4242424242424242'
const kept = (lines: readonly string[]) => keptMail(Buffer.from(lines.join('\r\n'), 'latin1'))
const base64 = (text: string) => Buffer.from(text).toString('base64')
const hides = (text: string) => !text.replace(/[^0-9]/g, '').includes(number) && !text.includes(base64(number))

test('a mail without card numbers is kept to the byte', async () => {
  const mail = ['From: ada@example.com', 'Subject: =?utf-8?B?w6k=?=', '', 'Caf\xe9, order 20261115, please.', '']
  assert.equal(await kept(mail), mail.join('\r\n'))
  const encoded = ['Content-Transfer-Encoding: base64', '', base64('Please take it.'), '']
  assert.equal(await kept(encoded), encoded.join('\r\n'))
  assert.equal(await kept(['From: ada@example.com']), 'From: ada@example.com')
})

test('a number in plain text is masked, and the rest stays', async () => {
  assert.equal(
    await kept(['X-Note: 4242 4242 4242 4242', '', `my card ${number}`]),
    [...['X-Note: **** **** **** 4242', '', 'my card ************4242']].join('\r\n'),
  )
})

test('of a mail that hides a number in what is encoded, the header alone is kept', async () => {
  const part = (type: string, encoding: string, text: string) => [
    ...['From: ada@example.com', `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, '', text, ''],
  ]
  const mixed = ['--b', 'Content-Type: text/csv', 'Content-Disposition: attachment; filename=a.csv']
  const attachment = [...mixed, 'Content-Transfer-Encoding: base64', '', base64(`card;${number}`), '--b--']
  for (const mail of [
    part('text/plain', 'base64', base64(`my card is ${number}`)),
    part('text/plain', 'quoted-printable', '42424242=34242=\r\n4242'),
    part('text/html', '7bit', '<p>4242<b>4242</b>4242<i>4242</i></p>'),
    part('multipart/mixed; boundary=b', '7bit', attachment.join('\r\n')),
  ]) {
    const left = await kept(mail)
    assert.ok(left.startsWith('From: ada@example.com\r\nContent-Type: '), left)
    assert.match(left, /\r\n\r\n\[What it said held a card number, or could not be read, and was not kept\.\]\r\n$/)
    assert.ok(hides(left), left)
  }
})

test('a field of the header that hides one is not kept', async () => {
  const left = await kept(['From: ada@example.com', `Subject: =?utf-8?B?${base64(number)}?=`, 'Date: x', '', 'Hi.'])
  assert.equal(left, 'From: ada@example.com\r\nDate: x\r\n\r\nHi.')
})

test('of what cannot be read, no more than the header is kept', async () => {
  const deep = Array.from({ length: 40 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`)
  assert.match(await kept(deep), /^Content-Type: multipart\/mixed; boundary=b0\r\n\r\n\[What it said/)
})
