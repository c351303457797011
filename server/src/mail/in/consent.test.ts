import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConsentEvidence, judgeConsent, readConsentFacts } from './consent.ts'
import { withoutDeviceSignature } from './device-signatures.ts'
import { isReplySubject } from './reply-subject.ts'

const token = `@${'Ab0_'.repeat(30)}cd==@`
const sentence = `Send this email to pay $100.00 to Corner Shop for:

Café "Brass" bell

Sending it charges the card you have saved there. To cancel, do not send it.
`
const filled = `${sentence}\n${token}\n`

interface Written extends Partial<ConsentEvidence> {
  readonly type?: string
  readonly encoding?: string
  readonly subject?: string
  readonly more?: readonly (readonly [string, string])[]
  /** As Unicode. */
  readonly says?: string
}

function judged({ type, encoding, subject = '$100.00 to Corner Shop', more = [], says = filled, ...some }: Written) {
  const fields = [
    ['from', 'Ada Lovelace <ada@example.com>'],
    ['subject', subject],
    ...(type === undefined ? [] : [['content-type', type]]),
    ...(encoding === undefined ? [] : [['content-transfer-encoding', encoding]]),
    ...more,
  ].map(([name = '', value = '']) => ({ name, value }))
  const body = Buffer.from(says.replace(/\r?\n/g, '\r\n')).toString('latin1')
  const facts = readConsentFacts(fields, body)
  return judgeConsent({
    ...facts,
    token,
    isSubjectSigned: true,
    isReadingSigned: true,
    isSignedForAnother: false,
    expected: ['Another.', sentence],
    ...some,
  })
}

const broken = (written: Written) =>
  judged(written)
    .rules.filter(({ holds }) => !holds)
    .map(({ rule }) => rule)
const consents = (written: Written) => assert.deepEqual(broken(written), [])

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')
const htmlOf = (text: string) => `<div dir="ltr">${text.replaceAll('"', '&quot;').replaceAll('\n', '<br>\n')}</div>`
const plainPart = (text: string) => `Content-Type: text/plain; charset="UTF-8"\n\n${text}`
const htmlPart = (html: string) => `Content-Type: text/html; charset="UTF-8"\n\n${html}`
const alternative = (...parts: string[]) => ({
  type: 'multipart/alternative; boundary="b=1"',
  says: `${parts.map(part => `--b=1\n${part}\n`).join('')}--b=1--\n`,
})

test('the words of a payment link, as programs send them, say that their sender wants to pay', () => {
  consents({})
  consents({ type: 'text/plain; charset=utf-8; format=flowed', says: filled.replace(/ to /g, ' \nto ') })
  consents({ type: 'text/plain; charset="utf-8"', encoding: 'base64', says: base64(filled) })
  const printed = Buffer.from(filled)
    .toString('latin1')
    .replace(/[=\x80-\xff]/g, char => `=${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/(.{70})/g, '$1=\n')
  consents({ type: 'text/plain; charset=utf-8', encoding: 'quoted-printable', says: printed })
  consents({ says: `${filled}\n-- \nAda Lovelace\n+1 555 0100` })
  consents({ says: `${filled}\n\nVon meinem iPhone gesendet` })
  consents({ says: `${filled}\nGet Outlook for iOS<https://aka.ms/o0ukef>\n` })
  consents({ says: filled.replace(token, token.replace(/.{40}/g, '$&\n')) })
  consents(alternative(plainPart(filled), htmlPart(htmlOf(filled))))
  consents(
    alternative(
      plainPart(`${filled}\nGet Outlook for iOS<https://aka.ms/o0ukef>`),
      htmlPart(`<style>p{}</style>${htmlOf(filled)}<a href="https://aka.ms/o0ukef">Get Outlook for iOS</a>`),
    ),
  )
  const preamble = alternative(plainPart(filled), htmlPart(htmlOf(filled)))
  consents({ ...preamble, says: `This is a multi-part message in MIME format.\n${preamble.says}` })
})

test('where the signature leaves the encoding open, words that stand in the email encoded do not', () => {
  const open = { isReadingSigned: false, type: 'text/plain; charset=utf-8' }
  const escaped = (text: string, which: RegExp) =>
    Buffer.from(text)
      .toString('latin1')
      .replace(which, char => `=${char.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/(.{70})/g, '$1=\n')
  const nothingNeedless = /[=\x80-\xff]/g
  const hidden = ['one_text']
  consents({ ...open, encoding: '7bit' })
  const inEuro = (text: string) => text.replace('$100.00', '100,00 €')
  consents({ ...open, encoding: '8bit', says: inEuro(filled), expected: [inEuro(sentence)] })
  consents({ ...open, encoding: 'quoted-printable', says: escaped(filled, nothingNeedless) })
  consents({ ...open, ...alternative(plainPart(filled), htmlPart(htmlOf(filled))) })
  assert.deepEqual(broken({ ...open, encoding: 'base64', says: base64(filled) }), hidden)
  assert.deepEqual(broken({ ...open, encoding: 'quoted-printable', says: escaped(filled, /[^\n]/g) }), hidden)
  assert.deepEqual(broken({ ...open, encoding: 'quoted-printable', says: escaped(filled, /[=\x80-\xff1$]/g) }), hidden)
  // Escapes that are allowed at the end of a line, and letters that nobody sees once they are decoded.
  for (const between of ['=20', '=09', '=0D=0A', '=E2=80=8B', '=C2=A0']) {
    const says = `${sentence.replaceAll('é', '=C3=A9').replaceAll('d', `d${between.repeat(9)}`)}\n${token.replaceAll('=', '=3D')}`
    assert.deepEqual(broken({ ...open, encoding: 'quoted-printable', says }), hidden, between)
  }
  const wrapped = escaped(filled, nothingNeedless).replace(/for:\n/, 'for:=20\n')
  consents({ ...open, encoding: 'quoted-printable', says: wrapped })
  const encodedPart = `Content-Type: text/plain; charset="UTF-8"\nContent-Transfer-Encoding: base64\n\n${base64(filled)}`
  assert.deepEqual(broken({ ...open, ...alternative(encodedPart, htmlPart(htmlOf(filled))) }), hidden)
  // Lines that end where they need not.
  const softly = (text: string) => [...text].join('=\n')
  const inToken = `${sentence.replaceAll('é', '=C3=A9')}\n${softly(token).replaceAll('==\n', '=3D=\n').replaceAll('==@', '=3D=\n@')}`
  assert.deepEqual(broken({ ...open, encoding: 'quoted-printable', says: inToken }), [])
  for (const ends of ['=\n', '=\n=\n=\n', '=\n'.repeat(120)]) {
    const says = `${[...sentence.replaceAll('é', 'e')].join(ends)}\n${token.replaceAll('=', '=3D')}`
    const written = { ...open, encoding: 'quoted-printable', says, expected: [sentence.replaceAll('é', 'e')] }
    assert.deepEqual(broken(written), ['expected_words'], JSON.stringify(ends))
    consents({ ...written, isReadingSigned: true })
  }
  // A sentence of the merchant's own, in letters that quoted-printable escapes one and all.
  const ours = 'Отправьте это письмо, чтобы заплатить 100,00 €.'
  const inCyrillic = escaped(`${ours}\n${token}`, nothingNeedless)
  const wanted = { expected: [ours], encoding: 'quoted-printable', says: inCyrillic }
  assert.deepEqual(broken({ ...open, ...wanted }), hidden)
  consents({ ...open, ...wanted, isReadingSigned: true })
})

test('where the signature leaves open what the parts are, nothing stands in the email beside its words', () => {
  const open = { isReadingSigned: false }
  const part = (type: string, text: string, ...more: string[]) =>
    [`Content-Type: text/${type}; charset="UTF-8"`, ...more, '', text].join('\n')
  const boundary = (name: string, ...parts: string[]) => ({
    type: `multipart/alternative; boundary="${name}"`,
    says: `${parts.map(each => `--${name}\n${each}\n`).join('')}--${name}--\n`,
  })
  const [plain, html] = [part('plain', filled), part('html', htmlOf(filled))]
  const printable = 'Content-Transfer-Encoding: quoted-printable'
  const inHtml = (markup: string) => boundary('b1', plain, part('html', markup))
  for (const good of [
    boundary('000000000000a1b2fe06f3b1f0ab', plain, html),
    boundary('Apple-Mail=_4F2B0D33-8E5C-4C52-9C4B-6B0E1F4A2D11', plain, html),
    boundary('----=_Part_123_456.789', plain, html),
    boundary('b1', plain, part('html', htmlOf(filled).replaceAll('=', '=3D').replaceAll('é', '=C3=A9'), printable)),
    inHtml(
      `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body>${htmlOf(filled)}</body></html>`,
    ),
  ])
    consents({ ...open, ...good })
  const no = 'I do NOT want to pay anything'
  for (const bad of [
    boundary('I-do-not-want-to-pay', plain, html),
    boundary('I do not want to pay', plain, html),
    boundary('b1', part('plain', filled, `${no}.`), html),
    boundary('b1', part('plain', filled, `Content-Description: ${no}`), html),
    boundary('b1', part('plain', filled, `Content-Transfer-Encoding: 7bit`, `Content-Transfer-Encoding: 7bit`), html),
    boundary('b1', `Content-Type: text/plain; charset="UTF-8"; says="${no}"\n\n${filled}`, html),
    boundary('b1', plain, part('html', base64(htmlOf(filled)), 'Content-Transfer-Encoding: base64')),
    boundary('b1', plain, part('html', htmlOf(filled), `X: ${no}`)),
    inHtml(`<!-- ${no} -->${htmlOf(filled)}`),
    inHtml(`<style>${no}</style>${htmlOf(filled)}`),
    inHtml(`<head><title>${no}</title></head>${htmlOf(filled)}`),
    inHtml(`<head>${no}</head>${htmlOf(filled)}`),
    inHtml(`<div title="${no}">${htmlOf(filled)}</div>`),
    inHtml(`<div style="font: ${no}">${htmlOf(filled)}</div>`),
    inHtml(
      `${no
        .split(' ')
        .map(word => `<p class=${word}>`)
        .join('')}${htmlOf(filled)}<p class=at><p class=all>`,
    ),
    inHtml(`<img alt="${no}">${htmlOf(filled)}`),
  ]) {
    const found = broken({ ...open, ...bad })
    assert.ok(found.includes('one_text'), JSON.stringify([found, bad.says]))
  }
  const comment = inHtml(`<!-- made by a program -->${htmlOf(filled)}`)
  consents({ ...open, ...comment, isReadingSigned: true })
})

test('words that nobody reads as they are set do not: among copies of the token, visible marks, or blank lines', () => {
  const numbers = /(\S*\d\S*)/
  /** Numbers stay whole. */
  const apart = (between: string) => {
    const parts = sentence.split(numbers).map(part => {
      return numbers.test(part) ? part : [...part.replace(/\s/g, '')].map(letter => letter + between).join('')
    })
    return `${parts.join('')}\n${token}\n`
  }
  assert.deepEqual(broken({ says: apart(token) }), ['one_text', 'expected_words'])
  assert.deepEqual(broken({ says: `${filled}\n${token}` }), ['one_text', 'expected_words'])
  for (const between of ['\u06dd', '\u0600', '\u{110bd}', '\u{13430}', '\n'.repeat(60), '\n', ' ', '\u00a0'])
    assert.deepEqual(broken({ says: apart(between) }), ['expected_words'], JSON.stringify(between))
  const farApart = (gap: string) => filled.replace('Corner Shop for', `Corner${gap}Shop for`)
  assert.deepEqual(broken({ says: farApart('\n'.repeat(13)) }), ['expected_words'])
  assert.deepEqual(broken({ says: farApart(' '.repeat(201)) }), ['expected_words'])
  for (const gap of ['\n'.repeat(12), ' '.repeat(200)]) consents({ says: farApart(gap) })
  // As a program wraps a language without spaces, and breaks the token.
  consents({ says: sentence.replace(/[^\n]{40}/g, '$&\n') + token.replace(/.{20}/g, '$&\n') })
})

test('without a token the sentence alone is compared, and a token that is there is a word too much', () => {
  assert.deepEqual(broken({ token: null, says: sentence }), [])
  assert.deepEqual(broken({ token: null }), ['expected_words'])
})

test('other words do not: more, fewer, none, or quoted', () => {
  for (const says of [
    `No! ${filled}`,
    `${filled}\nPlease do not charge me.`,
    filled.replace('To cancel, do not send it.', ''),
    filled.replace('$100.00', '$10.00'),
    token,
    `Please do not charge me.\n${token}`,
    filled.replace(/^/gm, '> ').replace(`> ${token}`, token),
    `${filled}\n> Sent from my iPhone, and I do not want to pay`,
    `${filled}\nSent from my boss, who said no`,
  ])
    assert.deepEqual(broken({ says }), ['expected_words'], says)
  assert.deepEqual(broken({ says: '', token: null }), ['expected_words'])
  assert.deepEqual(broken({ says: '', token: null, expected: [' ', ''] }), ['expected_words'])
})

test('what is shown otherwise than it is written does not: an amount that is cut, or turned around', () => {
  for (const cut of [
    '$1\n00.00',
    '$1 00.00',
    `$1${'\n'.repeat(200)}00.00`,
    '\u202e100.00\u202c',
    '\u2067$100.00\u2069',
  ])
    assert.equal(judged({ says: filled.replace('$100.00', cut) }).isGiven, false, JSON.stringify(cut))
  consents({ says: filled.replace('Corner Shop', 'Corner\n  Shop') })
  consents({ says: filled.replace('Corner', 'Cor\u200bner').replace('100.00', '100.\u206000') })
})

test('answers, forwarded emails and an open Subject do not', () => {
  assert.deepEqual(broken({ more: [['in-reply-to', '<1@x.example>']] }), ['new_mail'])
  assert.deepEqual(broken({ more: [['references', '']] }), ['new_mail'])
  assert.deepEqual(broken({ subject: 'Fwd: $100.00 to Corner Shop' }), ['new_mail'])
  assert.deepEqual(broken({ subject: '=?utf-8?B?5Zue5aSN77ya?= bell' }), ['new_mail'])
  assert.deepEqual(broken({ isSubjectSigned: false }), ['signed_subject'])
  assert.deepEqual(broken({ more: [['subject', 'again']] }), ['signed_subject'])
})

test('an email that somebody else sent, as its Sender says, does not', () => {
  consents({ more: [['sender', 'Ada <ADA@example.com>']] })
  for (const sender of [
    'bob@example.com',
    '',
    'ada@example.com, bob@example.com',
    '"ada@example.com" <bob@example.com>',
  ])
    assert.deepEqual(broken({ more: [['sender', sender]] }), ['own_sender'], sender)
})

test('an email that somebody else sent, as its signature says, does not', () => {
  assert.deepEqual(broken({ isSignedForAnother: true }), ['own_sender'])
})

test('what can be read in more than one way does not', () => {
  const both = ['one_text', 'expected_words']
  const good = alternative(plainPart(filled), htmlPart(htmlOf(filled)))
  for (const written of [
    { type: 'text/html', says: htmlOf(filled) },
    { more: [['content-type', 'text/plain']] as const, type: 'text/plain' },
    alternative(plainPart(filled)),
    alternative(htmlPart(htmlOf(filled)), plainPart(filled)),
    alternative(
      plainPart(filled),
      htmlPart(htmlOf(filled)),
      'Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR',
    ),
    alternative(plainPart(filled), htmlPart('<p>No.</p>')),
    alternative(plainPart('No.'), htmlPart(htmlOf(filled))),
    alternative(plainPart(sentence), htmlPart(htmlOf(filled))),
    alternative(plainPart(filled), htmlPart(htmlOf(filled)).replace('text/html', 'text/html; x=1; x=2')),
    alternative(plainPart(filled), `Content-Disposition: attachment\n${htmlPart(htmlOf(filled))}`),
    { ...good, says: `No, do not charge me.\n${good.says}` },
    { ...good, says: `${good.says}No, do not charge me.\n` },
    { ...good, type: good.type.replace('alternative', 'mixed') },
    { type: 'text/plain; charset=x-unheard-of' },
    { type: 'text/plain; charset=utf-8', encoding: 'x-uuencode' },
  ] as Written[])
    assert.deepEqual(broken(written), both, JSON.stringify(written))
})

test('an attacker who changes which boundary is read leaves the outer words before it', () => {
  const inner = alternative(plainPart(filled), htmlPart(htmlOf(filled)))
  const outer = `--outer\nContent-Type: text/plain\n\nNo, I do not want this.\n--outer\nContent-Type: ${inner.type}\n\n${inner.says}--outer--\n`
  assert.deepEqual(broken({ type: inner.type, says: outer }), ['one_text', 'expected_words'])
})

test('subjects of answers and forwarded emails, in many languages, repeated and counted', () => {
  for (const subject of [
    ...['Re: a', 'RE:a', 're : a', 'Re[2]: a', 'Re (3): a', 'RE^4: a', 'Fwd: a', 'FW: a', 'Re: Re: a', '[EXT] Re: a'],
    ...['AW: a', 'WG: a', 'RV: a', 'TR: a', 'SV: a', 'VS: a', 'Antw: a', 'Odp: a', 'PD: a', 'R: a', 'I: a', 'ENC: a'],
    ...['RES: a', 'Réf : a', 'YNT: a', 'İLT: a', 'Vá: a', 'Отв: a', 'ΑΠ: a', 'השב: a', 'رد: a', '回复: a', '转发：a'],
    ...[
      '答复：a',
      '回覆：a',
      'Re：a',
      '返信: a',
      '회신: a',
      'Accepted: a',
      'Automatic reply: a',
      'Recall: a',
      'Undeliverable: a',
      'a (fwd)',
      '\u200eRe: a',
      ' Re: a',
    ],
  ])
    assert.equal(isReplySubject(subject), true, subject)
  for (const subject of [
    '$100.00 to Corner Shop: Brass bell',
    'Payment',
    'Repair: done',
    'Resale: x',
    '',
    'Income: 5',
    'Bell (fwd drive)',
  ])
    assert.equal(isReplySubject(subject), false, subject)
})

test('only one listed signature is left out, and only at the end', () => {
  assert.equal(withoutDeviceSignature('IpaySentfrommyiPhone'), 'Ipay')
  assert.equal(withoutDeviceSignature('IpayEnviadodesdemiiPhone'), 'Ipay')
  assert.equal(withoutDeviceSignature('Ipay发自我的iPhone'), 'Ipay')
  assert.equal(withoutDeviceSignature('SentfrommyiPhoneno'), 'SentfrommyiPhoneno')
  assert.equal(withoutDeviceSignature('IpaySentfrommycat'), 'IpaySentfrommycat')
})
