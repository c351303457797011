import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDns } from '../../../test/support/dns-server.ts'
import {
  answersOf,
  domain,
  type MailParts,
  mailDate,
  type Signing,
  sign,
  write,
} from '../../../test/support/mailbox.ts'
import type { Rule } from '../../core/letter.ts'
import type { Envelope, Taken } from './ports.ts'
import { createMailResolver } from './resolver.ts'
import { takeIn } from './take-in.ts'
import { mailDomain, payment, testIntake, token } from './test-intake.test.ts'

const hourMs = 3_600_000
const ada = 'ada@shop.test'
const shop = domain('shop.test', { algorithm: 'rsa-sha256', dmarc: 'v=DMARC1; p=none; adkim=s' })
const loose = domain('loose.test')
const looseMail = domain('mail.loose.test', { dmarc: null })
const noDmarc = domain('plain.test', { dmarc: null })
const noDmarcMail = domain('mail.plain.test', { dmarc: null })
const evil = domain('evil.test')
const weak = domain('weak.test', { algorithm: 'rsa-sha256', rsaBits: 512 })
const oldHash = domain('old.test', { algorithm: 'rsa-sha1' })
const trial = domain('trial.test', { keyTags: 't=y' })
const silent = domain('silent.test')
const broken = domain('broken.test')
const domains = [shop, loose, looseMail, noDmarc, noDmarcMail, evil, weak, oldHash, trial]

const answers = answersOf(...domains)
const dns = await startDns((type, name) => {
  if (name.endsWith('silent.test')) return 'silent'
  return name.endsWith('broken.test') ? 'fails' : answers(type, name)
})
after(() => dns.close())
const resolve = createMailResolver({ dns: dns.address })

const connection: Envelope = { mailFrom: ada, rcptTo: payment, clientAddress: '127.0.0.1', helo: 'client.test' }

interface Sent extends MailParts, Signing {
  readonly as?: string
  readonly envelope?: Partial<Envelope>
  /** Of the whole mail, after it was signed. */
  readonly spoil?: (mail: string) => string
}

async function mailOf({ as = ada, by = shop, spoil = mail => mail, ...parts }: Sent): Promise<Buffer> {
  const unsigned = write(as, { to: payment, ...parts })
  const mail = by === false ? unsigned : await sign(unsigned, { ...parts, by })
  return Buffer.from(spoil(mail.toString('latin1')), 'latin1')
}

async function outcome(sent: Sent, intake = testIntake(resolve)): Promise<Taken> {
  const mail = await mailOf(sent)
  return takeIn(intake, { ...connection, mailFrom: sent.as ?? ada, ...sent.envelope }, mail)
}

async function verdictOf(sent: Sent) {
  const taken = await outcome(sent)
  assert.ok(taken.kind === 'taken', JSON.stringify(taken))
  return taken.verdict
}

const brokenRules = (sent: Sent) =>
  verdictOf(sent).then(({ rules }) => rules.filter(({ holds }) => !holds).map(({ rule }) => rule))

async function notProven(sent: Sent, ...because: Rule[]) {
  const verdict = await verdictOf(sent)
  assert.equal(verdict.isProven, false)
  assert.deepEqual(
    verdict.rules.filter(({ holds }) => !holds).map(({ rule }) => rule),
    because,
  )
  for (const { holds, says } of verdict.rules) assert.equal(says === null, holds)
}

test('a mail that its own domain signed is proven', async () => {
  const intake = testIntake(resolve)
  const taken = await outcome({}, intake)
  assert.ok(taken.kind === 'taken')
  assert.equal(taken.verdict.sender, ada)
  assert.equal(taken.verdict.isProven, true)
  assert.equal(taken.verdict.isAligned, true)
  assert.deepEqual([taken.verdict.spf, taken.verdict.dmarc], ['pass', 'pass'])
  const [letter] = intake.kept
  assert.equal(letter?.isAnswerable, true)
  assert.equal(letter?.keys.length, 2)
  assert.equal(letter?.language, 'en')
})

test('the same mail again is known by its name, and by its signature under another name', async () => {
  const intake = testIntake(resolve)
  const mail = await mailOf({})
  const first = await takeIn(intake, connection, mail)
  const again = await takeIn(intake, connection, Buffer.concat([Buffer.from('Received: by a.test\r\n'), mail]))
  assert.deepEqual(
    [first, again].map(taken => taken.kind === 'taken' && taken.known),
    [false, true],
  )
})

test('proven without SPF, by signature alone', async () => {
  for (const envelope of [
    { clientAddress: '192.0.2.1' },
    { mailFrom: 'list@evil.test' },
    { mailFrom: null, clientAddress: null, helo: null },
  ]) {
    assert.equal((await verdictOf({ envelope })).isProven, true)
  }
})

test('the payment address in any case, with a name, or alone in Cc', async () => {
  const upper = payment.toUpperCase()
  for (const sent of [
    { to: upper },
    { to: `"Shop, the" <${payment}>` },
    { to: 'bob@shop.test', cc: payment },
    { to: null, cc: payment },
    { envelope: { rcptTo: upper } },
  ]) {
    assert.equal((await verdictOf(sent)).isProven, true, JSON.stringify(sent))
  }
})

test('where DMARC says so, a domain beside is aligned, and where nothing does, only the very same', async () => {
  assert.equal((await verdictOf({ as: 'ada@loose.test', by: looseMail })).isProven, true)
  assert.equal((await verdictOf({ as: 'ada@mail.loose.test', by: loose })).isProven, true)
  assert.equal((await verdictOf({ as: 'ada@plain.test', by: noDmarc })).isProven, true)
  await notProven({ as: 'ada@plain.test', by: noDmarcMail }, 'aligned_signature')
  await notProven({ as: 'ada@mail.plain.test', by: noDmarc }, 'aligned_signature')
})

test('signatures that prove nothing', async () => {
  const signatureRules: Rule[] = ['aligned_signature', 'whole_body_signed', 'headers_signed', 'signed_within_48_hours']
  await notProven({ by: false }, ...signatureRules)
  await notProven({ by: evil }, 'aligned_signature')
  await notProven({ as: 'ada@weak.test', by: weak }, 'aligned_signature')
  await notProven({ as: 'ada@old.test', by: oldHash }, 'aligned_signature')
  await notProven({ as: 'ada@trial.test', by: trial }, 'aligned_signature')
  await notProven({ by: { ...evil, name: shop.name } }, 'aligned_signature')
  await notProven({ spoil: mail => mail.replace('Please', 'Pleese') }, 'aligned_signature')
  await notProven({ spoil: mail => mail.replace('Subject: P', 'Subject: p') }, 'aligned_signature')
})

test('a signature that leaves a part open proves nothing', async () => {
  await notProven({ bodyBytesMax: 5 }, 'whole_body_signed')
  await notProven({ bodyBytesMax: 100_000 }, 'whole_body_signed')
  await notProven({ fields: 'From:Date:Message-ID' }, 'headers_signed')
  await notProven({ fields: 'From:To:Date' }, 'headers_signed')
  await notProven({ fields: 'From:To:Message-ID' }, 'headers_signed')
  await notProven({ fields: 'From:To:Date:Message-ID', to: 'bob@shop.test', cc: payment }, 'headers_signed')
})

test('one signature must have it all', async () => {
  const unsigned = write(ada, { to: payment })
  const aligned = await sign(unsigned, { by: shop, fields: 'From:Date:Message-ID' })
  const both = await sign(aligned, { by: evil })
  const taken = await takeIn(testIntake(resolve), connection, both)
  assert.ok(taken.kind === 'taken' && !taken.verdict.isProven)
  const good = await takeIn(
    testIntake(resolve),
    connection,
    await sign(await sign(unsigned, { by: evil }), { by: shop }),
  )
  assert.ok(good.kind === 'taken' && good.verdict.isProven)
})

test('times out of bounds', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * hourMs)
  await notProven({ at: ago(49) }, 'signed_within_48_hours')
  assert.deepEqual(await brokenRules({ at: ago(47) }), [])
  await notProven({ at: ago(-0.2) }, 'signed_within_48_hours')
  await notProven({ at: ago(3), expires: ago(1) }, 'aligned_signature')
  await notProven({ date: mailDate(ago(49)) }, 'date_within_48_hours')
  await notProven({ date: mailDate(ago(-49)) }, 'date_within_48_hours')
  assert.deepEqual(await brokenRules({ date: `${mailDate(ago(47))} (UTC)` }), [])
  await notProven({ date: 'yesterday' }, 'date_within_48_hours')
  await notProven({ spoil: mail => mail.replace(/ t=\d+;/, '') }, 'aligned_signature', 'signed_within_48_hours')
})

test('From that is not exactly one plain address', async () => {
  const froms = [
    'ada@shop.test, bob@shop.test',
    '"bob@bank.test" <ada@shop.test>',
    '=?utf-8?q?bob=40bank=2Etest?= <ada@shop.test>',
    'bob＠bank.test <ada@shop.test>',
    'Friends: ada@shop.test;',
    'ada@shop.test (bob@bank.test)',
    'Ada (x) <ada@shop.test>',
    '<@relay.test:ada@shop.test>',
    '"ada"@shop.test',
    'ada@shop.test <ada@shop.test> <bob@shop.test>',
    '<ada@shop.test',
    'ada@shop.test,',
    '\u212Aate@shop.test',
    'ada@shop.test;',
    'ada at shop.test',
  ]
  for (const from of froms) {
    const verdict = await verdictOf({ from })
    assert.equal(verdict.isProven, false, from)
    assert.equal(verdict.sender, null, from)
    assert.equal(verdict.isAligned, false, from)
  }
  for (const from of [
    'Ada <Ada@Shop.Test>',
    '"Ada, L." <ada@shop.test>',
    '=?utf-8?b?QWTDoQ==?=\n <ada@shop.test>',
    '"ada@shop.test" <ada@shop.test>',
  ]) {
    assert.equal((await verdictOf({ from })).sender, ada, from)
  }
})

test('a header twice, or none', async () => {
  for (const line of [
    'From: bob@bank.test',
    'To: bob@bank.test',
    'Date: Mon, 1 Jan 2024 00:00:00 +0000',
    'Message-ID: <1@a.test>',
  ]) {
    for (const spoil of [
      (mail: string) => `${line}\r\n${mail}`,
      (mail: string) => mail.replace('\r\nSubject:', `\r\n${line}\r\nSubject:`),
    ]) {
      const verdict = await verdictOf({ spoil })
      assert.equal(verdict.rules[0]?.holds, false, line)
      assert.equal(verdict.isProven, false)
    }
  }
  await notProven(
    { spoil: mail => mail.replace(`\r\nFrom: ${ada}`, '') },
    'one_of_each_header',
    'one_from',
    'aligned_signature',
    'headers_signed',
  )
  await notProven({ date: null }, 'one_of_each_header', 'headers_signed', 'date_within_48_hours')
  await notProven({ messageId: null }, 'one_of_each_header', 'headers_signed')
  await notProven({ to: null }, 'one_of_each_header', 'to_payment_address')
})

test('a mail that was written to another is not proven for this one', async () => {
  const other = payment.replace('000001@', '000002@')
  await notProven({ to: other }, 'to_payment_address')
  await notProven({ to: `${payment}, bob@shop.test` }, 'to_payment_address')
  await notProven({ cc: other }, 'to_payment_address')
  await notProven({ cc: payment }, 'to_payment_address')
  await notProven({ to: `Pay: ${payment};` }, 'to_payment_address')
  await notProven({ to: 'bob@shop.test', cc: 'eve@shop.test' }, 'to_payment_address')
})

test('only SPF: not proven, but answerable; neither: not even that', async () => {
  const isAligned = async (sent: Sent) => (await verdictOf(sent)).isAligned
  assert.equal(await isAligned({ by: false }), true)
  assert.equal(await isAligned({ by: false, envelope: { clientAddress: '192.0.2.1' } }), false)
  assert.equal(await isAligned({ by: false, envelope: { mailFrom: 'x@evil.test' } }), false)
  assert.equal(await isAligned({ by: evil, envelope: { mailFrom: 'x@evil.test' } }), false)
  assert.equal(await isAligned({ as: 'ada@plain.test', by: false }), true)
  assert.equal(
    await isAligned({
      by: false,
      more: ['Return-Path: <ada@shop.test>', 'Received: from a (a [127.0.0.1]) by b'],
      envelope: { mailFrom: null, clientAddress: null },
    }),
    false,
  )
})

test('DNS that fails: come again; but not where the sender is proven anyway', async () => {
  const taken = await outcome({ as: 'ada@broken.test', by: broken })
  assert.deepEqual([taken.kind, taken.kind === 'not_now' && taken.enhanced], ['not_now', '4.4.3'])
  const unsigned = write(ada, { to: payment })
  const both = await sign(await sign(unsigned, { by: broken }), { by: shop })
  const proven = await takeIn(testIntake(resolve), connection, both)
  assert.ok(proven.kind === 'taken' && proven.verdict.isProven)
})

test('DNS that says nothing: come again, at the deadline', async () => {
  const { authenticate } = await import('./authenticate.ts')
  const mail = await mailOf({ as: 'ada@silent.test', by: silent })
  const letter = { envelope: connection, raw: mail, recipient: payment, body: 'not read' as const }
  assert.equal(await authenticate(testIntake(resolve), letter, 50), null)
})

test('automatic mail is dropped, and nothing is kept', async () => {
  const intake = testIntake(resolve)
  const automatic: Sent[] = [
    { more: ['Auto-Submitted: auto-replied'] },
    { envelope: { mailFrom: '' } },
    { more: ['List-Id: <x.test>'] },
    { more: ['Precedence: bulk'] },
    { content: 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b--\n' },
    { as: 'no-reply@shop.test' },
    { from: `x@${mailDomain}` },
  ]
  for (const sent of automatic) assert.equal((await outcome(sent, intake)).kind, 'dropped', JSON.stringify(sent))
  assert.deepEqual(intake.kept, [])
  assert.equal((await outcome({ more: ['Auto-Submitted: no'] }, intake)).kind, 'taken')
})

const toToken = { to: `transaction@${mailDomain}`, envelope: { rcptTo: `Transaction@${mailDomain}` } }

test('a token in the mail’s own words says what is paid', async () => {
  const intake = testIntake(resolve)
  const taken = await outcome({ ...toToken, text: `Hello\n\n${token}\n` }, intake)
  assert.ok(taken.kind === 'taken' && taken.verdict.isProven)
  assert.equal(intake.kept[0]?.wanted.tokenSha256, '00')
  const content = `Content-Type: text/plain; charset=x-unheard-of\nContent-Transfer-Encoding: 8bit\n\ncaf\xe9 ${token}\n`
  const odd = await outcome({ ...toToken, content })
  assert.ok(odd.kind === 'taken' && odd.verdict.isProven)
})

test('no token, a wrong one, several, a quoted one: refused', async () => {
  const refusal = async (text: string) => {
    const taken = await outcome({ ...toToken, text })
    return taken.kind === 'refused' && taken.enhanced
  }
  assert.equal(await refusal('Hello'), '5.7.1')
  assert.equal(await refusal(token.replace('Ab0_', 'Ab1_')), '5.7.1')
  assert.equal(await refusal(`${token} ${token.replace('Ab0_', 'Ab1_')}`), '5.7.1')
  assert.equal(await refusal(`> ${token}`), '5.7.1')
  assert.equal((await outcome({ ...toToken, subject: token })).kind, 'refused')
})

test('who leaves open how the body is to be read may quote nobody', async () => {
  const fields = 'From:To:Date:Message-ID:Subject'
  const plain = await outcome({ ...toToken, fields, text: token })
  assert.ok(plain.kind === 'taken' && plain.verdict.isProven)
  const quote = `<blockquote>${token}</blockquote>`
  await notProven({ ...toToken, fields, text: quote }, 'headers_signed')
  assert.equal((await outcome({ ...toToken, fields, html: quote })).kind, 'refused')
  const signed = await outcome({ ...toToken, text: quote })
  assert.ok(signed.kind === 'taken' && signed.verdict.isProven)
  await notProven(
    { ...toToken, text: token, spoil: mail => `Content-Type: text/html\r\n${mail}` },
    'one_of_each_header',
  )
})

test('ten thousand parts, a header without end, bytes that no mail has', async () => {
  const parts = Array.from({ length: 10_000 }, (_, n) => `--b\nContent-Type: text/plain\n\npart ${n}\n`)
  const content = `Content-Type: multipart/mixed; boundary=b\n\n--b\n\n${token}\n${parts.join('')}--b--\n`
  const many = await outcome({ ...toToken, content })
  assert.ok(many.kind === 'taken' && many.verdict.isProven)
  const nested = Array.from({ length: 100 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)
  assert.equal((await outcome({ ...toToken, content: `${nested.join('')}\n${token}\n` })).kind, 'refused')
  const big = ['X: y\r\n'.repeat(2_001), `X: ${'y'.repeat(66_000)}\r\n`, 'DKIM-Signature: v=1\r\n'.repeat(51)]
  for (const lines of big) assert.equal((await outcome({ spoil: mail => lines + mail })).kind, 'refused')
  for (const byte of ['\0', '\r'])
    assert.equal((await outcome({ text: `a${byte}b`, spoil: mail => mail.replace('b', `${byte}c`) })).kind, 'refused')
})

test('addresses that are not ours', async () => {
  for (const rcptTo of [payment.replace('000001@', '000002@'), `someone@${mailDomain}`, 'transaction@elsewhere.test']) {
    const taken = await outcome({ envelope: { rcptTo } })
    assert.equal(taken.kind === 'refused' && taken.enhanced, '5.1.1')
  }
  const told = await outcome({ envelope: { rcptTo: null } })
  assert.ok(told.kind === 'taken' && told.verdict.isProven)
})
