// A gateway's name for a card stands for one card here, however often and by however many it is brought; and a copy that is
// made while its card is being removed is removed too.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { after, before, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { Gateway, StoredCard } from '../src/core/gateway.ts'
import type { GatewayId, MerchantId } from '../src/core/ids.ts'
import { type Foundation, openFoundation } from '../src/foundation.ts'
import { cardCopier, cardRemover, cardStorer } from '../src/join-cards.ts'
import type { Joined } from '../src/join-core.ts'
import { join } from '../src/join-work.ts'
import { newGatewayId } from '../src/keys/new-ids.ts'
import { openLog } from '../src/observe/log.ts'
import { openMetrics } from '../src/observe/metrics.ts'
import { createMerchant } from '../src/setup/merchant.ts'
import { insertGateway } from '../src/store/gateways.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let dataFolder: string
let foundation: Foundation
let joined: Joined
let merchantId: MerchantId
let first: GatewayId
const second = newGatewayId()
before(async () => {
  database = await freshDatabase()
  dataFolder = await mkdtemp(joinPath(tmpdir(), 'tillbell-cards-'))
  const log = openLog('silent')
  foundation = await openFoundation(readConfig({ TILLBELL_DATA: dataFolder, DATABASE_URL: database.url }), 'guest', log)
  const { sql, sealer, newUuid, clock } = foundation
  const world = { sql, sealer, mode: 'sandbox' as const, now: clock.now, newUuid }
  const made = await createMerchant(world, { name: 'Shop', email: 'shop@example.com' })
  assert.ok(made.gateway !== null)
  merchantId = made.merchant
  first = made.gateway
  await connect(second, null)
  joined = join(foundation, log, openMetrics(), { mode: 'sandbox', baseUrl: 'http://tillbell.test' })
})
after(async () => {
  await foundation.close()
  await database.drop()
  await rm(dataFolder, { recursive: true, force: true })
})

function connect(id: GatewayId, account: string | null) {
  const gateway = { merchantId, id, type: 'test', isDefault: false, fallback: null, status: 'active' } as const
  const kept = { credentialsSealed: Buffer.alloc(1), account }
  return foundation.sql.begin(scope => insertGateway(scope, { ...gateway, ...kept, createdAt: new Date() }))
}

/** Gateways that call a card what they are given, as those do whose cards have their names already; or so. */
function withVaults(
  removing: (gatewayId: GatewayId) => Promise<unknown> = async () => null,
  nameOf = (reference: string) => reference,
) {
  const removed: string[] = []
  const described: Omit<StoredCard, 'cardRef'> = {
    kind: 'stored',
    mask: '1881',
    type: 'visa',
    expiryMonth: 3,
    expiryYear: 2040,
    fingerprint: 'print',
  }
  const openGateway = async (_: MerchantId, id: GatewayId): Promise<Gateway> => ({
    ...(await joined.ports.openGateway(merchantId, first)),
    storeCard: async card => ('reference' in card ? { ...described, cardRef: nameOf(card.reference) } : assert.fail()),
    async removeCard(cardRef) {
      await removing(id)
      removed.push(`${id} ${cardRef}`)
      return { kind: 'removed' }
    },
  })
  const world: Joined = { ...joined, ports: { ...joined.ports, openGateway } }
  return {
    removed,
    store: cardStorer(foundation, world),
    copy: cardCopier(foundation, world),
    remove: cardRemover(foundation, world),
  }
}

const asked = (reference: string, email = 'ada@example.com') => ({
  email,
  firstName: null,
  lastName: null,
  gatewayId: null,
  card: { reference },
})

async function storedBy(store: ReturnType<typeof cardStorer>, reference: string) {
  const result = await store(merchantId, asked(reference))
  assert.ok('stored' in result)
  return result.stored
}

test('brought ten times at once it is one card', async () => {
  const { store } = withVaults()
  const all = await Promise.all(Array.from({ length: 10 }, () => storedBy(store, 'pm_once')))
  assert.equal(new Set(all.map(({ card }) => card.token)).size, 1)
})

test('it is nobody else’s', async () => {
  const { store } = withVaults()
  await storedBy(store, 'pm_ada')
  assert.deepEqual(await store(merchantId, asked('pm_ada', 'eve@example.com')), { kind: 'of another customer' })
})

test('a copy that is made again is the copy that is there, and no other card’s', async () => {
  const { store, copy } = withVaults()
  const card = await storedBy(store, 'pm_1')
  const other = await storedBy(store, 'pm_2')
  const at = { gatewayId: second, reference: 'pm_copy' }
  const copied = await copy(merchantId, card, at)
  assert.ok('stored' in copied)
  assert.deepEqual(copied.stored.vaults, [
    { gatewayId: first, cardRef: 'pm_1' },
    { gatewayId: second, cardRef: 'pm_copy' },
  ])
  assert.deepEqual(await copy(merchantId, copied.stored, at), copied)
  assert.deepEqual(await copy(merchantId, other, at), { kind: 'a card of its own' })
  const again = await store(merchantId, { ...asked('pm_copy'), gatewayId: second })
  assert.ok('stored' in again)
  assert.equal(again.stored.card.token, card.card.token, 'the name of a copy names its card')
})

test('a copy that the gateway has a longer name for is made again by its reference, also at once', async () => {
  const { store, copy } = withVaults(undefined, reference => `cus_1/${reference}`)
  const card = await storedBy(store, 'pm_3')
  const at = { gatewayId: second, reference: 'pm_copy_3' }
  const copies = await Promise.all(Array.from({ length: 10 }, () => copy(merchantId, card, at)))
  const [copied] = copies
  assert.ok(copied !== undefined && 'stored' in copied)
  for (const each of copies) assert.deepEqual(each, copied)
  assert.deepEqual(await copy(merchantId, copied.stored, at), copied)
  const another = await copy(merchantId, copied.stored, { ...at, reference: 'pm_another' })
  assert.deepEqual(another, { kind: 'there already' })
})

test('a removed card leaves its name free', async () => {
  const { store, remove } = withVaults()
  const card = await storedBy(store, 'pm_free')
  assert.equal(await remove(merchantId, card), 'removed')
  assert.notEqual((await storedBy(store, 'pm_free')).card.token, card.card.token)
})

test('a copy that comes while its card is removed is removed at its gateway too', async () => {
  const { store, copy } = withVaults()
  const card = await storedBy(store, 'pm_leaving')
  let came = false
  const { remove, removed } = withVaults(async () => {
    if (came) return
    came = true
    assert.ok('stored' in (await copy(merchantId, card, { gatewayId: second, reference: 'pm_late' })))
  })
  assert.equal(await remove(merchantId, card), 'removed')
  assert.deepEqual([...new Set(removed)].sort(), [`${first} pm_leaving`, `${second} pm_late`].sort())
  assert.deepEqual(await copy(merchantId, card, { gatewayId: second, reference: 'pm_later' }), { kind: 'gone' })
})

test('an account is connected once', async () => {
  assert.equal(typeof (await connect(newGatewayId(), 'acct_1')), 'object')
  assert.equal(await connect(newGatewayId(), 'acct_1'), 'connected')
})
