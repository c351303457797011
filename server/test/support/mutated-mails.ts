// Changes proven mails, takes each in, and holds that where it still is proven, it still says what was signed, and that none
// charges at once that did not before.

import assert from 'node:assert/strict'
import PostalMime from 'postal-mime'
import type { InboundPorts } from '../../src/mail/in/ports.ts'
import { takeIn } from '../../src/mail/in/take-in.ts'
import { pick } from './hostile/chance.ts'
import { shorter } from './hostile/damage.ts'
import type { Fuzzed } from './hostile/fuzz.ts'
import { domain, type MailParts, sign, write } from './mailbox.ts'
import { mutate } from './mutate-mail.ts'
import { mailDomain, payment, sentence, testIntake, token } from './test-intake.ts'

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
  { to: toToken, text: `${sentence}\n\n${token}` },
  { to: toToken, text: `${sentence}\n\n${token}`, subject: 'Re: Payment', more: ['In-Reply-To: <1@evil.test>'] },
  { to: toToken, text: `No, do not charge me. ${sentence}\n\n${token}` },
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

interface Mutated {
  readonly base: {
    readonly text: string
    readonly rcptTo: string
    readonly reads: string
    /** Its words charge at once. */
    readonly consents: boolean
  }
  readonly mail: string
}

const envelopeTo = (rcptTo: string) => ({ mailFrom: 'ada@shop.test', rcptTo, clientAddress: null, helo: null })

export async function open(): Promise<Fuzzed<Mutated>> {
  const bases = await Promise.all(
    letters.map(async parts => {
      const mail = await sign(write('ada@shop.test', parts), { by: shop })
      const text = mail.toString('latin1')
      const rcptTo = parts.to === toToken ? toToken : payment
      const taken = await takeIn(testIntake(resolve), envelopeTo(rcptTo), mail)
      const consents = taken.kind === 'taken' && taken.verdict.consent?.isGiven === true
      return { text, rcptTo, reads: await reading(text), consents }
    }),
  )
  return {
    make(chance, index) {
      const base = pick(bases, chance)
      return { base, mail: index % 1_000 === 0 ? base.text : mutate(base.text, chance) }
    },
    async hold({ base, mail }) {
      const taken = await takeIn(testIntake(resolve), envelopeTo(base.rcptTo), Buffer.from(mail, 'latin1'))
      const isProven = taken.kind === 'taken' && taken.verdict.isProven
      if (mail === base.text) assert.ok(isProven, `the mail itself is proven: ${JSON.stringify(taken)}`)
      else if (isProven) assert.equal(await reading(mail), base.reads)
      const consents = isProven && taken.verdict.consent?.isGiven === true
      if (consents) assert.ok(base.consents, 'whoever changes a mail on the way gives no consent')
      return consents ? 'consents' : isProven ? 'proven' : taken.kind
    },
    *smaller({ base, mail }) {
      for (const text of shorter(mail)) yield { base, mail: text }
    },
    shown: ({ mail }) => JSON.stringify(mail),
  }
}
