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
  for (const mail of [
    part('text/plain', 'base64', base64(`my card is ${number}`)),
    part('text/plain', 'quoted-printable', '42424242=34242=\r\n4242'),
    part('text/html', '7bit', '<p>4242<b>4242</b>4242<i>4242</i></p>'),
    part('text/plain', '7bit', '4242  4242\r\n4242   4242'),
    part('text/plain; charset=utf-8', '8bit', Buffer.from('4242\u00a04242\u00a04242\u00a04242').toString('latin1')),
    part('text/plain; charset=utf-16le', 'base64', Buffer.from(number, 'utf16le').toString('base64')),
    part('multipart/mixed; boundary=b', '7bit', `${base64(`before ${number}`)}\r\n--b\r\n\r\nHi.\r\n--b--`),
  ]) {
    const left = await kept(mail)
    assert.ok(left.startsWith('From: ada@example.com\r\nContent-Type: '), left)
    assert.match(left, /\r\n\r\n\[What it said held a card number, or could not be read, and was not kept\.\]\r\n$/)
    assert.ok(hides(left), left)
  }
})

test('what is attached is never kept, and what was said beside it is', async () => {
  const attached = [
    ['Content-Type: text/csv', 'Content-Disposition: attachment', '', 'a;b'],
    ['Content-Type: message/rfc822', '', 'Content-Transfer-Encoding: base64', '', base64(`my card ${number}`)],
    [
      'Content-Type: image/png',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(number, 'utf16le').toString('base64'),
    ],
  ]
  for (const lines of attached) {
    const said = ['--b', 'Content-Type: text/plain; charset=utf-8', '', 'Caf\xc3\xa9?']
    const left = await kept(['Content-Type: multipart/mixed; boundary=b', '', ...said, '--b', ...lines, '--b--', ''])
    const words = '[What was attached was not kept. It said:]\r\n\r\nCaf\xc3\xa9?'
    assert.equal(left.trimEnd(), `Content-Type: multipart/mixed; boundary=b\r\n\r\n${words}`)
  }
})

test('a field of the header that hides one is not kept', async () => {
  const left = await kept(['From: ada@example.com', `Subject: =?utf-8?B?${base64(number)}?=`, 'Date: x', '', 'Hi.'])
  assert.equal(left, 'From: ada@example.com\r\nDate: x\r\n\r\nHi.')
  const named = await kept([
    'From: ada@example.com',
    `Content-Type: text/plain; name*=utf-8''${'%34%32'.repeat(8)}`,
    '',
    'Hi.',
  ])
  assert.equal(named, 'From: ada@example.com\r\n\r\nHi.')
})

test('of what cannot be read, no more than the header is kept', async () => {
  const deep = Array.from({ length: 40 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`)
  assert.match(await kept(deep), /^Content-Type: multipart\/mixed; boundary=b0\r\n\r\n\[What it said/)
})
