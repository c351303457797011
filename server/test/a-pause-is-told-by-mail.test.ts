// An endpoint that has done nothing but fail for five days is paused, and those of its merchant's people who want it are told
// by mail: once, and as soon as there is a relay that takes it.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DroppedAlert } from '../src/core/alert.ts'
import type { DeliveryId, MerchantId, TransactionId } from '../src/core/ids.ts'
import { written } from '../src/join-alerts.ts'
import { createMailer } from '../src/mail/mailer.ts'
import type { Database } from '../src/store/database.ts'
import { claimOwedAlert } from '../src/store/owed-alerts.ts'
import { claimPause } from '../src/store/pause-announcements.ts'
import { answered } from './support/answers.ts'
import { type RelayManners, read, startRelay } from './support/mail-relay.ts'
import { addEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

async function relayFor(t: TestContext, manners: RelayManners = {}) {
  const relay = await startRelay(manners)
  t.after(() => relay.close())
  return relay
}

async function serviceWith(t: TestContext, relayPort: number | null, roles = 'all'): Promise<TestService> {
  const relay = relayPort === null ? {} : { TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relayPort}` }
  const service = await startTestService({ TILLBELL_MAIL_DOMAIN: 'pay.example', TILLBELL_ROLES: roles, ...relay })
  t.after(() => service.stop())
  return service
}

const shopUrl = 'https://shop.example/hooks?shop=7'

/** As the service does it when one has failed for days. The demo merchant's mails would not go to the relay. */
async function pauseOne(service: TestService): Promise<void> {
  const { sql } = service.database
  const { merchant } = await service.newMerchant()
  await addEndpoint(sql, merchant, { url: shopUrl, kind: 'error', status: 'paused' })
  await sql`update hook_endpoint set paused_because = 'failing', failing_since = '2026-01-02T03:04:05Z' where url = ${shopUrl}`
}

const isTold = (sql: Database) => async () =>
  (
    await sql`select from hook_endpoint where paused_because = 'failing' and pause_announced_at is not null
    and not exists (select from owed_alert)`
  ).length === 1

test('five days of nothing but failures pause an endpoint, and the mail says which, since when and how to go on', async t => {
  const relay = await relayFor(t)
  const service = await serviceWith(t, relay.port)
  const { sql } = service.database
  const broken = await startEndpoint(response => void response.writeHead(500).end())
  t.after(() => broken.close())
  const seller = await service.newMerchant()
  await sql`update login set alerts = array['endpoint_paused'] where merchant_id = ${seller.merchant}`
  await addEndpoint(sql, seller.merchant, { url: broken.url, kind: 'transaction' })
  const [offer, card] = [await seller.makeOffer(), await seller.storeCard()]
  const pass = async (hours: number) =>
    answered(await service.demo.ask('sandbox/clock', { form: { advance_s: hours * 3_600 } }), 200)
  answered(await seller.charge(offer, card), 200)
  await pass(118)
  answered(await seller.charge(offer, card), 200)
  assert.equal(relay.mails.length, 0)
  await pass(5)
  await until('the merchant is told', isTold(sql))

  const [mail, ...more] = relay.mails
  assert.ok(mail !== undefined)
  assert.deepEqual(more, [])
  assert.equal(await claimPause(sql, null), null)
  const [row] = await sql<{ id: string; failingSince: Date }[]>`
    select id, failing_since from hook_endpoint where merchant_id = ${seller.merchant}`
  assert.ok(row !== undefined)
  assert.deepEqual([mail.from, mail.to], ['no-reply@pay.example', [seller.login.email]])
  const { fields, body, html } = read(mail)
  assert.deepEqual(fields.get('from'), ['Tillbell <no-reply@pay.example>'])
  assert.deepEqual(fields.get('auto-submitted'), ['auto-generated'])
  const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  const link = `${service.baseUrl}/dashboard/api-settings`
  for (const said of [broken.url, 'Kind: Transaction', row.id, '1 notification waits for it.', link]) {
    assert.ok(body.includes(said), `${said} is not in:\n${body}`)
  }
  assert.ok(body.replace(/\s+/g, ' ').includes(`accepted nothing since ${day.format(row.failingSince)}`), body)
  assert.ok(html?.includes(link))
})

test('a relay that is down is tried again', async t => {
  const away = await startRelay()
  await away.close()
  const service = await serviceWith(t, away.port)
  const { sql } = service.database
  await pauseOne(service)
  await until('it was tried', async () => service.logged().includes('an alert was not taken'))
  assert.equal(await isTold(sql)(), false)
  assert.equal(await claimOwedAlert(sql, null), null, 'it is left alone for a while')
  const relay = await relayFor(t, { port: away.port })
  await sql`update owed_alert set due_at = now()` // what time does to it
  await until('the merchant is told', isTold(sql))
  assert.equal(relay.mails.length, 1)
})

test('of several processes one tells, with all that waits: what was set aside, and what was not yet', async t => {
  const service = await serviceWith(t, null, 'api') // nobody sets anything aside
  const { demo, database, demoSheet } = service
  const { sql } = database
  await addEndpoint(sql, demoSheet.merchant, { url: shopUrl, kind: 'error', status: 'paused' })
  await sql`update hook_endpoint set paused_because = 'failing', failing_since = now() where url = ${shopUrl}`
  const declined = await demo.storeCard('4012888888881881')
  for (const _ of [1, 2, 3]) answered(await demo.charge(demo.offer, declined), 402)
  await sql`update owed_delivery set parked = false where id = (select id from owed_delivery where parked limit 1)`
  const claims = (await Promise.all([1, 2, 3, 4].map(() => claimPause(sql, null)))).filter(claim => claim !== null)
  assert.deepEqual(
    claims.map(({ endpoint: { url, waiting } }) => [url, waiting]),
    [[shopUrl, 3]],
  )
})

test('an endpoint that was resumed, deleted, or paused by its merchant is nothing to tell', async t => {
  const service = await serviceWith(t, null)
  const { sql } = service.database
  for (const change of [
    "status = 'enabled', paused_because = null",
    'deleted_at = now()',
    "paused_because = 'asked'",
    'failing_since = null',
  ]) {
    await pauseOne(service)
    await sql.unsafe(`update hook_endpoint set ${change} where paused_because = 'failing'`)
    assert.equal(await claimPause(sql, null), null, change)
    await sql`delete from hook_endpoint where url = ${shopUrl}`
  }
})

test('an address that the relay refuses for good is not tried for ever', async t => {
  const relay = await relayFor(t, { refuses: { code: 550, says: 'No such user here' } })
  const service = await serviceWith(t, relay.port)
  await pauseOne(service)
  await until('it is settled', isTold(service.database.sql))
  assert.match(service.logged(), /No such user here/)
  assert.equal(relay.mails.length, 0)
})

test('without a relay nothing is sent, and the log says so once', async t => {
  const service = await serviceWith(t, null)
  assert.equal(service.logged().split('TILLBELL_MAIL_RELAY is not set').length, 2)
})

const dropped: DroppedAlert = {
  kind: 'hook_dropped',
  merchantId: 'm_1' as MerchantId,
  merchantName: 'Shop',
  readers: [],
  count: 1,
  andMore: false,
  first: [
    {
      id: '01890000-0000-7000-8000-000000000001' as DeliveryId,
      kind: 'transaction',
      url: 'https://shop.example/hooks',
      transactionId: '01890000-0000-7000-8000-000000000002' as TransactionId,
    },
  ],
  ids: [],
}
const reader = { email: 'owner@shop.example', language: null }
const somewhere = { mode: 'live', baseUrl: 'http://tillbell.test' } as const
const mailOf = (alert: DroppedAlert) => ({
  about: 'alert-1',
  to: { name: '', address: reader.email },
  ...written(somewhere, alert, reader),
})

test('what a merchant is called cannot begin a header, name a recipient or end the mail', async t => {
  const relay = await relayFor(t)
  const send = createMailer(`smtp://127.0.0.1:${relay.port}`, 'pay.example', null)
  const names = [
    'Shop\r\nBcc: all@example.com',
    'Shop\nSubject: won\n\n<b>body</b>',
    'Shop\r\n.\r\nMAIL FROM:<x@example.com>',
    'Shop" <all@example.com>, "',
    'Shop\u2028Bcc: all@example.com\u0085X: y\0',
    'Käse & Söhne 🧀',
  ]
  for (const merchantName of names) {
    const mail = mailOf({ ...dropped, merchantName })
    assert.deepEqual(await send(mail), { kind: 'taken' }, merchantName)
  }
  const kept = relay.mails.map(mail => ({ ...mail, ...read(mail) }))
  assert.equal(kept.length, names.length)
  const expected = [
    ...['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version'],
    ...['subject', 'to', 'x-auto-response-suppress'],
  ]
  for (const { to, fields, raw } of kept) {
    assert.deepEqual(to, [reader.email])
    assert.deepEqual([...fields.keys()].sort(), expected, raw)
    assert.deepEqual(fields.get('to'), [reader.email])
    for (const [name, values] of fields) assert.equal(values.length, 1, name)
  }
})

test('a mail goes to the very address, whatever could be read in it, and a refusal does not repeat it', async t => {
  const relay = await relayFor(t)
  const send = createMailer(`smtp://127.0.0.1:${relay.port}`, 'pay.example', null)
  const mail = mailOf(dropped)
  const odd = ['x:ada@example.com', 'x:ada@example.com;', 'ada@example.com(x)', 'ada@example.com, b@c']
  for (const address of odd) await send({ ...mail, to: { name: '', address } })
  for (const { to } of relay.mails) assert.doesNotMatch(to.join(), /^(ada@example\.com|b@c)$/)
  assert.deepEqual(await send({ ...mail, to: { name: '', address: 'ada@münchen.example' } }), { kind: 'taken' })
  const says = '5.1.1 <ada@example.com>: no such user'
  const refusing = await relayFor(t, { refuses: { code: 550, says } })
  const refused = await createMailer(`smtp://127.0.0.1:${refusing.port}`, 'pay.example', null)(mail)
  assert.ok(refused.kind === 'refused')
  assert.match(refused.cause, /550 5\.1\.1 <…@…>: no such user/)
})

test('the relay’s credentials are used, and never sent unsealed to another machine', async t => {
  const relay = await relayFor(t, { wantsLogin: true })
  const mail = mailOf(dropped)
  const here = createMailer(`smtp://us%40er:p%3Ass@127.0.0.1:${relay.port}`, 'pay.example', null)
  assert.deepEqual(await here(mail), { kind: 'taken' })
  assert.deepEqual(relay.logins, [['us@er', 'p:ss']])
  // An address that leads here, and does not look so.
  const elsewhere = createMailer(`smtp://us%40er:p%3Ass@0.0.0.0:${relay.port}?requireTLS=false`, 'pay.example', null)
  assert.equal((await elsewhere(mail)).kind, 'not_now')
  assert.equal(relay.logins.length, 1)
})
