import assert from 'node:assert/strict'
import { test } from 'node:test'
import { token } from '../../../test/support/test-intake.ts'
import { readHeader } from './header.ts'
import { withCrlf } from './lines.ts'
import { readBody } from './read-body.ts'
import { relaxed } from './relaxed.ts'

const other = token.replace('Ab0_', 'Zz9-')

async function read(content: string) {
  const mail = withCrlf(Buffer.from(`Subject: ${other}\n${content}`, 'latin1'))
  return readBody(relaxed(mail, { end: readHeader(mail)?.end ?? 0 }))
}

async function tokens(content: string) {
  return (await read(content))?.tokens
}

const plain = (text: string) => tokens(`Content-Type: text/plain; charset=utf-8\n\n${text}\n`)
const html = (text: string) => tokens(`Content-Type: text/html; charset=utf-8\n\n${text}\n`)
const wrapped = (by: string) => (token.match(/.{1,40}/g) ?? []).join(by)

test('a token in plain text, however it is broken over lines', async () => {
  for (const text of [
    token,
    `Hi, ${token}.`,
    wrapped('\n'),
    wrapped('\n  '),
    wrapped(' \n'),
    `${token.slice(0, -3)}\n==\n@`,
  ]) {
    assert.deepEqual(await plain(text), [token], text)
  }
  const flowed = `Content-Type: text/plain; format=flowed; delsp=yes\n\n${wrapped(' \n')}\n`
  assert.deepEqual(await tokens(flowed), [token])
})

test('a token with a version before it', async () => {
  const versioned = `@AAAAAAAAAAI=~${token.slice(1)}`
  assert.deepEqual(await plain(`Pay ${versioned}`), [versioned])
})

test('a token in any encoding and charset, heard of or not', async () => {
  const soft = token.replace(/=/g, '=3D').replace(/.{50}/g, '$&=\n')
  assert.deepEqual(await tokens(`Content-Transfer-Encoding: quoted-printable\n\n${soft}\n`), [token])
  assert.deepEqual(await tokens(`Content-Transfer-Encoding: base64\n\n${btoa(`Hi ${token}`)}\n`), [token])
  for (const charset of ['iso-8859-1', 'x-unheard-of', 'utf-8', 'windows-1252', '"']) {
    assert.deepEqual(
      await tokens(`Content-Type: text/plain; charset=${charset}\n\ncaf\xe9 ${token}\n`),
      [token],
      charset,
    )
  }
})

test('a token in HTML, with what editors put between its letters', async () => {
  const broken = [
    token,
    wrapped('<wbr>'),
    wrapped('&shy;'),
    wrapped('<br>\n'),
    wrapped('\n'),
    wrapped('<span>'),
    wrapped('&#8203;'),
  ]
  for (const text of broken) assert.deepEqual(await html(`<html><body><p>Hi ${text}</p></body></html>`), [token], text)
  assert.deepEqual(await html(token.replaceAll('@', '&#64;').replaceAll('=', '&#x3D;')), [token])
})

test('what is quoted in plain text is not asked for', async () => {
  const quotations = [
    `> ${token}`,
    ` >> ${token}`,
    `On Mon, 1 Jan 2024 at 10:00, Bob <bob@shop.test> wrote:\n${token}`,
    `On Mon, 1 Jan 2024 at 10:00,\nBob <bob@shop.test>\nwrote:\n\n${token}`,
    `El lun, 1 ene 2024 a las 10:00, Bob escribió:\n${token}`,
    `-----Original Message-----\n${token}`,
    `---------- Forwarded message ---------\n${token}`,
    `From: Bob\nSent: Monday\nTo: Ada\nSubject: Pay\n\n${token}`,
    `-- \n${token}`,
  ]
  for (const quotation of quotations) {
    assert.deepEqual(await plain(Buffer.from(`Thanks!\n\n${quotation}`).toString('latin1')), [], quotation)
    const both = Buffer.from(`${other}\n\n${quotation}`).toString('latin1')
    assert.deepEqual(await plain(both), [other], quotation)
  }
  assert.deepEqual(await plain(`From: my heart\n${token}`), [token])
})

test('what is quoted in HTML is not asked for', async () => {
  const quotations = [
    `<blockquote>${token}</blockquote>`,
    `<blockquote type="cite"><blockquote>x</blockquote>${token}</blockquote>`,
    `<div class="gmail_quote gmail_quote_container"><div>On x</div><div>${token}</div></div>`,
    `<div class='yahoo_quoted'>${token}</div>`,
    `<div id="divRplyFwdMsg">From: Bob</div><div>${token}</div>`,
    `<div>On Mon, 1 Jan 2024, Bob wrote:<br></div><div>${token}</div>`,
    `<p>&gt; ${token}</p>`,
    `<!-- ${token} -->`,
    `<style>${token}</style>`,
    `<a href="${token}">pay</a>`,
  ]
  for (const quotation of quotations) {
    assert.deepEqual(await html(`<p>Thanks</p>${quotation}`), [], quotation)
    assert.deepEqual(await html(`<p>${other}</p>${quotation}`), [other], quotation)
  }
  assert.deepEqual(await html(`<blockquote>x</blockquote><p>${token}</p>`), [token])
})

const mixed = (...parts: string[]) =>
  `Content-Type: multipart/mixed; boundary=b\n\n${parts.map(part => `--b\nContent-Type: ${part}\n`).join('')}--b--\n`

test('what only an HTML part shows as quoted is quoted', async () => {
  const content = mixed('text/plain\n\nThanks', `text/html\n\n<p>Bob:</p><blockquote>${token}</blockquote>`)
  assert.deepEqual(await tokens(content), [])
})

test('attached mails and files are not the sender’s words', async () => {
  assert.deepEqual(await tokens(mixed(`text/plain\n\n${token}`, `message/rfc822\n\nSubject: x\n\n${other}`)), [token])
  assert.deepEqual(await tokens(mixed(`text/plain\nContent-Disposition: attachment\n\n${token}`)), [])
})

test('several are several, the same twice is one, and what is no token is none', async () => {
  assert.deepEqual(await plain(`${token} and ${token}`), [token])
  assert.deepEqual(await plain(`${token} ${other}`), [token, other])
  assert.deepEqual(await plain(`${token}${other}`), [token, other])
  for (const text of [
    '',
    '@',
    '@@',
    'ada@shop.test',
    token.slice(1),
    token.slice(0, -1),
    `@${'a'.repeat(20)}@`,
    token.replace('A', '!'),
  ]) {
    assert.deepEqual(await plain(text), [], text)
  }
  assert.deepEqual(await plain(`me@shop.test wrote this to you, and many more words of no use\n${token}`), [token])
})

test('a mail that quotes anybody, in any reading, is known for it', async () => {
  const quotes = async (content: string) => (await read(content))?.quotesOthers
  assert.equal(await quotes(`Content-Type: text/plain\n\n${token}\n`), false)
  assert.equal(await quotes(`Content-Type: text/plain\n\n${token}\n-- \nAda\n`), false)
  assert.equal(await quotes(`Content-Type: text/html\n\n<p>${token}</p>\n`), false)
  for (const body of [
    '> x',
    '<blockquote>',
    'On Mon Jan 1 Bob wrote:',
    `Content-Disposition: attachment`,
    'Content-Type: message/rfc822',
  ]) {
    for (const type of ['text/plain', 'text/html'])
      assert.equal(await quotes(`Content-Type: ${type}\n\n${body}\n`), true, body)
  }
  assert.equal(await quotes(`Content-Transfer-Encoding: base64\n\n${btoa('<blockquote>')}\n`), true)
})

test('nothing that repeats itself keeps the reader busy', async () => {
  for (const piece of ['<a "', `<a '"`, '<', '<!--', '&#', '@aaaa', 'On x', '<b class="']) {
    for (const type of ['plain', 'html']) {
      const read = (chars: number) => tokens(`Content-Type: text/${type}\n\n${piece.repeat(chars / piece.length)}\n`)
      assert.deepEqual(await read(60_000), [])
      assert.deepEqual((await read(200_000)) ?? [], [])
    }
  }
})

test('own words are read up to 64 KiB; what is quoted below them may be longer, and then needs a confirmation', async () => {
  const filler = (chars: number) => 'word '.repeat(chars / 5)
  const parts: { readonly [type: string]: (own: string, quoted: string) => string } = {
    plain: (own, quoted) => `${own}\n\nOn Monday the shop wrote:\n${quoted}`,
    html: (own, quoted) => `<p>${own}</p><blockquote>${quoted}</blockquote>`,
  }
  for (const [type, write] of Object.entries(parts)) {
    const readAs = (own: string, quoted: string) => read(`Content-Type: text/${type}\n\n${write(own, quoted)}\n`)
    assert.deepEqual((await readAs(token, filler(1_000)))?.tokens, [token])
    const long = await readAs(token, filler(600_000))
    assert.deepEqual([long?.tokens, long?.quotesOthers], [[token], true], type)
    assert.equal(await readAs(`${token} ${filler(70_000)} ${other}`, ''), null, 'the second token is not overlooked')
    assert.equal(await readAs(`${token} ${filler(300_000)} ${other}`, ''), null)
  }
})

test('a token that only the plain part shows is not believed where the HTML part was not read to its end', async () => {
  const both = (html: string) =>
    `Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n${token}\n--b\nContent-Type: text/html\n\n${html}\n--b--\n`
  assert.deepEqual(await tokens(both('<p>Who are you?</p>')), [token])
  const long = `<p>Who are you?</p><blockquote>${'<b>word</b> '.repeat(30_000)}${token}</blockquote>`
  assert.deepEqual(await tokens(both(long)), [])
  assert.deepEqual(await tokens(both(`<p>${token}</p>${long}`)), [token])
})
