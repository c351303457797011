// TILLBELL_SECRET_KEY is replaced by another while the service runs: two processes are restarted one after the other, everything is sealed
// again, the old key is thrown away, and nobody notices.

import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import type { GatewayId, MerchantId } from '../src/core/ids.ts'
import { newGatewayId } from '../src/keys/new-ids.ts'
import { createSealer } from '../src/keys/sealing.ts'
import { belongsTo } from '../src/setup/merchant.ts'
import { schemaName } from '../src/store/database.ts'
import { sealedPlaces } from '../src/store/sealed-values.ts'
import { addSealingKey, readSetting } from '../src/store/settings.ts'
import { answered } from './support/answers.ts'
import { clientOf, refusedWith, tillbell } from './support/command.ts'
import { signedIn } from './support/console.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'
import { holdsUp } from './support/holds-up.ts'
import { startReceiver } from './support/hook-receiver.ts'
import { startEndpoint } from './support/merchant-endpoint.ts'
import { codeNow, withSecondFactor } from './support/people.ts'
import { end, spawnService, spawnTillbell } from './support/process.ts'
import { sealedWith } from './support/sealed-scan.ts'
import { sellMeanwhile, startTwo, type TwoServices } from './support/two-services.ts'
import { until } from './support/until.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const [old, fresh] = [oldKey.toString('base64'), newKey.toString('base64')]
const [oldName = '', newName = ''] = createSealer([oldKey, newKey]).keyNames
/** More than a page of them. */
const idleGateways = 230

let database: TestDatabase
let services: TwoServices
before(async () => {
  database = await emptyDatabase()
  services = await startTwo(database.url, old)
})
after(async () => {
  await services.stop()
  await database.drop()
})

const places = Object.keys(sealedPlaces).sort()
const found = async (key: Buffer) => Object.keys(await sealedWith(key, database.sql)).sort()

/** Something in every place, and what tells later whether it still works. */
async function sealOneOfEach(t: TestContext, endpointUrl: string) {
  const { sheet, baseUrls } = services
  const client = clientOf(sheet, baseUrls[0])
  const form = { kind: 'transaction', url: endpointUrl, standard_webhooks: 'true' }
  const asked = { form, headers: { 'idempotency-key': 'an-endpoint' } }
  const endpoint = answered(await client.ask('hook_endpoints', asked), 200)
  const person = await signedIn(baseUrls[0] ?? '', sheet.dashboard)
  const { secret: totp } = await withSecondFactor(person, sheet.dashboard)
  const mail = ['mail', 'send', '--from', 'ada@example.com', '--offer', sheet.offer, '--port', `${services.mailPort()}`]
  const sent = await tillbell(t, mail, services.with(old))
  assert.equal(sent.code, 0, sent.stderr + sent.stdout)
  await addIdleGateways(sheet.merchant as MerchantId)
  return { asked, endpoint, person, totp, card: await client.storeCard() }
}

async function addIdleGateways(merchantId: MerchantId): Promise<void> {
  const sealer = createSealer([oldKey])
  const ids = Array.from({ length: idleGateways }, newGatewayId)
  const sealed = ids.map((id: GatewayId) =>
    sealer.seal('{"url": "https://gateway.example"}', belongsTo.credentials(merchantId, id)),
  )
  await database.sql`insert into gateway (merchant_id, id, type, credentials_sealed, is_default, status, created_at)
    select ${merchantId}, id, 'test', sealed, false, 'inactive', now() from unnest(${ids}::text[], ${sealed}::bytea[]) as new (id, sealed)`
}

/** In the middle of its work: a row that it comes to, and that no sale needs, is held until it is dead. */
async function killInTheMiddle(): Promise<void> {
  const held = await database.sql.reserve()
  try {
    await held`begin`
    await held`select from gateway
      where id = (select id from gateway where status = 'inactive' order by merchant_id, id offset ${idleGateways - 10} limit 1)
      for update`
    const child = spawnTillbell(['secret-key', 'reseal'], services.with(`${fresh},${old}`))
    await until('it waits for the row', async () => (await holdsUp(held)) || child.exitCode !== null, 60_000)
    assert.equal(child.exitCode, null)
    await end(child)
  } finally {
    await held`rollback`
    held.release()
  }
}

const reseal = (t: TestContext, keys: string) => tillbell(t, ['secret-key', 'reseal'], services.with(keys))

test('every column for sealed values is one that is sealed again', async () => {
  const columns = await database.sql<{ name: string }[]>`select table_name || '.' || column_name as name
    from information_schema.columns where table_schema = ${schemaName} and column_name like '%\_sealed'`
  assert.ok(columns.length >= 5)
  for (const { name } of columns) assert.ok(places.includes(name), name)
})

test('a secret key is replaced under load, and nothing is lost', { timeout: 300_000 }, async t => {
  const { sheet, baseUrls } = services
  const [plain, standard] = [
    await startReceiver(sheet.private_key),
    await startEndpoint(response => void response.writeHead(200).end()),
  ]
  t.after(() => Promise.all([plain.close(), standard.close()]))
  const client = clientOf(sheet, baseUrls[0])
  answered(await client.ask('hook_endpoints', { form: { kind: 'generic', url: plain.url } }), 200)
  const before = await sealOneOfEach(t, standard.url)
  assert.deepEqual(await found(oldKey), places, 'there is something in every place')
  assert.deepEqual(await found(newKey), [])
  const selling = sellMeanwhile(services)
  t.after(() => selling.end().catch(() => {}))

  for (const index of [0, 1]) await services.restart(index, `${old},${fresh}`)
  await services.restart(0, `${fresh},${old}`)
  // The other still seals with the old one.
  refusedWith(
    await reseal(t, `${fresh},${old}`),
    1,
    new RegExp(`seals with ${oldName}, and this one with ${newName}\\.`),
  )
  assert.deepEqual(await found(oldKey), places)
  await services.restart(1, `${fresh},${old}`)

  const third = randomBytes(32).toString('base64')
  for (const keys of [old, `${third},${old}`]) {
    const refusal = new RegExp(`seals with the key ${newName} was started`)
    await assert.rejects(spawnService(services.with(keys)), refusal)
  }
  assert.deepEqual(await readSetting(database.sql, 'sealing_keys'), [oldName, newName])

  await killInTheMiddle()
  const [byOld, byNew] = [await sealedWith(oldKey, database.sql), await sealedWith(newKey, database.sql)]
  const counts = [byNew, byOld].map(by => by['gateway.credentials_sealed'] ?? 0)
  assert.ok((counts[0] ?? 0) > 200 && (counts[1] ?? 0) > 0, `${counts}`)
  refusedWith(
    await tillbell(t, ['migrate'], services.with(fresh)),
    3,
    new RegExp(`was not sealed with the key ${newName}`),
  )

  const ended = await reseal(t, `${fresh},${old}`)
  assert.equal(ended.code, 0, ended.stderr)
  assert.match(ended.stdout, new RegExp(`are sealed with ${newName}\\. None is with ${oldName}: take it out of `))
  assert.deepEqual(await found(oldKey), [], 'nothing is sealed with the old key')
  assert.deepEqual(await found(newKey), places)

  assert.deepEqual(await readSetting(database.sql, 'sealing_keys'), [newName])

  const sold = await selling.end()
  await Promise.all([0, 1].map(index => services.restart(index, fresh)))
  await stillWorks(before, standard)
  assert.ok(sold.length > 0)
  await until('every sale is told', async () => sold.every(id => plain.accepted.has(`${id} success`)), 60_000)
  assert.equal(plain.badSignatures, 0)
  refusedWith(await tillbell(t, ['migrate'], services.with(old)), 3, /does not open with this TILLBELL_SECRET_KEY/)
  const status = JSON.parse((await tillbell(t, ['secret-key', 'status', '--json'], services.with(fresh))).stdout)
  assert.deepEqual([status.keys.length, status.keys[0].key, status.unopened], [1, newName, []])
  assert.deepEqual(
    status.processes.map(({ keys }: { keys: string[] }) => keys),
    [[newName], [newName]],
  )
})

type Before = Awaited<ReturnType<typeof sealOneOfEach>>

async function stillWorks(before: Before, standard: Awaited<ReturnType<typeof startEndpoint>>): Promise<void> {
  const { sheet, baseUrls } = services
  const client = clientOf(sheet, baseUrls[1])
  const again = answered(await client.ask('hook_endpoints', before.asked), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [before.endpoint.text, 'true'])
  const cards = [before.card, await client.storeCard()]
  const prints = await database.sql`select distinct fingerprint from card where token = any(${cards})`
  assert.equal(prints.length, 1, 'the same card is known to be the same')
  const { id } = answered(await client.charge(sheet.offer, before.card), 200).json.transaction
  const told = () => standard.received.find(({ body }) => body.includes(id))
  await until('the sale is told', async () => told() !== undefined)
  assert.ok(isSigned(told() ?? assert.fail(), before.endpoint.json.hook_endpoint.secret))
  const { dashboard } = sheet
  const person = await signedIn(baseUrls[1] ?? '', { ...dashboard, code: codeNow(before.totp, 1) } as typeof dashboard)
  const headers = { 'Idempotency-Key': 'shown' }
  const made = await person.ask('api_keys', { method: 'POST', json: { name: 'Another' }, headers })
  assert.equal(made.status, 200, made.text)
  assert.equal((await before.person.ask('me')).status, 200, 'who was signed in still is')
}

function isSigned(
  { rawHeaders, body }: { readonly rawHeaders: readonly string[]; readonly body: string },
  secret: string,
): boolean {
  const header = (name: string) => rawHeaders[rawHeaders.findIndex(each => each.toLowerCase() === name) + 1] ?? ''
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const said = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`
  return header('webhook-signature') === `v1,${createHmac('sha256', key).update(said).digest('base64')}`
}

test('a key that a service was started with once, and that is lost, keeps nobody out for good', async t => {
  assert.deepEqual(await addSealingKey(database.sql, ['0a1b2c3d', newName]), [])
  await assert.rejects(spawnService(services.with(fresh)), /seals with the key 0a1b2c3d was started.* If it is lost/)
  const ended = await reseal(t, fresh)
  assert.equal(ended.code, 0, ended.stderr)
  await (await spawnService({ ...services.with(fresh), TILLBELL_PORT: '0', TILLBELL_LOG: 'info' })).kill()
})

test('a value that opens with none of the keys is named, and is not shown', async t => {
  const { merchant } = services.sheet
  const id = newGatewayId()
  const sealed = createSealer([randomBytes(32)]).seal(
    '{"url": "https://lost.example"}',
    belongsTo.credentials(merchant as MerchantId, id),
  )
  await database.sql`insert into gateway (merchant_id, id, type, credentials_sealed, is_default, status, created_at)
    values (${merchant}, ${id}, 'test', ${sealed}, false, 'inactive', now())`
  for (const command of ['status', 'reseal']) {
    const { code, stdout, stderr } = await tillbell(t, ['secret-key', command], services.with(`${fresh},${old}`))
    assert.equal(code, command === 'status' ? 0 : 1, stderr)
    assert.ok(stdout.includes(`gateway.credentials_sealed of ${merchant} ${id} opens with none of the keys.`), stdout)
    assert.ok(!stdout.includes(sealed.toString('base64')) && !stdout.includes('lost'))
  }
})
