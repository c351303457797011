// With twenty thousand of everything and nothing to forget, no sweep reads a table from end to end: it comes every
// minute, on every process, for as long as the service lives.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MerchantId, OfferId } from '../src/core/ids.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { newestPayment } from '../src/store/checkouts.ts'
import { connect } from '../src/store/database.ts'
import { erasedSweeps } from '../src/store/erasure.ts'
import { forgetWhatIsOver, timedSweeps } from '../src/store/retention.ts'
import { merchantsWithSpentCards } from '../src/store/spent-cards.ts'
import { merchantsThatWaitTooLong, merchantsWithOperationsDue } from '../src/store/sweeping.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await fill()
})
after(() => service.stop())

const rows = 20_000
const dayMs = 86_400_000
const nowMs = Date.now()

/** Of row `n`: its time, a second before that of the row before it, and an id that begins with that time. */
const timeAgo = (days: number) =>
  service.database.sql.unsafe(`to_timestamp((${nowMs - days * dayMs} - n * 1000) / 1000.0)`)
const idAgo = (days: number, letter: string) =>
  service.database.sql.unsafe(
    `(overlay(lpad(to_hex(${nowMs - days * dayMs} - n * 1000), 12, '0') placing '-' from 9 for 0) || '-7000-8000-00000000000${letter}')::uuid`,
  )

/** Copies of what one charge left, a second apart, of customers who were erased and emptied long ago. */
async function fill(): Promise<void> {
  const { demo, database, demoSheet } = service
  const { sql } = database
  const { merchant } = demoSheet
  await demo.charge(demo.offer, demo.card, { key: 'one' })
  const all = sql`generate_series(1, ${rows}) n`
  const id = (letter: string) => idAgo(0, letter)
  const ago = timeAgo(0)
  await sql`insert into customer (merchant_id, id, created_at, erased_at, emptied_at)
    select ${merchant}, ${id('a')}, ${ago}, ${ago}, ${ago} from ${all}`
  const columns = await columnsOf('transaction', ['id', 'customer_id', 'created_at'])
  await sql`insert into transaction (id, customer_id, created_at, ${columns})
    select ${id('b')}, ${id('a')}, ${ago}, ${columns} from (select * from transaction limit 1) t, ${all}`
  const ofOperation = await columnsOf('operation', ['id', 'transaction_id'])
  await sql`insert into operation (id, transaction_id, ${ofOperation})
    select ${id('0')}, ${id('b')}, ${ofOperation} from (select * from operation limit 1) p, ${all}`
  await sql`insert into event (merchant_id, id, transaction_id, kind, type, details, at, version)
    select ${merchant}, ${id('c')}, ${id('b')}, 'transaction', 'success', '{}', ${ago}, 2 from ${all}`
  await sql`insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    values (${merchant}, gen_random_uuid(), 'pre_sale', 'http://127.0.0.1:1', 5, 'enabled', now())`
  const endpoint = sql`(select id from hook_endpoint where merchant_id = ${merchant} and kind = 'pre_sale')`
  await sql`insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
    select ${merchant}, ${id('d')}, ${id('c')}, ${endpoint}, ${ago} from ${all}`
  await sql`insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, duration_ms, response)
    select ${merchant}, ${id('d')}, 1, ${ago}, 'http://127.0.0.1:1', false, 200, 1, 'ok' from ${all}`
  await sql`insert into pre_sale_request (merchant_id, id, transaction_id, endpoint_id, url, recorded_at, status, answer, details, answered_at)
    select ${merchant}, ${id('e')}, ${id('b')}, ${endpoint}, 'http://127.0.0.1:1', ${ago}, 200, 'ok', '{}', ${ago} from ${all}`
  await sql`insert into idempotency_key (merchant_id, operation, key, arguments_hash, transaction_id, status, answer, created_at, settled_at)
    select ${merchant}, 'transactions', n::text, '', ${id('b')}, 200, '{}', ${ago}, now() from ${all}`
  await sql`insert into hook_secret (merchant_id, id, endpoint_id, secret_sealed, created_at, signs_until)
    select ${merchant}, ${id('f')}, ${endpoint}, '', ${ago}, now() from ${all}`
  await sql`insert into card_link (merchant_id, secret_sha256, email, gateway_id, created_at, expires_at)
    select ${merchant}, sha256(n::text::bytea), '', (select id from gateway where merchant_id = ${merchant}), ${ago}, now()
    from ${all}`
  const offer = sql`(select id from offer where merchant_id = ${merchant} limit 1)`
  await sql`insert into checkout (merchant_id, secret_sha256, offer_id, created_at)
    select ${merchant}, sha256(n::text::bytea), ${offer}, ${ago} from ${all}`
  await sql`insert into address_proof (merchant_id, secret_sha256, offer_id, email, quantity, created_at, expires_at)
    select ${merchant}, sha256(n::text::bytea), ${offer}, n || '@example.com', 1, ${ago}, now() from ${all}`
  await sql`insert into tries (merchant_id, who, left_over, at)
    select ${merchant}, sha256(n::text::bytea), 1, now() from ${all}`
  await sql`insert into letter (merchant_id, id, received_at, offer_id, sender, is_proven, is_answerable, language,
      verdict, raw_sealed, state, transaction_id)
    select ${merchant}, ${id('1')}, ${ago}, ${offer}, n || '@example.com', true, true, 'en', '{}', 'sealed', 'done', ${id('b')}
    from ${all}`
  await sql`insert into outgoing_mail (merchant_id, id, letter_id, transaction_id, kind, created_at, state, settled_at)
    select ${merchant}, ${id('2')}, ${id('1')}, ${id('b')}, 'receipt', ${ago}, 'sent', ${ago} from ${all}`
  await sql`insert into console_session (merchant_id, id, email, secret_sha256, address, user_agent)
    select ${merchant}, ${id('3')}, (select email from login where merchant_id = ${merchant}), sha256(n::text::bytea), '', ''
    from ${all}`
  await sql`insert into login_link (merchant_id, secret_sha256, kind, email, expires_at)
    select ${merchant}, sha256(n::text::bytea), 'reset', n || '@example.com', now() from ${all}`
  await sql`insert into console_change (merchant_id, id, at, by, action, address, user_agent)
    select ${merchant}, ${id('4')}, ${ago}, '', '', '', '' from ${all}`
  await sql`insert into hook_listener (merchant_id, id, name, created_at, seen_at, ended_at)
    select ${merchant}, ${id('5')}, 'laptop', ${ago}, ${ago}, now() from ${all}`
  await sql`insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at, deleted_at, listener_id)
    select ${merchant}, ${id('6')}, 'error', 'listen://laptop', 5, 'enabled', ${ago}, now(), ${id('5')} from ${all}`
  await sql`insert into hook_relay (merchant_id, id, listener_id, kind, headers, body, deadline)
    select ${merchant}, ${id('7')}, ${id('5')}, 'error', '[]', '', now() from ${all}`
  await sql`insert into sign_in_try (who, failures) select sha256(n::text::bytea), 1 from ${all}`
  const ofCard = await columnsOf('card', ['token', 'card_ref', 'customer_id', 'created_at', 'remove_at', 'removed_at'])
  await sql`insert into card (token, card_ref, customer_id, created_at, remove_at, removed_at, ${ofCard})
    select n::text, n::text, ${id('a')}, ${ago}, case when n % 2 = 0 then ${ago} end, case when n % 2 = 0 then ${ago} end, ${ofCard}
    from (select * from card limit 1) c, ${all}`
  await sql.unsafe('analyze')
}

async function columnsOf(table: string, but: readonly string[]) {
  const { sql } = service.database
  const found = await sql<{ name: string }[]>`select column_name as name from information_schema.columns
    where table_schema = 'tillbell' and table_name = ${table} and column_name <> all(${but})`
  return sql(found.map(({ name }) => name))
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** How often a table was asked. */
function asked(plan: Plan, table: string): number {
  const own = plan['Relation Name'] === table ? (plan['Actual Loops'] ?? 1) * Math.max(1, plan['Actual Rows'] ?? 0) : 0
  return (plan.Plans ?? []).reduce((sum, below) => sum + asked(below, table), own)
}

/** How many rows it looked at, and the tables that it read from end to end. */
function cost(plan: Plan): { looked: number; whole: string[] } {
  const below = (plan.Plans ?? []).map(cost)
  const isWhole = plan['Node Type'] === 'Seq Scan'
  const own = ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) * (plan['Actual Loops'] ?? 1)
  return {
    looked: own + below.reduce((sum, { looked }) => sum + looked, 0),
    whole: [...(isWhole ? [plan['Relation Name'] ?? ''] : []), ...below.flatMap(({ whole }) => whole)],
  }
}

const retention = { keysMs: dayMs, answersMs: 30 * dayMs, detailsMs: 90 * dayMs, mailMs: 7 * dayMs }
const few = 500

/** The demo's inboxes have a few hundred rows at most. */
const small = ['inbox_hook', 'inbox_mail']

test('all sweeps together take one connection from payments', async () => {
  const sql = connect({ address: service.database.url, connectionsMax: 20, name: 'sweeps' })
  try {
    await forgetWhatIsOver(sql, retention, new Date())
    const connected = await sql`select from pg_stat_activity
      where datname = current_database() and application_name like 'sweeps%'`
    assert.equal(connected.length, 1)
  } finally {
    await sql.end()
  }
})

test('no sweep reads a whole table to find that nothing is over', async () => {
  const { sql } = service.database
  const erased = erasedSweeps(sql, sql`u.erased_at is not null and u.emptied_at is null`, 1_000)
  const spentCards = merchantsWithSpentCards(sql, new Date())
  const operations = merchantsWithOperationsDue(sql, new Date())
  const tooLate = merchantsThatWaitTooLong(sql, new Date())
  const sweeps = { ...timedSweeps(sql, retention, new Date()), ...erased, spentCards, operations, tooLate }
  for (const [name, sweep] of Object.entries(sweeps)) {
    const [row] = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }[]>`explain (analyze, format json) ${sweep}`
    const plan = row?.['QUERY PLAN'][0]?.Plan
    assert.ok(plan !== undefined)
    const { looked, whole } = cost(plan)
    assert.deepEqual(
      whole.filter(table => !small.includes(table)),
      [],
      name,
    )
    assert.ok(looked < 100, `${name} looked at ${looked} rows`)
  }
})

/** As hooks of long ago left it: delivered at once, with their details and attempts, or without because those were forgotten. */
async function addOld(days: number, count: number, isForgotten: boolean): Promise<void> {
  const { sql } = service.database
  const { merchant } = service.demoSheet
  const all = sql`generate_series(1, ${count}) n`
  const endpoint = sql`(select id from hook_endpoint where merchant_id = ${merchant} and kind = 'pre_sale')`
  await sql`insert into event (merchant_id, id, kind, type, details, at)
    select ${merchant}, ${idAgo(days, 'c')}, 'transaction', 'success', ${isForgotten ? null : '{}'}, ${timeAgo(days)} from ${all}`
  await sql`insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
    select ${merchant}, ${idAgo(days, 'd')}, ${idAgo(days, 'c')}, ${endpoint}, ${timeAgo(days)} from ${all}`
  if (isForgotten) return
  await sql`insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, duration_ms)
    select ${merchant}, ${idAgo(days, 'd')}, 1, ${timeAgo(days)}, 'http://127.0.0.1:1', false, 200, 1 from ${all}`
}

test('what is over is found without a look at all that is not, or was forgotten before', async () => {
  const { sql } = service.database
  await addOld(100, few, false)
  await addOld(200, rows, true)
  await sql.unsafe('analyze')
  for (const [name, sweep] of [
    ['eventDetails', () => timedSweeps(sql, retention, new Date()).eventDetails],
    ['attempts', () => timedSweeps(sql, retention, new Date()).attempts],
  ] as const) {
    const [row] = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }[]>`explain (analyze, format json) ${sweep()}`
    const plan = row?.['QUERY PLAN'][0]?.Plan ?? assert.fail()
    const [attempts, deliveries] = [asked(plan, 'attempt'), asked(plan, 'delivery')]
    assert.ok(attempts >= few && attempts < 10 * few, `${name} looked ${attempts} times for attempts`)
    assert.ok(deliveries >= few && deliveries < 10 * few, `${name} looked ${deliveries} times for deliveries`)
  }
})

/** As many payments of the offer that were declined. */
async function addDeclined(): Promise<void> {
  const { demo, database } = service
  const { sql } = database
  await demo.charge(demo.offer, await demo.storeCard(testCardThat('card_declined').number), { key: 'declined' })
  const declined = sql`(select * from transaction where status = 'Failed' limit 1) t`
  const columns = await columnsOf('transaction', ['id', 'created_at'])
  await sql`insert into transaction (id, created_at, ${columns})
    select ${idAgo(0, '9')}, ${timeAgo(0)}, ${columns} from ${declined}, generate_series(1, ${rows}) n`
}

test('an offer that was paid, and declined, many times is asked for its newest payment in few looks', async () => {
  const { sql } = service.database
  await addDeclined()
  await sql.unsafe('analyze')
  const since = new Date(nowMs - 600_000)
  const lookups = [
    ['with any card', { kind: 'any', since: null, besides: null }, 100],
    ['with any card, of late', { kind: 'any', since, besides: null }, 100],
    // Payments are a second apart: those of ten minutes, and the card of each.
    ['with a card that did not pay', { kind: 'card', fingerprint: 'of another', since, besides: null }, 2_000],
  ] as const
  for (const [name, counting, most] of lookups) {
    const [merchant, offer] = [service.demoSheet.merchant as MerchantId, service.demo.offer as OfferId]
    const lookup = newestPayment(sql, merchant, offer, counting)
    const [row] = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }[]>`explain (analyze, format json) ${lookup}`
    const { looked, whole } = cost(row?.['QUERY PLAN'][0]?.Plan ?? assert.fail())
    assert.deepEqual(whole, [], name)
    assert.ok(looked < most, `${name}: looked at ${looked} rows`)
  }
})
