// Changes proven mails, takes each in, and holds that where it still is proven, it still says what was signed.

import assert from 'node:assert/strict'
import PostalMime from 'postal-mime'
import type { InboundPorts } from '../../src/mail/in/ports.ts'
import { takeIn } from '../../src/mail/in/take-in.ts'
import { mailDomain, payment, testIntake, token } from '../../src/mail/in/test-intake.test.ts'
import { domain, type MailParts, sign, write } from './mailbox.ts'
import { chanceOf, mutate } from './mutate-mail.ts'

const [shop, evil] = [domain('shop.test'), domain('evil.test')]
const records = new Map([...shop.records, ...evil.records])
const resolve: InboundPorts['resolve'] = async (name, type) => {
  const found = records.get(`${type} ${name}`)
  if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return found.map(text => [text])
}

const toToken = `transaction@${mailDomain}`
const inParts = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary="b"',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  `Caf=C3=A9 ${token.slice(0, 60)}=`,
  token.slice(60).replaceAll('=', '=3D'),
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  `<p>Caf&eacute; ${token}</p>`,
  '--b--',
  '',
].join('\n')
const inBase64 = Buffer.from(`Hello, ${token}`)
  .toString('base64')
  .replace(/.{1,76}/g, '$&\n')

const letters: (MailParts & { to: string })[] = [
  { to: payment, from: 'Ada <ada@shop.test>', text: 'Please take it.\n\nAda' },
  { to: `"The Shop, Inc." <${payment}>`, from: '=?utf-8?q?Ad=C3=A1?= <ada@shop.test>', html: '<p>Please</p>' },
  { to: toToken, text: token },
  { to: toToken, content: inParts },
  {
    to: toToken,
    content: `Content-Type: text/plain\nContent-Transfer-Encoding: base64\nMIME-Version: 1.0\n\n${inBase64}`,
  },
]

/** As somebody else reads it: the fields that count, and the body but for white space. */
async function reading(written: string): Promise<string> {
  const mail = written.replace(/\r?\n/g, '\r\n')
  const { headers } = await PostalMime.parse(Buffer.from(mail, 'latin1'))
  const counted = ['from', 'to', 'date', 'message-id']
  const fields = counted.map(name => [
    name,
    headers.filter(({ key }) => key === name).map(({ value }) => squeezed(value)),
  ])
  return JSON.stringify([fields, squeezed(mail.slice(mail.indexOf('\r\n\r\n')).replace(/[ \t]+(?=\r\n)/g, ''))])
}

const squeezed = (text: string) => text.replace(/[ \t]+/g, ' ').trim()

export interface MutatedMails {
  readonly mailsCount: number
  readonly seed: number
}

export interface Outcomes {
  readonly [kind: string]: number
}

export async function workApart({ mailsCount, seed }: MutatedMails): Promise<Outcomes> {
  const bases = await Promise.all(
    letters.map(async parts => {
      const mail = await sign(write('ada@shop.test', parts), { by: shop })
      const text = mail.toString('latin1')
      return { text, rcptTo: parts.to === toToken ? toToken : payment, reads: await reading(text) }
    }),
  )
  const chance = chanceOf(seed)
  const outcomes: { [kind: string]: number } = {}
  for (let count = 0; count < mailsCount; count += 1) {
    const base = bases[count % bases.length]
    assert.ok(base)
    const mail = count < bases.length ? base.text : mutate(base.text, chance)
    const envelope = { mailFrom: 'ada@shop.test', rcptTo: base.rcptTo, clientAddress: null, helo: null }
    const taken = await takeIn(testIntake(resolve), envelope, Buffer.from(mail, 'latin1'))
    const isProven = taken.kind === 'taken' && taken.verdict.isProven
    if (count < bases.length) assert.ok(isProven, `mail ${count} itself is proven: ${JSON.stringify(taken)}`)
    if (isProven && mail !== base.text) assert.equal(await reading(mail), base.reads, mail)
    const outcome = isProven ? 'proven' : taken.kind
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  return outcomes
}
