// Big mails, each made to keep a reader busy. None takes much more work than a plain one of that size, or they
// would stop the whole process: payments, pages and all.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domain, sign, write } from '../../../test/support/mailbox.ts'
import { mailDomain, payment, testIntake, token } from '../../../test/support/test-intake.ts'
import type { InboundPorts } from './ports.ts'
import { takeIn } from './take-in.ts'

const timesMax = 8
const bytes = 400_000
const shop = domain('shop.test')
const resolve: InboundPorts['resolve'] = async (name, type) => {
  const found = shop.records.get(`${type} ${name}`)
  if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return found.map(text => [text])
}

async function workMs(mail: Buffer, rcptTo: string): Promise<number> {
  const before = process.cpuUsage()
  await takeIn(testIntake(resolve), { mailFrom: 'ada@shop.test', rcptTo, clientAddress: '127.0.0.1', helo: null }, mail)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const fill = (piece: string, length = bytes) => piece.repeat(Math.floor(length / piece.length))
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n')
const encoded = (text: string) => `Content-Transfer-Encoding: base64\n\n${base64(text.slice(0, bytes * 0.7))}\n`
const signatures = Array.from({ length: 10 }, (_, n) => {
  const tags = `v=1; a=rsa-sha256; c=${['simple', 'relaxed'][n % 2]}/relaxed; d=shop.test; s=post; h=from`
  return `DKIM-Signature: ${tags}; l=${bytes - n}; bh=${base64('x'.repeat(32)).trim()}; b=eA==`
})

const oneSignature = `DKIM-Signature: v=1; a=rsa-sha256; d=shop.test; s=post; h=from; bh=${base64('x'.repeat(32)).trim()}; b=eA==`

const heavy: { readonly [name: string]: Parameters<typeof write>[1] } = {
  'From without an @': { from: fill('a', 60_000) },
  'From of many machines': { from: `${fill('-request', 60_000)}@` },
  'From of many addresses': { from: fill('a@b ', 60_000) },
  'signatures of many lengths': { more: signatures, text: fill(`${'word '.repeat(14)}\n`) },
  'nothing but @': { text: fill('@') },
  'lines of @': { text: fill(`${'@'.repeat(70)}\n`) },
  'nothing but @, as HTML': { content: `Content-Type: text/html\n\n${fill('@')}\n` },
  'nothing but <': { content: `Content-Type: text/html\n\n${fill('<')}\n` },
  'nothing but @, in many parts': {
    content: `Content-Type: multipart/mixed; boundary=b\n\n${fill(`--b\n\n${'@'.repeat(2_000)}\n`)}`,
  },
  'short lines that may begin a quotation': { text: fill('from: \n') },
  'types without a charset': { text: fill('content-type:a;charset=utf-8\n') },
  'blanks between @': { text: fill(`@${' '.repeat(16_000)}`) },
  'blanks between @, encoded': { content: encoded(fill(`@${' '.repeat(16_000)}`)) },
  'line ends': { text: fill('\n') },
  digits: { text: fill('4') },
  'digits, encoded': { content: encoded(fill('4')) },
  'digits with blanks': { text: fill('4111 1111  ') },
  'digits with line ends': { text: fill(`${'4'.repeat(40)}\n`) },
  'words that quote': { text: fill(`am ${'schrieb '.repeat(40)}\n`) },
  'tags that do not end': { content: `Content-Type: text/html\n\n${fill('<a "')}\n` },
  'tags that quote': { content: `Content-Type: text/html\n\n${fill('<blockquote>')}\n` },
  'lines of base64': { text: fill(`${'QUJD'.repeat(10)}\n`) },
  hyphens: { text: fill(`${'-'.repeat(900)}\n`) },
  'many parts': { content: `Content-Type: multipart/mixed; boundary=b\n\n${fill('--b\n\n')}` },
  'many tokens': { text: fill(`${token}\n`) },
}

/** Of these a text of 60 KB is read whole, or a field of 8 KB. */
const small: typeof heavy = {
  'marks on one letter': { text: `a${fill('\u0301', 15_000)}\u00ad${fill('\u0323', 15_000)}\n` },
  'quotes that do not end': { more: [...Array(10).fill(oneSignature), `Cc: ${fill('\\"', 8_180)}`] },
}

const sizes = [
  { size: bytes, mails: heavy },
  { size: 60_000, mails: small },
]

test('no mail takes much more work than a plain one of its size', async () => {
  for (const { size, mails } of sizes) {
    const text = fill(`${'word '.repeat(14)}\n`, size)
    const plain = await sign(write('ada@shop.test', { to: payment, text }), { by: shop })
    await workMs(plain, payment)
    const usualMs = Math.min(await workMs(plain, payment), await workMs(plain, payment))
    for (const [name, parts] of Object.entries(mails)) {
      for (const to of [payment, `transaction@${mailDomain}`]) {
        const mail = write('ada@shop.test', { to, ...parts })
        const times = (await workMs(mail, to)) / usualMs
        assert.ok(times < timesMax, `${name}: ${times.toFixed(1)} times the work`)
      }
    }
  }
})
