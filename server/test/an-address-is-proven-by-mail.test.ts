// Whoever opens a link that we mailed has proven the address, once, for one checkout in one browser. What is said and
// mailed is the same for every address: nobody learns from it who is a customer.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { MerchantId, OfferId } from '../src/core/ids.ts'
import { tryLimits } from '../src/core/tries.ts'
import { type Foundation, openFoundation } from '../src/foundation.ts'
import { checkoutPorts } from '../src/join-checkout.ts'
import { joinMail } from '../src/join-mail.ts'
import { tries } from '../src/join-tries.ts'
import { join } from '../src/join-work.ts'
import { openLog } from '../src/observe/log.ts'
import { openMetrics } from '../src/observe/metrics.ts'
import type { FoundOffer, ProofAsked } from '../src/pages/checkout/ports.ts'
import { createMerchant } from '../src/setup/merchant.ts'
import { everythingAtRest } from './support/at-rest.ts'
import { freshDatabase } from './support/database.ts'
import { type KeptMail, type MailRelay, type RelayManners, read, startRelay } from './support/mail-relay.ts'
import { until } from './support/until.ts'

const service = { mode: 'sandbox', baseUrl: 'https://pay.example' } as const

/** The page of one offer, as a service with this relay has it. */
async function openPage(t: TestContext, relayPort: number | null) {
  const database = await freshDatabase()
  const dataFolder = await mkdtemp(joinPath(tmpdir(), 'tillbell-proofs-'))
  const relay = relayPort === null ? {} : { TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relayPort}` }
  const settings = { TILLBELL_DATA: dataFolder, DATABASE_URL: database.url, TILLBELL_MAIL_DOMAIN: 'pay.example' }
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) })
  const log = openLog('debug', sink)
  const foundation = await openFoundation(readConfig({ ...settings, ...relay }), 'guest', log)
  const joined = join(foundation, log, openMetrics(), service)
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const mail = await joinMail(foundation, log, openMetrics(), service, joined.deliverer.holder)
  t.after(async () => {
    await mail.stop()
    await foundation.close()
    await database.drop()
    await rm(dataFolder, { recursive: true, force: true })
  })
  const merchant = await newMerchant(foundation)
  const page = checkoutPorts(foundation, { ...joined, ports: { ...joined.ports, now } }, work => work, mail.post)
  return {
    sql: foundation.sql,
    lastingKeys: foundation.lastingKeys,
    page,
    proofs: page.proofs,
    found: await newOffer(foundation, page.find, merchant),
    otherOffer: () => newOffer(foundation, page.find, merchant),
    pass(minutes: number) {
      aheadMs += minutes * 60_000
    },
    stop: mail.stop,
    logged: () => lines.join(''),
  }
}

type Page = Awaited<ReturnType<typeof openPage>>

async function newMerchant({ sql, sealer, clock, newUuid }: Foundation): Promise<MerchantId> {
  const world = { sql, sealer, mode: 'sandbox' as const, now: clock.now, newUuid }
  return (await createMerchant(world, { name: 'Käse & Söhne', email: `${newUuid()}@example.com` })).merchant
}

async function newOffer(
  { sql, newUuid }: Foundation,
  find: (id: OfferId) => Promise<FoundOffer | null>,
  merchant: MerchantId,
): Promise<FoundOffer> {
  const id = newUuid() as OfferId
  await sql`insert into offer (merchant_id, id, created_at, title, amount_minor, amount_given, currency, custom_fields,
      authorization_only, custom_data, token_content, active)
    values (${merchant}, ${id}, now(), 'A wheel of cheese', 10000, '100.00', 'USD', '[]', false, '{}', '', true)`
  await sql`insert into directory (kind, key, merchant_id) values ('offer', ${id}, ${merchant})`
  return (await find(id)) ?? assert.fail('no offer')
}

async function relayFor(t: TestContext, manners: RelayManners = {}): Promise<MailRelay> {
  const relay = await startRelay(manners)
  t.after(() => relay.close())
  return relay
}

const ada: ProofAsked = {
  email: 'ada@example.com',
  quantity: 3,
  referrerContext: 'from the newsletter',
  resumes: null,
  savedCardOf: null,
  address: '192.0.2.1',
  language: 'en',
}

async function mailed({ mails }: MailRelay, count = 1): Promise<KeptMail> {
  await until('the mail is there', async () => mails.length >= count)
  assert.equal(mails.length, count)
  return mails[count - 1] ?? assert.fail()
}

function secretIn(mail: KeptMail): string {
  return /\?proof=([\w-]{43})\n/.exec(read(mail).body.replaceAll('\r\n', '\n'))?.[1] ?? assert.fail('no link')
}

async function provenIn(
  { page, found }: Page,
  checkout: ReturnType<Page['page']['newSecret']>,
): Promise<string | null> {
  return (await page.visit(found, checkout)).proven?.email ?? null
}

test('the link comes by mail, and proves the address to one checkout, once', async t => {
  const relay = await relayFor(t)
  const here = await openPage(t, relay.port)
  const { page, proofs, found } = here
  assert.deepEqual(await proofs.ask(found, { ...ada, email: 'Ada@Example.com' }), { ok: true })
  const mail = await mailed(relay)
  assert.deepEqual([mail.from, mail.to], ['no-reply@pay.example', ['ada@example.com']])
  const secret = secretIn(mail)
  const asked = {
    email: 'ada@example.com',
    offerId: found.offer.id,
    quantity: 3,
    referrerContext: 'from the newsletter',
    resumes: null,
    isForSavedCard: false,
  }
  assert.deepEqual(await proofs.find(found, secret, null), { ...asked, state: 'open' })
  const [mine, another] = [page.newSecret(), page.newSecret()]
  assert.equal(await provenIn(here, mine), null, 'looking at the link is not using it')
  const uses = await Promise.all([mine, mine, mine].map(each => proofs.use(found, secret, each)))
  assert.deepEqual(uses.sort(), [false, false, true])
  assert.deepEqual(await proofs.find(found, secret, null), { ...asked, state: 'used' })
  assert.equal(await proofs.use(found, secret, another), false)
  assert.deepEqual([await provenIn(here, mine), await provenIn(here, another)], ['ada@example.com', null])
  const places = [...(await everythingAtRest(here.sql)), { table: 'the log', text: here.logged() }]
  for (const { table, text } of places) {
    for (const each of [secret, mine]) assert.ok(!text.includes(each), `a secret is in ${table}`)
  }
})

test('a link is good for an hour, at its own offer, and a guess is good for nothing', async t => {
  const relay = await relayFor(t)
  const here = await openPage(t, relay.port)
  const { page, proofs, found, pass } = here
  await proofs.ask(found, ada)
  const secret = secretIn(await mailed(relay))
  const [checkout, guess, other] = [page.newSecret(), page.newSecret(), await here.otherOffer()]
  for (const [at, wrong] of [[found, guess] as const, [other, secret] as const]) {
    assert.equal(await proofs.find(at, wrong, null), null)
    assert.equal(await proofs.use(at, wrong, checkout), false)
  }
  pass(59)
  assert.equal((await proofs.find(found, secret, null))?.state, 'open')
  pass(2)
  assert.equal((await proofs.find(found, secret, null))?.state, 'expired')
  assert.equal(await proofs.use(found, secret, checkout), false)
  assert.equal(await provenIn(here, checkout), null)
})

test('an address of a customer and one that nobody knows get the same mail', async t => {
  const relay = await relayFor(t)
  const { sql, proofs, found } = await openPage(t, relay.port)
  await sql`insert into customer (merchant_id, id, email, first_name, created_at)
    values (${found.offer.merchantId}, gen_random_uuid(), 'ada@example.com', 'Ada', now())`
  assert.deepEqual(await proofs.ask(found, ada), { ok: true })
  await mailed(relay)
  assert.deepEqual(await proofs.ask(found, { ...ada, email: 'who@example.com' }), { ok: true })
  await mailed(relay, 2)
  const [known, unknown] = relay.mails.map(mail => {
    const { fields, body } = read(mail)
    const ofItsOwn = ['to', 'date', 'message-id', 'content-type']
    const others = [...fields].filter(([name]) => !ofItsOwn.includes(name))
    return { others, body: body.replace(secretIn(mail), '') }
  })
  assert.deepEqual(known, unknown)
})

test('the mail is in the language of the page, and says who, what for and what to do if it was not you', async t => {
  const relay = await relayFor(t)
  const { proofs, found } = await openPage(t, relay.port)
  const says = {
    en: ['payment to Käse & Söhne for', 'A wheel of cheese', 'works once, within an hour', 'ignore this email'],
    es: ['un pago a Käse & Söhne por', 'A wheel of cheese', 'una sola vez', 'ignore este mensaje'],
  }
  for (const [index, [language, sentences]] of Object.entries(says).entries()) {
    await proofs.ask(found, { ...ada, language })
    const { fields, body: asMailed } = read(await mailed(relay, index + 1))
    const link = `  https://pay.example/offers/${found.offer.id}?proof=`
    const body = asMailed.replaceAll(/\r?\n(?=\S)/g, ' ')
    for (const said of [...sentences, link]) assert.ok(body.includes(said), `${said} is not in:\n${body}`)
    assert.deepEqual(fields.get('to'), ['ada@example.com'])
    assert.doesNotMatch(body, /newsletter|192\.0\.2/, 'nothing in it is from whoever asked')
  }
})

test('what a merchant calls itself and its offer begins no line and no header of the mail', async t => {
  const relay = await relayFor(t)
  const { proofs, found } = await openPage(t, relay.port)
  const merchant = { ...found.merchant, name: 'Shop\r\nBcc: all@example.com\r\n\r\nHello' }
  const offer = { ...found.offer, title: 'Cheese\n\nYou have won:\n\n  https://evil.example' }
  await proofs.ask({ ...found, merchant, offer }, ada)
  const mail = await mailed(relay)
  const { fields, body } = read(mail)
  assert.deepEqual(mail.to, ['ada@example.com'])
  assert.equal(fields.has('bcc'), false)
  const links = body.split(/\r?\n/).filter(line => line.trim().startsWith('http'))
  assert.deepEqual(links, [`  https://pay.example/offers/${offer.id}?proof=${secretIn(mail)}`])
})

test('an address is not flooded, nor does one visitor flood many; a link that is used counts no more', async t => {
  const relay = await relayFor(t)
  const here = await openPage(t, relay.port)
  const { page, proofs, found } = here
  const { atOnce } = tryLimits.mail
  for (let count = 1; count <= atOnce; count++) {
    assert.deepEqual(await proofs.ask(found, { ...ada, address: `192.0.2.${count}` }), { ok: true })
    await mailed(relay, count)
  }
  const refused = await proofs.ask(found, { ...ada, address: '192.0.2.99' })
  assert.ok(!refused.ok && refused.retryAfterS > 0)
  assert.equal(await proofs.use(found, secretIn(relay.mails[0] ?? assert.fail()), page.newSecret()), true)
  assert.deepEqual(await proofs.ask(found, { ...ada, address: '192.0.2.98' }), { ok: true })
  await mailed(relay, atOnce + 1)
  const many = Array.from({ length: tryLimits.ask.atOnce + 5 }, (_, index) =>
    proofs.ask(found, { ...ada, email: `${index}@example.com`, address: '198.51.100.7' }),
  )
  const sent = (await Promise.all(many)).filter(({ ok }) => ok).length
  assert.equal(sent, tryLimits.ask.atOnce)
  const payments = await tries(here).left(found.offer.merchantId, 'address', '198.51.100.7')
  assert.deepEqual(payments, { ok: true }, 'who asks for links holds up no payment')
  await mailed(relay, atOnce + 1 + sent)
  assert.equal((await here.sql`select from address_proof`).length, relay.mails.length, 'who is refused writes nothing')
})

/** A relay that hangs up on everybody, until it is replaced by one that takes mail. */
async function hungUpRelay(t: TestContext) {
  let calls = 0
  const server = createServer(socket => {
    calls += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => new Promise(resolve => server.close(resolve))
  t.after(() => (server.listening ? close() : null))
  return {
    port,
    isCalled: () => until('the relay was tried', async () => calls > 0),
    async replace() {
      await close()
      return relayFor(t, { port })
    },
  }
}

test('while the relay is away the page answers the same, the mail comes later, and no log has its link', async t => {
  const away = await hungUpRelay(t)
  const { page, proofs, found, logged } = await openPage(t, away.port)
  assert.deepEqual(await proofs.ask(found, ada), { ok: true })
  await away.isCalled()
  const relay = await away.replace()
  const secret = secretIn(await mailed(relay))
  await until('it is told', async () => logged().includes('sent a mail'))
  assert.equal(await proofs.use(found, secret, page.newSecret()), true)
  assert.ok(!logged().includes(secret))
})

test('a service that stops lets a mail go out that waits for its relay', async t => {
  const away = await hungUpRelay(t)
  const { proofs, found, stop } = await openPage(t, away.port)
  await proofs.ask(found, ada)
  await away.isCalled()
  const relay = await away.replace()
  await stop()
  assert.equal(relay.mails.length, 1)
})

test('a service that stops does not wait for a relay that stays away', async t => {
  const away = await hungUpRelay(t)
  const { proofs, found, stop, logged } = await openPage(t, away.port)
  await proofs.ask(found, ada)
  await away.isCalled()
  await stop()
  assert.match(logged(), /the relay took no mail/)
})

test('an address that the relay refuses is told in the log alone, and tried once', async t => {
  const relay = await relayFor(t, { refuses: { code: 550, says: 'No such user here: ada@example.com' } })
  const { proofs, found, logged, stop } = await openPage(t, relay.port)
  assert.deepEqual(await proofs.ask(found, ada), { ok: true })
  await until('it is told', async () => logged().includes('the relay refused a mail'))
  await stop()
  assert.match(logged(), /No such user here/)
  assert.doesNotMatch(logged(), /proof=|ada@example/)
  assert.equal(logged().split('the relay refused a mail').length, 2)
})

test('without a relay nobody is offered to prove an address', async t => {
  const database = await freshDatabase()
  t.after(() => database.drop())
  const dataFolder = await mkdtemp(joinPath(tmpdir(), 'tillbell-proofs-'))
  const log = openLog('silent')
  const foundation = await openFoundation(
    readConfig({ TILLBELL_DATA: dataFolder, DATABASE_URL: database.url }),
    'guest',
    log,
  )
  const joined = join(foundation, log, openMetrics(), service)
  const { post } = await joinMail(foundation, log, openMetrics(), service, joined.deliverer.holder)
  const { find } = checkoutPorts(foundation, joined, work => work, post)
  assert.equal((await newOffer(foundation, find, await newMerchant(foundation))).isMailed, false)
  await foundation.close()
  await rm(dataFolder, { recursive: true })
})
