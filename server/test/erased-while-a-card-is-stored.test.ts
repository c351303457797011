// A customer who is erased at the moment at which a card is stored leaves no card behind, neither here nor in a vault.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { after, before, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { MerchantId } from '../src/core/ids.ts'
import { type Foundation, openFoundation } from '../src/foundation.ts'
import { byTheMerchant, cardStorerWith, customerEraser, type Keeping } from '../src/join-cards.ts'
import type { Joined } from '../src/join-core.ts'
import { join } from '../src/join-work.ts'
import { openLog } from '../src/observe/log.ts'
import { openMetrics } from '../src/observe/metrics.ts'
import { createMerchant } from '../src/setup/merchant.ts'
import { eraseCustomer, findCustomerByEmail } from '../src/store/erasure.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { until } from './support/until.ts'
import { waiters } from './support/while-held.ts'

let database: TestDatabase
let dataFolder: string
let foundation: Foundation
let joined: Joined

before(async () => {
  database = await freshDatabase()
  dataFolder = await mkdtemp(joinPath(tmpdir(), 'tillbell-erased-'))
  const log = openLog('silent')
  foundation = await openFoundation(readConfig({ TILLBELL_DATA: dataFolder, DATABASE_URL: database.url }), 'guest', log)
  joined = join(foundation, log, openMetrics(), { mode: 'sandbox', baseUrl: 'https://pay.example' })
})
after(async () => {
  await foundation.close()
  await database.drop()
  await rm(dataFolder, { recursive: true })
})

async function newMerchant(): Promise<MerchantId> {
  const { sql, sealer, clock, newUuid } = foundation
  const world = { sql, sealer, mode: 'sandbox' as const, now: clock.now, newUuid }
  return (await createMerchant(world, { name: 'Shop', email: `${newUuid()}@example.com` })).merchant
}

const email = 'ada@example.com'

/** As somebody does who pays on the page and has proven nothing. `beforeCommit` holds the commit up. */
function storeCard(merchant: MerchantId, beforeCommit: () => Promise<void> = async () => {}) {
  const keeping: Keeping = { ...byTheMerchant, refreshesCustomer: false }
  const card = { number: '4111111111111111', expiryMonth: 12, expiryYear: 2099, cvc: '123' }
  const asked = { email, firstName: 'Ada', lastName: null, gatewayId: null, card }
  return cardStorerWith(foundation, joined)(merchant, asked, keeping, async () => {
    await beforeCommit()
    return true
  })
}

async function left(merchant: MerchantId) {
  const { sql } = foundation
  const [row] = await sql`select
    (select count(*)::int from card where merchant_id = ${merchant} and removed_at is null) as cards,
    (select count(*)::int from sandbox_card where account in (select id from gateway where merchant_id = ${merchant})) as vault,
    (select count(*)::int from customer where merchant_id = ${merchant} and email is not null) as customers`
  return { ...row }
}

const isWaitedFor = () => until('somebody waits', async () => (await waiters(foundation.sql)).length > 0)

test('a card that is stored while its customer is erased is taken out of its vault with the others', async () => {
  const merchant = await newMerchant()
  await storeCard(merchant)
  const [held, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const storing = storeCard(merchant, () => {
    held.resolve()
    return goOn.promise
  })
  await held.promise
  const erasing = customerEraser(foundation, joined)(merchant, email)
  await isWaitedFor().finally(goOn.resolve)
  assert.equal(await erasing, 'erased')
  await storing
  assert.deepEqual(await left(merchant), { cards: 0, vault: 0, customers: 0 })
})

test('a card that comes just after the erasure belongs to a customer anew', async () => {
  const merchant = await newMerchant()
  const { sql, clock } = foundation
  await sql`insert into customer (merchant_id, id, email, created_at) values (${merchant}, gen_random_uuid(), ${email}, now())`
  const id = (await findCustomerByEmail(sql, merchant, email)) ?? assert.fail()
  const held = Promise.withResolvers<void>()
  const erasing = sql.begin(async scope => {
    await scope`select from customer where merchant_id = ${merchant} and id = ${id} for update`
    held.resolve()
    await isWaitedFor()
    assert.equal(await eraseCustomer(scope, merchant, id, clock.now()), true)
  })
  await held.promise
  const stored = await storeCard(merchant)
  await erasing
  assert.ok(typeof stored === 'object' && 'stored' in stored)
  assert.equal(stored.stored.customer.email, email)
  assert.notEqual(stored.stored.customer.id, id)
  assert.deepEqual(await left(merchant), { cards: 1, vault: 1, customers: 1 })
})

test('while a card is left nothing is erased', async () => {
  const merchant = await newMerchant()
  const { sql, clock } = foundation
  await storeCard(merchant)
  const id = (await findCustomerByEmail(sql, merchant, email)) ?? assert.fail()
  assert.equal(await sql.begin(scope => eraseCustomer(scope, merchant, id, clock.now())), false)
  assert.deepEqual(await left(merchant), { cards: 1, vault: 1, customers: 1 })
})
