// Sealing again, value by value: what somebody changes in the same moment stays changed, and keys that must last do.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { GatewayId, MerchantId } from '../src/core/ids.ts'
import { type Foundation, openFoundation } from '../src/foundation.ts'
import { createSealer } from '../src/keys/sealing.ts'
import { lastingUses } from '../src/lasting-keys.ts'
import { openLog } from '../src/observe/log.ts'
import { countSealed, reseal } from '../src/reseal.ts'
import { belongsTo, createMerchant, type MerchantSetup } from '../src/setup/merchant.ts'
import { findGateway } from '../src/store/gateways.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { holdsUp } from './support/holds-up.ts'
import { sealedWith } from './support/sealed-scan.ts'
import { until } from './support/until.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const turned = createSealer([newKey, oldKey])

let database: TestDatabase
let shop: MerchantSetup & { readonly gateway: GatewayId }
before(async () => {
  database = await freshDatabase()
  const foundation = await withKeys(oldKey)
  const { sql, sealer, clock, newUuid } = foundation
  const world = { sql, sealer, mode: 'sandbox' as const, now: clock.now, newUuid }
  const made = await createMerchant(world, { name: 'Shop', email: 'shop@example.com' })
  shop = { ...made, gateway: made.gateway ?? assert.fail() }
  await foundation.close()
})
after(() => database.drop())

function withKeys(...keys: readonly Buffer[]): Promise<Foundation> {
  const TILLBELL_SECRET_KEY = keys.map(key => key.toString('base64')).join()
  return openFoundation(readConfig({ DATABASE_URL: database.url, TILLBELL_SECRET_KEY }), 'guest', openLog('silent'))
}

const ownerOf = (id: GatewayId) => belongsTo.credentials(shop.merchant, id)
const kept = async () =>
  (await findGateway(database.sql, shop.merchant, shop.gateway))?.credentialsSealed ?? assert.fail()

async function keep(sealed: Buffer, scope: Pick<TestDatabase, 'sql'>['sql'] = database.sql): Promise<void> {
  await scope`update gateway set credentials_sealed = ${sealed} where id = ${shop.gateway}`
}

test('lasting keys are those of the key that everything was sealed with, also where both come at once', async () => {
  const first = await withKeys(oldKey)
  await first.close()
  for (const use of lastingUses) assert.deepEqual(first.lastingKeys[use], createSealer([oldKey]).derive(use)[0])
  // As a version leaves it that had no lasting keys.
  await database.sql`delete from setting where name like 'key of %'`
  const both = await withKeys(newKey, oldKey)
  await both.close()
  assert.deepEqual(both.lastingKeys, first.lastingKeys)
})

test('what is changed while it is sealed again stays as it was changed', async () => {
  const { sql } = database
  await keep(createSealer([oldKey]).seal('{"url": "https://before.example"}', ownerOf(shop.gateway)))
  const changed = turned.seal('{"url": "https://after.example"}', ownerOf(shop.gateway))
  const held = await sql.reserve()
  await held`begin`
  await held`update gateway set credentials_sealed = ${changed} where id = ${shop.gateway}`
  const resealing = reseal(sql, turned)
  await until('it waits for who changes it', () => holdsUp(held))
  await held`commit`
  held.release()
  const { again } = await resealing
  assert.deepEqual(await kept(), changed)
  assert.equal(again['gateway.credentials_sealed'], 0)
  assert.ok(again['merchant_key.private_key_sealed'] > 0)
  assert.deepEqual(await sealedWith(oldKey, sql), {})
})

test('what a process seals with the old key while it runs is found by the next look', async () => {
  const { sql } = database
  const all = await countSealed(sql, turned)
  assert.ok(all.byKey[1] !== undefined && Object.values(all.byKey[1]).every(count => count === 0))
  await keep(createSealer([oldKey]).seal('{}', ownerOf(shop.gateway)))
  const { again, found } = await reseal(sql, turned)
  assert.deepEqual([again['gateway.credentials_sealed'], found], [1, all])
})

test('more than a page is sealed again', async () => {
  const { sql } = database
  const ids = Array.from({ length: 450 }, (_, index) => `gw_${index}` as GatewayId)
  const sealed = ids.map(id => createSealer([oldKey]).seal('{}', ownerOf(id)))
  await sql`insert into gateway (merchant_id, id, type, credentials_sealed, is_default, status, created_at)
    select ${shop.merchant satisfies MerchantId}, id, 'test', sealed, false, 'inactive', now()
    from unnest(${ids}::text[], ${sealed}::bytea[]) as new (id, sealed)`
  const { again, found } = await reseal(sql, turned)
  assert.deepEqual([again['gateway.credentials_sealed'], found.unopened], [450, []])
  assert.deepEqual(await sealedWith(oldKey, sql), {})
})
