// Whoever tries too often waits, whichever process is asked, and only at the merchant where it was; what came to a success
// does not count.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { type TryKind, tryLimits } from '../src/core/tries.ts'
import { tries } from '../src/join-tries.ts'
import { newMerchantId } from '../src/keys/new-ids.ts'
import { connect, type Database } from '../src/store/database.ts'
import { writeSetting } from '../src/store/settings.ts'
import { forgetTries, triesMs } from '../src/store/tries.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let other: Database
let merchant: MerchantId
const lastingKeys = { tries: Buffer.alloc(32, 7) }
const kinds = Object.keys(tryLimits) as TryKind[]

before(async () => {
  database = await freshDatabase()
  other = connect({ address: database.url, connectionsMax: 5, name: 'another process' })
  merchant = await newMerchant()
})
after(async () => {
  await other.end()
  await database.drop()
})

async function newMerchant(): Promise<MerchantId> {
  const id = newMerchantId()
  await database.sql`insert into merchant (merchant_id, partner, partner_id, name, email, currency, created_at)
    values (${id}, gen_random_uuid(), (select count(*) from merchant), 'Shop', ${`${id}@example.com`}, 'USD', now())`
  return id
}

const counting = () => tries({ sql: database.sql, lastingKeys })

async function takeAll(kind: TryKind, name: string): Promise<void> {
  const { take } = counting()
  const all = await Promise.all(Array.from({ length: tryLimits[kind].atOnce }, () => take(merchant, kind, name)))
  assert.ok(all.every(({ ok }) => ok))
}

async function passMinutes(minutes: number): Promise<void> {
  await database.sql`update tries set at = at - ${minutes} * interval '1 minute'`
}

/** What is full again by now. */
const forget = () => forgetTries(database.sql, new Date(Date.now() - triesMs), 1_000)

const isRefused = async (kind: TryKind, name: string) => !(await counting().take(merchant, kind, name)).ok

test('of many who try at once, in two processes, as many may as there are tries', async () => {
  const processes = [counting(), tries({ sql: other, lastingKeys })]
  for (const kind of kinds) {
    const all = await Promise.all(
      Array.from({ length: tryLimits[kind].atOnce + 20 }, (_, index) =>
        processes[index % 2]?.take(merchant, kind, 'at once'),
      ),
    )
    assert.equal(all.filter(each => each?.ok).length, tryLimits[kind].atOnce, kind)
  }
})

test('who is refused is told how long to wait, and may then try once', async () => {
  for (const kind of kinds) {
    await takeAll(kind, 'patient')
    const refused = await counting().take(merchant, kind, 'patient')
    const betweenS = 3_600 / tryLimits[kind].perHour
    assert.ok(!refused.ok && refused.retryAfterS > betweenS - 60 && refused.retryAfterS <= betweenS, kind)
    await passMinutes(betweenS / 60)
    assert.deepEqual(await counting().take(merchant, kind, 'patient'), { ok: true }, kind)
    assert.ok(await isRefused(kind, 'patient'), kind)
  }
})

test('being refused makes nobody wait longer', async () => {
  await takeAll('card', 'impatient')
  for (let second = 0; second < 6; second++) {
    await passMinutes(1)
    assert.equal(await isRefused('card', 'impatient'), second < 5)
  }
})

test('a try that came to a success is given back, and no more than that', async () => {
  const { take, giveBack } = counting()
  await takeAll('card', 'good')
  await giveBack(merchant, 'card', 'good')
  assert.deepEqual(await take(merchant, 'card', 'good'), { ok: true })
  assert.ok(await isRefused('card', 'good'))
  for (let times = 0; times < 100; times++) await giveBack(merchant, 'card', 'good')
  await takeAll('card', 'good')
  assert.ok(await isRefused('card', 'good'))
})

test('however long nobody tried, there are never more than at first', async () => {
  await takeAll('mail', 'rare')
  await passMinutes(60 * 24)
  await takeAll('mail', 'rare')
  assert.ok(await isRefused('mail', 'rare'))
})

test('what is left is known without taking it, and is what would be said of a try', async () => {
  const { take, left, giveBack } = counting()
  const rows = async () => (await database.sql`select from tries`).length
  const before = await rows()
  for (let times = 0; times < 100; times++) assert.deepEqual(await left(merchant, 'card', 'looks'), { ok: true })
  assert.equal(await rows(), before, 'looking writes nothing')
  await takeAll('card', 'looks')
  const refused = await left(merchant, 'card', 'looks')
  assert.ok(!refused.ok && refused.retryAfterS > 300 && refused.retryAfterS <= 360)
  await passMinutes(6)
  for (let times = 0; times < 100; times++) assert.deepEqual(await left(merchant, 'card', 'looks'), { ok: true })
  assert.deepEqual(await take(merchant, 'card', 'looks'), { ok: true })
  assert.ok(!(await left(merchant, 'card', 'looks')).ok)
  await giveBack(merchant, 'card', 'looks')
  assert.deepEqual(await left(merchant, 'card', 'looks'), { ok: true })
})

test('names, kinds and merchants are counted apart, and a network as one', async () => {
  const { take, left } = counting()
  for (const kind of ['address', 'waiting', 'ask'] as const) {
    await takeAll(kind, '2001:db8:0:7::1')
    assert.ok(await isRefused(kind, '2001:db8:0:7:aaaa::2'), kind)
    assert.ok(!(await left(merchant, kind, '2001:db8:0:7:aaaa::2')).ok, kind)
    assert.deepEqual(await take(merchant, kind, '2001:db8:0:8::1'), { ok: true }, kind)
  }
  assert.deepEqual(await take(merchant, 'card', '2001:db8:0:7::1'), { ok: true })
  assert.deepEqual(await take(await newMerchant(), 'address', '2001:db8:0:7::1'), { ok: true })
})

test('nobody can read who has tried, not even by guessing names', async () => {
  const name = 'ada@example.com'
  await counting().take(merchant, 'mail', name)
  const count = async () => (await database.sql`select from tries`).length
  const before = await count()
  await counting().take(merchant, 'mail', name)
  assert.equal(await count(), before)
  await tries({ sql: database.sql, lastingKeys: { tries: Buffer.alloc(32, 8) } }).take(merchant, 'mail', name)
  assert.equal(await count(), before + 1, 'the name is kept under a key')
})

test('what is full again is forgotten, and nothing else', async () => {
  await database.sql`delete from tries`
  for (const kind of kinds) await takeAll(kind, 'old')
  await passMinutes(59)
  await takeAll('card', 'new')
  await forget()
  assert.equal((await database.sql`select from tries`).length, kinds.length + 1)
  await passMinutes(2)
  await forget()
  assert.equal((await database.sql`select from tries`).length, 1)
  assert.ok(await isRefused('card', 'new'))
})

// Last: the clock goes on for everybody.
test('where the sandbox moves its clock, nobody has to wait', async () => {
  await takeAll('card', 'hasty')
  assert.ok(await isRefused('card', 'hasty'))
  await writeSetting(database.sql, 'clock_offset_ms', 3_600_000)
  assert.equal(await isRefused('card', 'hasty'), false)
})
