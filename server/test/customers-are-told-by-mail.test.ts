// What customers are told by mail goes out through a real relay: signed, once where it can be, again where it must be, and with
// secrets that are nowhere else.

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { authenticate } from 'mailauth'
import { ConfigError, readConfig } from '../src/config.ts'
import type { MerchantId, OfferId, WorkerId } from '../src/core/ids.ts'
import { demoSetting, type Foundation, openFoundation } from '../src/foundation.ts'
import { type JoinedMail, joinMail } from '../src/join-mail.ts'
import { openLog } from '../src/observe/log.ts'
import { openMetrics } from '../src/observe/metrics.ts'
import { changeMailSettings } from '../src/store/mail-settings.ts'
import { claimMails, oldestMailOwed, settleMail } from '../src/store/outgoing-mails.ts'
import { writeSetting } from '../src/store/settings.ts'
import { findDeadHolders, freeHeld } from '../src/store/workers.ts'
import { everythingAtRest } from './support/at-rest.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { type DnsServer, startDns } from './support/dns-server.ts'
import { type KeptMail, type MailRelay, type RelayAnswer, read, startRelay } from './support/mail-relay.ts'
import { newShop, type Owed, oweMail } from './support/owed-mails.ts'

const service = { mode: 'sandbox', baseUrl: 'https://pay.example' } as const
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const log = openLog('silent')
const metrics = openMetrics()

let database: TestDatabase
let dataFolder: string
let dns: DnsServer
let relay: MailRelay
let foundation: Foundation
let mail: JoinedMail
let merchantId: MerchantId
let offerId: OfferId
let gatewayId: string
let aheadMs = 0
let relayAnswers: (to: string) => RelayAnswer | Promise<RelayAnswer> = () => 'takes it'
const holder = randomUUID() as WorkerId

before(async () => {
  database = await freshDatabase()
  dataFolder = await mkdtemp(joinPath(tmpdir(), 'tillbell-told-'))
  const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  dns = await startDns((type, name) =>
    type === 'TXT' && name === 'till._domainkey.pay.example' ? [`v=DKIM1; k=rsa; p=${published}`] : 'no such name',
  )
  relay = await startRelay({ answers: to => relayAnswers(to) })
  const keyFile = joinPath(dataFolder, 'dkim.pem')
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const config = readConfig({
    TILLBELL_DATA: dataFolder,
    DATABASE_URL: database.url,
    TILLBELL_MAIL_DOMAIN: 'pay.example',
    TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
    TILLBELL_MAIL_DKIM_KEY: keyFile,
    TILLBELL_MAIL_DKIM_SELECTOR: 'till',
  })
  const opened = await openFoundation(config, 'guest', log)
  foundation = { ...opened, clock: { ...opened.clock, now: () => new Date(Date.now() + aheadMs) } }
  mail = await joinMail(foundation, log, metrics, service, async () => holder)
  await foundation.sql`insert into worker (id, beats) values (${holder}, 0)`
})
after(async () => {
  await mail.stop()
  await foundation.close()
  await relay.close()
  await dns.close()
  await database.drop()
  await rm(dataFolder, { recursive: true })
})
beforeEach(async () => {
  relay.mails.splice(0)
  relayAnswers = () => 'takes it'
  ;({ merchantId, offerId, gatewayId } = await newShop(foundation))
})

const owe = (change: Partial<Owed> = {}) => oweMail(foundation, { merchantId, offerId, gatewayId }, change)

async function stateOf({ id }: { readonly id: string }) {
  const [row] = await foundation.sql<{ state: string; attempts: number; cause: string | null }[]>`
    select state, attempts, cause from outgoing_mail where merchant_id = ${merchantId} and id = ${id}`
  return row ?? assert.fail('gone')
}

function theOne(mails: readonly KeptMail[]): KeptMail {
  assert.equal(mails.length, 1)
  return mails[0] ?? assert.fail()
}

test('a receipt goes out with the merchant’s name, answers its mail, and is signed as ours', async () => {
  const owed = await owe()
  assert.equal(await mail.outbox.sendDue(), 1)
  assert.deepEqual({ ...(await stateOf(owed)) }, { state: 'sent', attempts: 1, cause: null })
  const kept = theOne(relay.mails)
  assert.deepEqual([kept.from, kept.to], ['no-reply@pay.example', ['ada@example.com']])
  const { fields, body, html } = read(kept)
  const one = (name: string) => fields.get(name)?.join('|')
  assert.match(one('from') ?? '', /^=\?UTF-8\?.*<no-reply@pay\.example>$/)
  assert.match(one('reply-to') ?? '', /<help@shop\.example>$/)
  assert.deepEqual(
    ['in-reply-to', 'references', 'auto-submitted', 'x-auto-response-suppress', 'list-id', 'message-id'].map(one),
    [
      ...['<asked@example.com>', '<asked@example.com>', 'auto-replied', 'All'],
      ...[`<${merchantId}.pay.example>`, `<receipt-${owed.id}@pay.example>`],
    ],
  )
  assert.match(body, /has received your payment/)
  for (const said of ['1111', owed.transactionId, 'A wheel of cheese']) {
    assert.ok(body.includes(said), said)
    assert.ok(html?.includes(said), said)
  }
  await isSigned(kept)
})

async function isSigned({ raw }: KeptMail): Promise<void> {
  const resolver = new Resolver()
  resolver.setServers([dns.address])
  const trust = {
    ip: '192.0.2.1',
    helo: 'relay.example',
    sender: 'no-reply@pay.example',
    disableArc: true,
    disableBimi: true,
  }
  const ask = (name: string, type: string) => resolver.resolve(name, type) as Promise<string[][]>
  const { dkim } = await authenticate(Buffer.from(raw), { ...trust, resolver: ask })
  const [signature] = dkim.results
  assert.deepEqual([signature?.status.result, signature?.signingDomain], ['pass', 'pay.example'])
  const covers = /\bh=([^;]+)/.exec(read({ raw }).fields.get('dkim-signature')?.[0] ?? '')?.[1] ?? ''
  const covered = new Set(covers.toLowerCase().replaceAll(' ', '').split(':'))
  const wanted = [
    'from',
    'to',
    'subject',
    'date',
    'message-id',
    'reply-to',
    'in-reply-to',
    'list-id',
    'auto-submitted',
    'content-type',
    'mime-version',
  ]
  for (const name of wanted) assert.ok(covered.has(name), name)
}

test('whoever is not proven reads the same, whatever is missing, with a link of their own that is nowhere else', async () => {
  const secrets: string[] = []
  const bodies: string[] = []
  for (const [index, wants] of (['proof', 'card', 'field'] as const).entries()) {
    const sender = `who${index}@example.com`
    const { transactionId } = await owe({ kind: 'further_action', wants, sender, isProven: false })
    await mail.outbox.sendDue()
    const { body, html } = read(relay.mails[index] ?? assert.fail('no mail'))
    const secret = /\?proof=([\w-]{43})\b/.exec(body)?.[1] ?? assert.fail(body)
    assert.ok(html?.includes(secret))
    secrets.push(secret)
    bodies.push(body.replace(secret, ''))
    const [proof] = await foundation.sql`select transaction_id, email, expires_at > now() + interval '6 days' as is_long
      from address_proof where merchant_id = ${merchantId} and email = ${sender}`
    assert.deepEqual({ ...proof }, { transactionId, email: sender, isLong: true })
  }
  assert.deepEqual(new Set(bodies).size, 1)
  for (const { table, text } of await everythingAtRest(foundation.sql))
    for (const secret of secrets) assert.ok(!text.includes(secret), `a secret is in ${table}`)
})

test('who is over the limit may confirm by mail, who is at the bank goes to the payment’s page, each in their language', async () => {
  await owe({ kind: 'further_action', wants: 'limit', language: 'es' })
  await mail.outbox.sendDue()
  const limit = read(theOne(relay.mails))
  assert.match(limit.body, /supera el límite/)
  assert.ok(limit.body.includes('mailto:transaction@pay.example?body=%40abc%40'))
  assert.match(limit.body, /\?proof=[\w-]{43}/)
  relay.mails.splice(0)
  const { transactionId } = await owe({ kind: 'further_action', sender: 'bank@example.com' })
  await mail.outbox.sendDue()
  const bank = read(theOne(relay.mails)).body
  assert.ok(bank.includes(`https://pay.example/offers/${offerId}?transaction=${transactionId}`))
  assert.doesNotMatch(bank, /proof=/)
})

test('who proved to have written is told what is missing', async () => {
  await owe({ kind: 'further_action', wants: 'card' })
  await owe({ kind: 'further_action', wants: 'field', sender: 'bob@example.com' })
  await mail.outbox.sendDue()
  const bodies = new Map(relay.mails.map(kept => [kept.to[0], read(kept).body.replace(/\s+/g, ' ')]))
  assert.match(bodies.get('ada@example.com') ?? '', /No card is saved there/)
  assert.match(bodies.get('bob@example.com') ?? '', /needs something more from you/)
})

test('who proved to have written gets an answer to each, also after a mail in their name that proved nothing', async () => {
  const forged = await owe({ kind: 'further_action', wants: 'proof', isProven: false })
  await mail.outbox.sendDue()
  const own = [await owe({ kind: 'further_action' }), await owe({ kind: 'further_action', wants: 'limit' })]
  own.push(await owe({ kind: 'error' }), await owe({ kind: 'error' }))
  await mail.outbox.sendDue()
  for (const each of [forged, ...own]) assert.equal((await stateOf(each)).state, 'sent')
})

test('who is not proven is asked once an hour; the bank asks about each payment', async () => {
  const unproven = { kind: 'further_action', isProven: false } as const
  const first = await owe({ ...unproven, wants: 'proof' })
  await mail.outbox.sendDue()
  const second = await owe({ ...unproven, wants: 'proof' })
  const banks = [await owe(unproven), await owe(unproven)]
  await mail.outbox.sendDue()
  assert.deepEqual(
    (await Promise.all([first, second].map(stateOf))).map(({ state }) => state),
    ['sent', 'skipped'],
  )
  for (const bank of banks) assert.equal((await stateOf(bank)).state, 'sent')
})

test('a receipt is of the day when the charge succeeded', async () => {
  const { transactionId } = await owe()
  const { sql } = foundation
  await sql`insert into operation ${sql({
    ...{
      merchantId,
      id: randomUUID(),
      transactionId,
      kind: 'charge',
      gatewayId,
      amountMinor: 10_000n,
      currency: 'USD',
    },
    ...{ createdAt: new Date(), outcome: 'succeeded', sendings: 1, asks: 0, gatewayRef: 'ref', leaseNo: 1 },
    ...{ settledAt: new Date('2031-03-04T05:06:00Z'), leaseUntil: new Date() },
  })}`
  await mail.outbox.sendDue()
  assert.match(read(theOne(relay.mails)).body, /Date: March 4, 2031/)
})

test('who wrote does not read the card of somebody else who paid', async () => {
  const { sql } = foundation
  const { transactionId } = await owe({ sender: 'eve@example.com' })
  await sql`insert into customer (merchant_id, id, email, created_at)
    values (${merchantId}, ${foundation.newUuid()}, 'ada@example.com', now())`
  await sql`update card set customer_id = (select id from customer where merchant_id = ${merchantId} and email = 'ada@example.com')
    where merchant_id = ${merchantId}`
  await sql`update transaction set customer_id = (select id from customer where merchant_id = ${merchantId} and email = 'ada@example.com')
    where merchant_id = ${merchantId} and id = ${transactionId}`
  await mail.outbox.sendDue()
  const { body } = read(theOne(relay.mails))
  assert.ok(body.includes(transactionId))
  assert.doesNotMatch(body, /1111|Visa/)
})

test('how mails fare is counted, and how long the oldest is owed', async () => {
  const countOf = async (outcome: string) => {
    const { values } = await metrics.mailsOut.get()
    return values.find(({ labels }) => labels.kind === 'receipt' && labels.outcome === outcome)?.value ?? 0
  }
  const before = [await countOf('not_now'), await countOf('sent')]
  relayAnswers = () => ({ code: 451, says: 'Later' })
  await owe()
  const { createdAt } =
    (await foundation.sql`select created_at from outgoing_mail where merchant_id = ${merchantId}`)[0] ?? {}
  await mail.outbox.sendDue()
  assert.deepEqual(await oldestMailOwed(foundation.sql), createdAt, 'however often it was tried')
  relayAnswers = () => 'takes it'
  aheadMs += 60_000
  await mail.outbox.sendDue()
  assert.equal(await oldestMailOwed(foundation.sql), null)
  assert.deepEqual(
    [await countOf('not_now'), await countOf('sent')],
    before.map(count => count + 1),
  )
})

test('a relay that is away is one warning in a minute, not one for each mail', async () => {
  const warned: string[] = []
  const noting = Object.assign(Object.create(log), { warn: (_: object, says: string) => void warned.push(says) })
  const watched = await joinMail(foundation, noting, metrics, service, async () => holder)
  relayAnswers = () => ({ code: 451, says: 'Later' })
  for (const sender of ['ada@example.com', 'bob@example.com']) await owe({ sender })
  assert.equal(await watched.outbox.sendDue(), 2)
  assert.deepEqual(warned, ['a mail was not taken yet'])
  relayAnswers = () => 'takes it'
  aheadMs += 60_000
  assert.equal(await watched.outbox.sendDue(), 2)
  await watched.stop()
})

test('at most one error goes to an address in an hour, however many are owed; another address gets its own', async () => {
  const owed = await Promise.all(Array.from({ length: 5 }, () => owe({ kind: 'error', isProven: false })))
  await mail.outbox.sendDue()
  const states = await Promise.all(owed.map(stateOf))
  assert.deepEqual(states.map(({ state }) => state).sort(), ['sent', 'skipped', 'skipped', 'skipped', 'skipped'])
  assert.match(read(theOne(relay.mails)).body, /Your card was declined/)
  const other = await owe({ kind: 'error', sender: 'bob@example.com' })
  await mail.outbox.sendDue()
  assert.equal((await stateOf(other)).state, 'sent')
})

test('a relay that says “later” or hangs up is tried again, and then takes it once', async () => {
  const answers: RelayAnswer[] = [{ code: 451, says: 'Later, ada@example.com' }, 'hangs up']
  relayAnswers = () => answers.shift() ?? 'takes it'
  const owed = await owe({ kind: 'further_action', wants: 'card' })
  for (const minutes of [1, 5]) {
    assert.equal(await mail.outbox.sendDue(), 1)
    const { state, cause } = await stateOf(owed)
    assert.equal(state, 'waiting')
    assert.doesNotMatch(String(cause), /ada@/, 'what is kept of a refusal names nobody')
    assert.equal(await mail.outbox.sendDue(), 0, 'not before its time')
    aheadMs += minutes * 60_000
  }
  await mail.outbox.sendDue()
  assert.deepEqual({ ...(await stateOf(owed)) }, { state: 'sent', attempts: 3, cause: null })
  theOne(relay.mails)
})

test('an address that the relay refuses is not tried again', async () => {
  relayAnswers = () => ({ code: 550, says: 'No such user' })
  const owed = await owe()
  await mail.outbox.sendDue()
  const { state, cause } = await stateOf(owed)
  assert.equal(state, 'dropped')
  assert.match(String(cause), /No such user/)
})

test('what was turned off, is over, or has nobody to go to is not sent', async () => {
  const { sql } = foundation
  const over = await owe({ kind: 'further_action', wants: 'proof', sender: 'over@example.com' })
  await sql`update transaction set status = 'Failed', action_wants = null, action_expires_at = null, failure_code = 'action_expired',
    failure_sentence = 'Too late.' where merchant_id = ${merchantId} and id = ${over.transactionId}`
  const nobody = await owe({ isAnswerable: false, sender: 'nobody@example.com' })
  await changeMailSettings(sql, merchantId, { errors: false })
  const off = await owe({ kind: 'error', sender: 'off@example.com' })
  await mail.outbox.sendDue()
  for (const each of [over, nobody, off]) assert.equal((await stateOf(each)).state, 'skipped')
  assert.deepEqual(relay.mails, [])
})

test('a process that dies between taking a mail in hand and sending it leaves it to another, and its late result counts nothing', async () => {
  const { sql } = foundation
  const dead = randomUUID() as WorkerId
  const owed = await owe({ kind: 'further_action', wants: 'card' })
  const [held] = await claimMails(sql, merchantId, { holder: dead, now: foundation.clock.now(), limit: 5 })
  assert.equal(held?.attempts, 1)
  assert.equal(await mail.outbox.sendDue(), 0, 'it is in another’s hand')
  for (const each of await findDeadHolders(sql)) await freeHeld(sql, each.merchantId, each.holder, 10)
  const late = held ?? assert.fail('it was not taken in hand')
  assert.equal(await settleMail(sql, late, { state: 'sent' }, foundation.clock.now()), false)
  assert.equal(await mail.outbox.sendDue(), 1)
  assert.deepEqual({ ...(await stateOf(owed)) }, { state: 'sent', attempts: 2, cause: null })
  const kept = theOne(relay.mails)
  assert.deepEqual(read(kept).fields.get('message-id'), [`<further-action-${owed.id}@pay.example>`])
})

test('the demo merchant’s mails are shown and not sent', async () => {
  const { sql } = foundation
  const demo = await newShop(foundation)
  const live = await joinMail(foundation, log, openMetrics(), service, async () => holder)
  await writeSetting(sql, demoSetting, demo.merchantId)
  ;({ merchantId, offerId, gatewayId } = demo)
  await owe()
  assert.equal(await live.outbox.sendDue(), 1)
  assert.deepEqual(relay.mails, [])
  const [shown] =
    await sql`select to_address, subject, html <> '' as has_html from inbox_mail where merchant_id = ${merchantId}`
  assert.deepEqual(
    { ...shown },
    { toAddress: 'ada@example.com', subject: 'Your receipt: $100.00 to Käse & Söhne', hasHtml: true },
  )
  assert.equal(await live.post.reaches(merchantId), true)
  await live.stop()
})

test('a key that signs nothing stops the start with a sentence, also without a relay', async () => {
  const file = joinPath(dataFolder, 'not-a-key.pem')
  const small = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  for (const [text, says] of [
    [null, /^TILLBELL_MAIL_DKIM_KEY names a file that cannot be read \(ENOENT\)\.$/],
    ['', /^TILLBELL_MAIL_DKIM_KEY must name an RSA private key/],
    [small, /^TILLBELL_MAIL_DKIM_KEY must name an RSA private key/],
    [ed25519, /^TILLBELL_MAIL_DKIM_KEY must name an RSA private key/],
  ] as const) {
    if (text !== null) await writeFile(file, text)
    const config = { ...foundation.config, mailRelay: null, mailDkimKey: file }
    await assert.rejects(
      joinMail({ ...foundation, config }, log, metrics, service, async () => holder),
      error => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, says)
        return true
      },
    )
  }
})
