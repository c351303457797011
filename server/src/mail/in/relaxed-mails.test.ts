// Blanks that signatures do not see: whoever adds or takes away any of them, anywhere, makes of a mail no other one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chance, chanceOf } from '../../../test/support/hostile/chance.ts'
import { domain, type MailParts, sign, write } from '../../../test/support/mailbox.ts'
import { repetitions } from '../../../test/support/repetitions.ts'
import { mailDomain, testIntake, token } from '../../../test/support/test-intake.ts'
import { readHeader } from './header.ts'
import type { InboundPorts } from './ports.ts'
import { relaxed } from './relaxed.ts'
import { takeIn } from './take-in.ts'

const mailsCount = repetitions(500, 100_000)
const seed = Number(process.env.SEED ?? 20_261_115)

const shop = domain('shop.test')
const resolve: InboundPorts['resolve'] = async (name, type) => {
  const found = shop.records.get(`${type} ${name}`)
  if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return found.map(text => [text])
}

const to = `transaction@${mailDomain}`
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n')
const content = (type: string, encoding: string, body: string) =>
  `MIME-Version: 1.0\nContent-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`
const printed = token.replaceAll('=', '=3D')
const parts = (boundary: string, ...each: string[]) =>
  `${each.map(part => `--${boundary}\n${part}\n`).join('')}--${boundary}--`
const quoteInHtml = `Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n${base64(`<blockquote>${token}</blockquote>`)}`
const plainPart = `Content-Type: text/plain; charset=utf-8\n\nWho are you?\n\n${token}`

/** Signed by whom it says, and asking for nothing: every token in them is quoted, or nobody can read it. */
const askNothing: MailParts[] = [
  { content: content('text/plain', 'quoted-printable', `Who?\n\n> Dear customer, to pay send this: =\n${printed}`) },
  { content: content('text/html', 'quoted-printable', `<p>Who?</p><div class=3D"gmail_qu=\note">${printed}</div>`) },
  { content: content('text/html', 'quoted-printable', `<p>Who?</p><block=\nquote>${printed}</block=\nquote>`) },
  { content: content('multipart/alternative; boundary="a b"', '7bit', parts('a b', plainPart, quoteInHtml)) },
  { content: content('multipart/alternative;\n boundary="a  b"', '7bit', parts('a  b', plainPart, quoteInHtml)) },
  { text: `Who?\n\n> ${token}\n` },
  { text: `${token.slice(0, 30)}\n \n text/plain; ${token.slice(30)}`, more: ['In-Reply-To: <1@shop.test>'] },
  { content: content('text/plain;\n \n charset=x-unheard-of', '7bit', token) },
]
const pays: MailParts[] = [
  { text: `Please.\n\n${token}\n` },
  { content: content('text/plain', 'quoted-printable', `Please: ${printed.slice(0, 60)}=\n${printed.slice(60)}`) },
]

type Change = (mail: string, chance: Chance) => string

const pick = <T>(list: readonly T[], chance: Chance): T => list[chance(list.length)] as T
const blanks = [' ', '\t', '  ', ' \t ']

/** At one place of those that the pattern finds between `from` and `until`. */
function atOne(pattern: RegExp, replace: (found: string, chance: Chance) => string, where: 'header' | 'body'): Change {
  return (mail, chance) => {
    const border = mail.indexOf('\r\n\r\n') + 2
    const [from, until] = where === 'header' ? [0, border] : [border + 2, mail.length]
    const places = [...mail.slice(from, until).matchAll(pattern)]
    if (places.length === 0) return mail
    const { index, 0: found } = pick(places, chance)
    return mail.slice(0, from + index) + replace(found, chance) + mail.slice(from + index + found.length)
  }
}

const changes: Change[] = [
  atOne(/[ \t]*\r\n/g, (_, chance) => `${pick(['', ...blanks], chance)}\r\n`, 'body'),
  atOne(/=\r\n/g, (_, chance) => `=${pick(blanks, chance)}\r\n`, 'body'),
  atOne(/[ \t]+/g, (_, chance) => pick(blanks, chance), 'body'),
  (mail, chance) => mail + pick(['\r\n', ' \r\n', '\t\r\n\r\n'], chance),
  mail => mail.replace(/(\r\n[ \t]*)+$/, '\r\n'),
  atOne(/(?<=:.*)[ \t]+/g, (_, chance) => pick([...blanks, '\r\n ', '\r\n\t', ' \r\n '], chance), 'header'),
  atOne(/\r\n[ \t]+/g, () => ' ', 'header'),
  atOne(
    /^[A-Za-z-]+:[ \t]*/gm,
    (found, chance) => pick(['', ' '], chance) + found.trim() + pick(blanks, chance),
    'header',
  ),
  atOne(/^[A-Za-z-]+/gm, (found, chance) => pick([found.toUpperCase(), found.toLowerCase()], chance), 'header'),
]

async function becomes(mail: string) {
  const asked: string[] = []
  const intake = testIntake(resolve)
  const envelope = { mailFrom: 'ada@shop.test', rcptTo: to, clientAddress: null, helo: null }
  const openToken = (text: string) => {
    asked.push(text)
    return intake.openToken(text)
  }
  const taken = await takeIn({ ...intake, openToken }, envelope, Buffer.from(mail, 'latin1'))
  return { asked: asked.join(), kind: taken.kind, isProven: taken.kind === 'taken' && taken.verdict.isProven }
}

const signed = async (given: MailParts) =>
  (await sign(write('ada@shop.test', { to, ...given }), { by: shop })).toString('latin1')

test(`${mailsCount} mails with other blanks: none pays that did not, and none pays anything else (seed ${seed})`, async () => {
  const bases = await Promise.all(
    [...askNothing, ...pays].map(async (given, place) => {
      const mail = await signed(given)
      const became = await becomes(mail)
      assert.equal(became.isProven, place >= askNothing.length, mail)
      return { mail, became }
    }),
  )
  const chance = chanceOf(seed)
  let read = 0
  for (let count = 0; count < mailsCount; count += 1) {
    const { mail, became } = pick(bases, chance)
    let changed = mail
    for (let left = 1 + chance(4); left > 0; left -= 1) changed = pick(changes, chance)(changed, chance)
    const now = await becomes(changed)
    if (now.isProven) assert.ok(became.isProven && now.asked === became.asked, changed)
    if (now.kind === became.kind) read += 1
  }
  assert.ok(read > mailsCount * 0.8, `only ${read} could be read`)
})

test('what is left is the same, whatever blanks there were', () => {
  const left = (text: string) => {
    const mail = Buffer.from(text.replace(/\n/g, '\r\n'))
    const { mail: after, bodyStart } = relaxed(mail, { end: readHeader(mail)?.end ?? 0 })
    return [after.toString('utf8', 0, bodyStart), after.toString('utf8', bodyStart)]
  }
  const header = 'content-type:a; b="c d"\r\nx:\r\n\r\n'
  assert.deepEqual(left('Content-Type : a;\n\tb="c  d" \nX:\n\n é \t= \n \na\n\n \n'), [header, ' é =\r\n\r\na\r\n'])
  assert.deepEqual(left('content-type:a; b="c d"\nx:\n\n é =\n\na'), [header, ' é =\r\n\r\na\r\n'])
  assert.deepEqual(left('x:\n\n \n\n'), ['x:\r\n\r\n', ''])
  assert.deepEqual(left('x: y'), ['x:y\r\n\r\n', ''])
})
