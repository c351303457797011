import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailDate, sign, signAs, write } from '../../../test/support/mailbox.ts'
import { payment, testIntake } from '../../../test/support/test-intake.ts'
import {
  ada,
  broken,
  brokenRules,
  connection,
  evil,
  lookAlikes,
  loose,
  looseMail,
  mailOf,
  noDmarc,
  noDmarcMail,
  notProven,
  oldHash,
  outcome,
  resolve,
  type Sent,
  shop,
  trial,
  verdictOf,
  weak,
} from '../../../test/support/test-letters.ts'
import type { Rule } from '../../core/letter.ts'
import { authenticate } from './authenticate.ts'
import { takeIn } from './take-in.ts'

const hourMs = 3_600_000

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

test('a signature is of the domain whose key DNS was asked for, and of none that it looks like', async () => {
  for (const { shown, owned } of lookAlikes) {
    const mail = signAs(shown, write('ada@plain.test', { to: payment }), owned)
    const taken = await takeIn(testIntake(resolve), { ...connection, mailFrom: null }, mail)
    assert.ok(taken.kind === 'taken')
    const { isProven, isAligned, signatures } = taken.verdict
    assert.deepEqual([isProven, isAligned], [false, false], shown)
    const [{ result, isAligned: isOfSender } = assert.fail()] = signatures
    assert.deepEqual([result, isOfSender], ['pass', false], 'it holds: for its owner')
  }
  const [{ owned } = assert.fail()] = lookAlikes
  const own = signAs(owned.name, write(`ada@${owned.name}`, { to: payment }), owned)
  const taken = await takeIn(testIntake(resolve), { ...connection, mailFrom: null }, own)
  assert.equal(taken.kind === 'taken' && taken.verdict.isProven, true)
})

test('signatures that prove nothing', async () => {
  const signatureRules: Rule[] = ['aligned_signature', 'whole_body_signed', 'headers_signed', 'signed_within_48_hours']
  await notProven({ by: false }, ...signatureRules)
  await notProven({ by: evil }, 'aligned_signature')
  await notProven({ as: 'ada@weak.test', by: weak }, 'aligned_signature')
  await notProven({ as: 'ada@old.test', by: oldHash }, 'aligned_signature')
  await notProven({ as: 'ada@trial.test', by: trial }, 'aligned_signature')
  await notProven({ by: { ...evil, name: shop.name } }, 'aligned_signature')
  await notProven({ identity: 'ada@evil.test' }, 'aligned_signature')
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
  const intake = testIntake(() => new Promise(() => {}))
  const said = { recipient: payment, body: 'not read', unknownCharset: null } as const
  const letter = { envelope: connection, raw: await mailOf({}), ...said }
  assert.equal(await authenticate(intake, letter, 50), null)
})

test('three keys are asked for at once, however many signatures there are', async () => {
  let asking = 0
  let most = 0
  const intake = testIntake(async (name, type) => {
    if (!name.includes('._domainkey.')) return resolve(name, type)
    asking += 1
    most = Math.max(most, asking)
    return resolve(name, type).finally(() => {
      asking -= 1
    })
  })
  let mail = write(ada, { to: payment })
  for (const by of [trial, weak, evil, loose, looseMail, noDmarc, shop]) mail = await sign(mail, { by })
  const taken = await takeIn(intake, connection, mail)
  assert.ok(taken.kind === 'taken' && taken.verdict.isProven)
  assert.equal(most, 3)
})
