// With many deliveries in the database, most of them settled, workers find theirs by the index that holds nothing else.
// The plans are looked at, not the clock: both the one for the values at hand and the one that is kept for all.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import type { HeldDelivery, LaneName } from '../src/core/delivery.ts'
import type { ClaimId, DeliveryId, WorkerId } from '../src/core/ids.ts'
import { settleAttempts } from '../src/store/attempt-results.ts'
import { takeFromLane } from '../src/store/claims.ts'
import { type Database, type Scope, schemaName } from '../src/store/database.ts'
import { findParkedInVain, listLanes, listNewborn, putAside, unparkLane } from '../src/store/deliveries.ts'
import { createSql, type Written } from '../src/store/sql.ts'
import { findDeadHolders, freeNewbornOf } from '../src/store/workers.ts'
import { type Bench, openBench } from './support/bench.ts'
import { newLane, owe, resultOf } from './support/owed.ts'

let bench: Bench
let client: pg.Client
let lane: LaneName
const holder = randomUUID() as WorkerId
const now = new Date('2026-11-15T12:00:00Z')
const limit = 128
const claiming = { id: randomUUID() as ClaimId, holder, now, limit, goesOn: false }

/** 20 lanes of 2,500, of which one in ten is to be claimed, one in fifty parked and one in fifty held; 2,000 are owed nothing. */
async function fill(sql: Database): Promise<LaneName> {
  const { merchantId } = await bench.newShop()
  const lanes = await Promise.all(Array.from({ length: 20 }, () => newLane(sql, merchantId)))
  for (const each of lanes) await owe(sql, each, 2_500, now)
  await sql`insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    select ${merchantId}, gen_random_uuid(), 'transaction', 'http://merchant.test/', 15, 'enabled', now() from generate_series(1, 2000)`
  await sql`with numbered as (select merchant_id, id, row_number() over (partition by endpoint_id order by id) as n from owed_delivery)
    update owed_delivery d set parked = n <= 50, holder = case when n between 51 and 100 then ${holder}::uuid end,
      state = case when n <= 350 then 'pending' else 'dropped' end, due_at = case when n <= 350 then due_at end,
      settled_at = case when n > 350 then ${now}::timestamptz end
    from numbered where numbered.merchant_id = d.merchant_id and numbered.id = d.id`
  await sql.unsafe('vacuum (full, analyze) owed_delivery')
  await sql.unsafe('analyze hook_endpoint')
  return lanes[7] as LaneName
}

/** Clients of the test's own database: an explanation needs the statement as it is sent. */
async function connectTo(sql: Database): Promise<pg.Client> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = `/${row?.name}`
  const made = new pg.Client({
    connectionString: url.href,
    options: `-c search_path=${schemaName} -c enable_seqscan=off`,
  })
  await made.connect()
  return made
}

/** They are answered with nothing. */
async function statementsOf(ask: (sql: Database) => Promise<unknown>): Promise<Written[]> {
  const asked: Written[] = []
  const spy = createSql(async written => {
    asked.push(written)
    return Object.assign([], { count: 0 })
  })
  await ask(Object.assign(spy, { begin: (work: (scope: Scope) => Promise<unknown>) => work(spy) }) as Database)
  return asked
}

const noStatement: Written = { text: '', values: [], name: null }

async function explained(how: string, { text, values } = noStatement): Promise<string> {
  const { rows } = await client.query(`explain ${how} ${text}`, how === '(generic_plan)' ? [] : [...values])
  return rows.map(row => String(row['QUERY PLAN'])).join('\n')
}

async function plansOf(ask: (sql: Database) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  for (const statement of await statementsOf(ask)) {
    plans.push(await explained('', statement), await explained('(generic_plan)', statement))
  }
  return plans
}

/** How many deliveries a statement reads, or looks for in vain. It is run. */
async function lookupsOf(ask: (sql: Database) => Promise<unknown>): Promise<number> {
  const plan = await explained('(analyze, costs off, timing off)', ...(await statementsOf(ask)))
  const scans = plan.matchAll(/Scan (?:using \w+ )?on owed_delivery\b.*\(actual rows=([\d.]+) loops=(\d+)\)/g)
  return [...scans].reduce((sum, [, rows, loops]) => sum + Math.max(1, Number(rows)) * Number(loops), 0)
}

async function assertReads(ask: (sql: Database) => Promise<unknown>, indexes: readonly string[]): Promise<void> {
  for (const plan of await plansOf(ask)) {
    const scans = plan.matchAll(
      /(?:Scan using (\w+) on owed_delivery\b|Bitmap Index Scan on (owed_delivery\w*)|(Seq Scan on owed_delivery\b))/g,
    )
    const read = new Set([...scans].map(([, byIndex, byBitmap, all]) => byIndex ?? byBitmap ?? all ?? ''))
    // A row that was found is changed by its key.
    read.delete('owed_delivery_pkey')
    assert.deepEqual([...read].sort(), indexes, plan)
  }
}

before(async () => {
  bench = await openBench()
  client = await connectTo(bench.sql)
})
after(async () => {
  await client.end()
  await bench.close()
})

test('results are found by their ids, also by a plan that was made while nothing was owed', async () => {
  await bench.sql.unsafe('vacuum analyze owed_delivery')
  const { merchantId } = await bench.newShop()
  const held = heldFor(await newLane(bench.sql, merchantId))
  for (const statuses of [[200], [500], [200, 500]]) {
    const results = statuses.map(status => resultOf(held, now, status))
    const settle = (sql: Database) => settleAttempts(sql, merchantId, holder, results)
    await assertReads(settle, [])
    for (const plan of await plansOf(settle)) {
      const byKey = [...plan.matchAll(/using owed_delivery_pkey on owed_delivery\b[^\n]*\n\s*Index Cond: ([^\n]*)/g)]
      assert.ok(byKey.length > 0, plan)
      for (const [, condition = ''] of byKey) assert.match(condition, /merchant_id = .* AND \(id = /, plan)
    }
  }
})

function heldFor(name: LaneName): HeldDelivery {
  return {
    ...{
      ...name,
      id: randomUUID() as DeliveryId,
      holder,
      claimId: claiming.id,
      attempts: 0,
      state: 'pending',
      scheduledMade: 0,
    },
    ...{
      url: 'http://merchant.test/',
      timeoutMs: 1_000,
      standardWebhooks: false,
      sendsJson: false,
      endpointFails: false,
      keyId: '',
      details: '{}',
    },
    ...{ originalAt: null, lastAt: null, resendAt: null, createdAt: now },
  }
}

/** One large merchant among many small ones: what a planner knows of merchants then is no longer true of this one. */
async function addSmallMerchants(sql: Database): Promise<void> {
  await sql.unsafe(`
    create temporary table small as select 'm_small_' || n as merchant_id, gen_random_uuid() as id from generate_series(1, 20000) n;
    insert into merchant (merchant_id, partner, partner_id, name, email, currency, created_at)
      select merchant_id, id, nextval('partner_number'), 'Small', 's@example.com', 'USD', now() from small;
    insert into merchant_key (merchant_id, id, state, public_key, private_key_sealed, currency, created_at)
      select merchant_id, id, 'current', '', '', 'USD', now() from small;
    insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
      select merchant_id, id, 'transaction', 'http://small.test/', 15, 'enabled', now() from small;
    insert into event (merchant_id, id, kind, type, details, at) select merchant_id, id, 'transaction', 'success', '{}', now() from small;
    insert into event (merchant_id, id, kind, type, details, at)
      select '${lane.merchantId}', gen_random_uuid(), 'transaction', 'success', '{}', now() from generate_series(1, 100000);
    analyze merchant, merchant_key, hook_endpoint, event, delivery, owed_delivery`)
}

test('a claim finds what it is to say by its key, also of a large merchant among 20,000 small ones', async () => {
  lane = await fill(bench.sql)
  await addSmallMerchants(bench.sql)
  for (const plan of await plansOf(async sql => takeFromLane(sql, lane, claiming))) {
    const [, condition = ''] =
      /using event_pkey on event v\b[^\n]*\n\s*Index Cond: ([^\n]*)/.exec(plan) ?? assert.fail(plan)
    assert.match(condition, /merchant_id = .*\bid = d\.event_id|\bid = d\.event_id.*merchant_id = /, plan)
  }
})

describe('among 50,000 deliveries', () => {
  test('the lanes are listed from the index of what may be claimed', () =>
    assertReads(sql => listLanes(sql), ['owed_delivery_claimable']))

  test('a claim reads that index', () =>
    assertReads(async sql => takeFromLane(sql, lane, claiming), ['owed_delivery_claimable']))

  test('one that goes on reads it as well, and of it no more than it takes, whatever is in hand', async () => {
    const goOn = async (sql: Database) =>
      takeFromLane(sql, lane, { ...claiming, id: randomUUID() as ClaimId, limit: 32, goesOn: true })
    await assertReads(goOn, ['owed_delivery_claimable'])
    for (const plan of await plansOf(goOn)) assert.match(plan, /Index Cond: .*ROW\(due_at, id\) > ROW\(/, plan)
    for (const inHand of [0, 32, 64, 96]) {
      const plan = await explained('(analyze, costs off, timing off)', ...(await statementsOf(goOn)))
      const [, rows] =
        /using owed_delivery_claimable on owed_delivery\b.*\(actual rows=([\d.]+) loops=1\)/.exec(plan) ?? []
      assert.equal(Number(rows), 32, plan)
      assert.doesNotMatch(plan, /Rows Removed by Filter/, `${inHand} in hand`)
    }
  })

  test('what is parked is found, parked and let go by the indexes of what may be claimed and what is parked', async () => {
    await assertReads(async sql => putAside(sql, lane, 'paused', { now, limit }), ['owed_delivery_claimable'])
    await assertReads(sql => unparkLane(sql, lane, limit), ['owed_delivery_parked'])
    await assertReads(sql => findParkedInVain(sql), ['owed_delivery_parked'])
  })

  test('what is parked in vain is found by one row of each lane that has some', async () => {
    assert.equal(await lookupsOf(sql => findParkedInVain(sql)), 20 + 1, 'and one to see that there is no other')
  })

  test('what a deleted endpoint is no longer owed is found by both', () =>
    assertReads(
      async sql => putAside(sql, lane, 'deleted', { now, limit }),
      ['owed_delivery_claimable', 'owed_delivery_parked'],
    ))

  test('what a worker holds, living or dead, is found by its name', async () => {
    await assertReads(sql => listNewborn(sql, holder), ['owed_delivery_held'])
    await assertReads(sql => findDeadHolders(sql), ['owed_delivery_held'])
    await assertReads(sql => freeNewbornOf(sql, { merchantId: lane.merchantId, holder, limit }), ['owed_delivery_held'])
  })
})
