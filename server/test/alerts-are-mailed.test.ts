// What was dropped and what is in doubt is told by mail to those of the merchant's people who want it: many in one mail, one
// mail an hour, and nothing is lost with a process that dies.

import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { AlertMail } from '../src/core/alert.ts'
import type { Operation } from '../src/core/operation.ts'
import { uuidMaker } from '../src/keys/new-ids.ts'
import { claimDoubt, claimDropped, markDoubtTold, markDroppedTold } from '../src/store/alert-digests.ts'
import type { Database, Scope } from '../src/store/database.ts'
import { claimOwedAlert, endOwedAlert } from '../src/store/owed-alerts.ts'
import { claimPause, markPauseTold } from '../src/store/pause-announcements.ts'
import { keepLateSuccess } from '../src/store/sweeping.ts'
import { answered } from './support/answers.ts'
import { type BadLine, connectBadLine } from './support/bad-line.ts'
import type { Client } from './support/client.ts'
import { type KeptMail, type RelayAnswer, read, startRelay } from './support/mail-relay.ts'
import { addEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { drop } from './support/owed.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'
import { whileHeld } from './support/while-held.ts'

let takes = true
let hangsUp = false
/** By how an address begins, what the relay says to it. */
const mailboxes: { readonly [start: string]: RelayAnswer } = {
  full: { code: 452, says: 'Mailbox full' },
  gone: { code: 550, says: 'No such user' },
}
const relay = await startRelay({
  answers(to) {
    if (hangsUp) return 'hangs up'
    return takes ? (mailboxes[to.slice(0, 4)] ?? 'takes it') : { code: 451, says: 'Not now' }
  },
})
const service = await startTestService({
  TILLBELL_MAIL_DOMAIN: 'pay.example',
  TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
})
const broken = await startEndpoint(response => void response.writeHead(500).end())
after(async () => {
  await service.stop()
  await relay.close()
  await broken.close()
})
const { sql } = service.database
const shop = await service.newMerchant()
const line = await connectBadLine(shop)
after(() => line.close())
answered(await shop.ask('hook_endpoints', { form: { kind: 'transaction', url: broken.url } }), 200)
const [card, offer] = [await shop.storeCard(), await shop.makeOffer()]

beforeEach(async () => {
  relay.mails.length = 0
  takes = true
  hangsUp = false
  await sql`update hook_endpoint set failing_since = null` // it would be paused after days of it
})

const charge = async () => answered(await shop.charge(offer, card), 200).json.transaction.id
const pass = async (seconds: number) =>
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
/** Dropped one after the other, the first could be told of before the second is. */
async function untilBothAreDueAtOnce(): Promise<void> {
  const tried = () => sql<{ count: number }[]>`
    select count(*)::int as count from owed_delivery where state = 'pending' and attempts = 1 and holder is null`
  await until('both were tried', async () => (await tried())[0]?.count === 2)
  await sql`update owed_delivery d set (original_at, last_at, due_at) = (
      select max(e.original_at), max(e.last_at), max(e.due_at) from owed_delivery e where e.state = 'pending') where d.state = 'pending'`
}

/** What an hour does to it. */
const anHourLater = (sql: Database) =>
  sql`update alert_mail set told_at = told_at - interval '61 minutes', telling_until = now()`
const isUntold = async () =>
  (
    await sql`select from owed_delivery where drop_untold union all select from owed_alert
      union all select from operation where outcome = 'unknown' and doubt_told is null`
  ).length > 0
/** What time does to what was not taken. */
const dueAgain = () => sql`update owed_alert set due_at = now()`
const subjects = () => relay.mails.map(mail => read(mail).fields.get('subject')?.[0])
const readersOf = (mails: readonly KeptMail[]) => mails.flatMap(({ to }) => to).sort()

async function chargeInDoubt({ database: { sql } }: TestService, client: Client, line: BadLine): Promise<string> {
  line.loses = true
  const { id } = answered(await client.charge(await client.makeOffer(), line.card), 202).json.transaction
  line.loses = false
  const [row] = await sql<{ id: string }[]>`update operation set next_ask_at = next_ask_at + interval '1 hour',
    created_at = created_at - interval '6 minutes' where transaction_id = ${id} returning id`
  return row?.id ?? assert.fail('no operation')
}

test('what was dropped is one mail to each who wants it, in their language, and the next one waits an hour', async () => {
  const viewer = await service.newLogin(shop.merchant, 'viewer')
  await service.newLogin(shop.merchant, 'developer') // who wants none
  await sql`update login set alerts = array['hook_dropped'], language = 'es' where email = ${viewer.email}`
  for (const _ of [1, 2]) await charge()
  await untilBothAreDueAtOnce()
  await pass(30 * 3_600)
  await until('both are told', async () => relay.mails.length === 2 && !(await isUntold()))
  assert.deepEqual(readersOf(relay.mails), [shop.login.email, viewer.email].sort())
  assert.deepEqual(subjects().sort(), ['2 notificaciones abandonadas de Another', '2 notifications to Another dropped'])
  const [dropped] = await sql<{ id: string }[]>`select id from owed_delivery where state = 'dropped' order by id`
  const { body, html } = read(relay.mails.find(({ to }) => to[0] === shop.login.email) ?? assert.fail())
  for (const said of [`/dashboard/deliveries/${dropped?.id}`, '/dashboard/deliveries?state=dropped']) {
    assert.ok(body.includes(said) && html?.includes(said), `${said} is not in:\n${body}`)
  }
  await sql`update login set alerts = '{}' where email = ${viewer.email}`

  await charge()
  await pass(30 * 3_600)
  assert.equal(await claimDropped(sql, null), null, 'not within the hour')
  await anHourLater(sql)
  await until('the third is told', async () => relay.mails.length === 3 && !(await isUntold()))
  assert.equal(subjects().at(-1), '1 notification to Another dropped')
})

test('a relay that takes nothing is tried again, and all that comes meanwhile is told in one mail', async () => {
  takes = false
  await charge()
  await pass(30 * 3_600)
  await anHourLater(sql)
  await until('it was tried', async () => service.logged().includes('an alert was not taken'))
  for (const _ of [1, 2]) {
    await charge()
    await pass(30 * 3_600)
    await anHourLater(sql)
    assert.equal(await claimDropped(sql, null), null, 'nobody has had the first yet')
  }
  takes = true
  await dueAgain()
  await until('all are told', async () => relay.mails.length === 2 && !(await isUntold()))
  assert.deepEqual(subjects(), ['1 notification to Another dropped', '2 notifications to Another dropped'])
})

test('a mailbox that is full or gone keeps nobody else waiting, and nobody is told twice', async () => {
  const named = (start: string) =>
    service.newLogin(shop.merchant, 'viewer', `${start}-${crypto.randomUUID()}@example.com`)
  const [first, full, gone, last] = [await named('aaaa'), await named('full'), await named('gone'), await named('zzzz')]
  const [all, well] = [[first, full, gone, last].map(({ email }) => email), [first.email, shop.login.email, last.email]]
  await sql`update login set alerts = array['hook_dropped'] where email = any(${all})`
  for (const drops of [1, 2]) {
    await charge()
    await anHourLater(sql)
    await pass(30 * 3_600)
    await until('the others are told', async () => relay.mails.length === drops * well.length)
  }
  const owed = () => sql<{ email: string; tries: number }[]>`select email, tries from owed_alert order by id`
  await until('only what the full one is owed is left', async () =>
    (await owed()).every(({ email }) => email === full.email),
  )
  await dueAgain()
  await until('it is tried again', async () => (await owed()).every(({ tries }) => tries === 2))
  const [{ wait } = { wait: 0 }] = await sql<{ wait: number }[]>`
    select extract(epoch from min(due_at) - now())::float as wait from owed_alert`
  assert.ok(wait > 60, 'later than the time before')
  assert.deepEqual(readersOf(relay.mails), [...well, ...well].sort())
  assert.equal((await owed()).length, 2)
  await sql`update owed_alert set tries = 29`
  await dueAgain()
  await until('it is given up', async () => (await owed()).length === 0)
  await sql`delete from login where email = any(${all})`
})

test('what no relay answers for is kept for 14 days, and none of its tries counts', async () => {
  hangsUp = true
  await charge()
  await anHourLater(sql)
  await pass(30 * 3_600)
  const owed = () => sql<{ id: string; tries: number; wait: number }[]>`
    select id, tries, extract(epoch from due_at - now())::float as wait from owed_alert`
  const isKept = (tries: number) => async () => {
    const [row] = await owed()
    return row !== undefined && row.tries === tries && row.wait > 0
  }
  await until('it was tried', isKept(0))
  const [{ id } = assert.fail()] = await owed()
  const madeMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  const dayMs = 24 * 3_600_000
  const daysLater = (days: number) => {
    const older = uuidMaker(() => new Date(madeMs - days * dayMs))()
    return sql`update owed_alert set id = ${older}, tries = 29, due_at = now()`
  }
  await daysLater(13)
  await until('it is kept', isKept(29))
  const [{ wait } = assert.fail()] = await owed()
  assert.ok(wait > 3_500 && wait <= 3_600, `every hour, not in ${wait} s`)
  await daysLater(14)
  await until('it is given up', async () => (await owed()).length === 0)
  assert.equal(relay.mails.length, 0)
})

test('a charge that is in doubt for five minutes is told of', async () => {
  const id = await chargeInDoubt(service, shop, line)
  await until('it is told', async () => relay.mails.length === 1 && !(await isUntold()))
  const { body } = read(relay.mails[0] ?? assert.fail())
  assert.deepEqual(subjects(), ['1 operation of Another in doubt'])
  assert.ok(body.includes(`/dashboard/doubt/${id}`), body)
})

test('where nobody wants it, it counts as told', async () => {
  await sql`update login set alerts = '{}' where merchant_id = ${shop.merchant}`
  await chargeInDoubt(service, shop, line)
  await anHourLater(sql)
  await until('it counts as told', async () => !(await isUntold()))
  assert.equal(relay.mails.length, 0)
})

test('the demo merchant’s are in its inbox', async () => {
  const { merchant } = service.demoSheet
  await drop(sql, sql`merchant_id = ${merchant}`)
  const { demo } = service
  answered(await demo.charge(demo.offer, demo.card), 200)
  await until(
    'its hook is delivered',
    async () =>
      (await sql`select from whole_delivery where merchant_id = ${merchant} and state = 'delivered'`).length > 0,
  )
  await drop(sql, sql`merchant_id = ${merchant}`)
  await until(
    'it is there',
    async () =>
      (await sql`select from inbox_mail where subject = '1 notification to Demo dropped' and html <> ''`).length === 1,
  )
  assert.equal(relay.mails.length, 0)
})

const mailTo = (email: string) => ({ id: crypto.randomUUID(), email, subject: 'Told', text: '', html: '' })
const newIds = (mails: readonly AlertMail[]) => mails.map(mail => ({ ...mail, id: crypto.randomUUID() }))

// Here nobody tells but the test.
const quiet = await startTestService({ TILLBELL_ROLES: 'api' })
const seller = await quiet.newMerchant()
const sellersLine = await connectBadLine(seller)
after(async () => {
  await sellersLine.close()
  await quiet.stop()
})

test('of several processes one tells; what one told that died is told again, and what was dropped meanwhile is not lost', async () => {
  const { sql } = quiet.database
  answered(await seller.ask('hook_endpoints', { form: { kind: 'transaction', url: broken.url } }), 200)
  const [card, offer] = [await seller.storeCard(), await seller.makeOffer()]
  for (const _ of [1, 2, 3]) answered(await seller.charge(offer, card), 200)
  const drop = (limit: number) => sql<{ id: string }[]>`
    update owed_delivery set state = 'dropped', drop_untold = true, due_at = null, settled_at = now()
    where id in (select id from owed_delivery where state = 'pending' order by id desc limit ${limit}) returning id`
  await drop(2)
  const claim = () => claimDropped(sql, null)
  let first: Awaited<ReturnType<typeof claim>> = null
  const hold = async (scope: Scope) => {
    first = await claimDropped(scope, null)
  }
  assert.equal(await whileHeld(sql, hold, claim), null)
  const { count, ids } = first ?? assert.fail('nobody tells')
  assert.equal(count, 2)
  assert.equal(await claim(), null, 'it is in hand')
  await sql`update alert_mail set telling_until = now()` // what a minute does to it
  const again = await claim()
  assert.deepEqual(again?.ids, ids)
  const [late] = await drop(1)
  const { readers } = again ?? assert.fail()
  const mails = readers.map(({ email }) => mailTo(email))
  await markDroppedTold(sql, again ?? assert.fail(), mails)
  // Whoever was held up with the first claim tells nobody, and makes nothing told.
  await markDroppedTold(sql, { ...(again ?? assert.fail()), andMore: true }, newIds(mails))
  // Whoever dies with a mail in hand leaves it to another, who sends it as the same one.
  const inHand = await claimOwedAlert(sql, null)
  assert.equal(await claimOwedAlert(sql, null), null, 'it is in hand')
  await sql`update owed_alert set due_at = now()`
  const [a, b] = await Promise.all([claimOwedAlert(sql, null), claimOwedAlert(sql, null)])
  assert.deepEqual([a ?? b, a && b], [{ ...inHand, tries: 2 }, null])
  await endOwedAlert(sql, inHand ?? assert.fail())
  assert.equal(await claim(), null, 'not within the hour')
  await anHourLater(sql)
  const rest = await claim()
  assert.deepEqual(rest?.ids, [late?.id])
  assert.deepEqual(rest?.first[0]?.id, late?.id)
})

test('an operation is news when it is five minutes old, when only a person can settle it, and when it turns up late', async () => {
  const { sql } = quiet.database
  const claim = async () => {
    await anHourLater(sql)
    return claimDoubt(sql, null, new Date())
  }
  const id = await chargeInDoubt(quiet, seller, sellersLine)
  await sql`update operation set created_at = now() where id = ${id}`
  assert.equal(await claim(), null, 'it is young')
  await sql`update operation set created_at = now() - interval '6 minutes' where id = ${id}`
  const unknown = await claim()
  assert.deepEqual([unknown?.personIds, unknown?.unknownIds], [[], [id]])
  // Left to a person after the mail was written: that is still to be told.
  await sql`update operation set for_person = 'Nobody knows.' where id = ${id}`
  await markDoubtTold(sql, unknown ?? assert.fail(), [])
  const forPerson = await claim()
  assert.deepEqual([forPerson?.personIds, forPerson?.unknownIds], [[id], []])
  await markDoubtTold(sql, forPerson ?? assert.fail(), [])
  await markDoubtTold(sql, forPerson ?? assert.fail(), [mailTo(seller.login.email)])
  await markDoubtTold(sql, unknown ?? assert.fail(), [mailTo(seller.login.email)]) // as is one who was held up since
  assert.equal((await sql`select from owed_alert where kind = 'in_doubt'`).length, 0, 'nobody is told twice')
  assert.equal(await claim(), null, 'it was told')
  await sql`update operation set for_person = null, outcome = 'not_sent', settled_at = now(), next_ask_at = null where id = ${id}`
  const [operation] =
    await sql`select merchant_id, id, transaction_id, gateway_id, 'ch_9' as gateway_ref from operation where id = ${id}`
  await keepLateSuccess(sql, operation as unknown as Operation, 'It turned up.')
  assert.deepEqual((await claim())?.personIds, [id])
})

test('a pause is owed once, though the claim of whoever was held up ran out', async () => {
  const { sql } = quiet.database
  await addEndpoint(sql, seller.merchant, { url: 'https://shop.example/paused', kind: 'error', status: 'paused' })
  await sql`update hook_endpoint set paused_because = 'failing', failing_since = now() where status = 'paused'`
  const heldUp = await claimPause(sql, null)
  await sql`update hook_endpoint set pause_telling_until = now()` // what a minute does to it
  for (const claimed of [await claimPause(sql, null), heldUp]) {
    await markPauseTold(sql, claimed ?? assert.fail(), [mailTo(seller.login.email)], new Date())
  }
  assert.equal((await sql`select from owed_alert where kind = 'endpoint_paused'`).length, 1)
})
