// Tokens that a merchant made with nothing but the Private Key, and what becomes of them at the service.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type AskedToken, createToken, sealToken } from '@tillbell/sdk/token'
import { registrationsOfAddress } from '../src/api/tokens.ts'
import type { MerchantId } from '../src/core/ids.ts'
import { newKeyPair } from '../src/keys/key-pair.ts'
import { deleteKey, insertNextKey, makeKeyCurrent } from '../src/store/merchant-keys.ts'
import { answered, refused } from './support/answers.ts'
import { type Answer, encodeForm, send } from './support/client.ts'
import { refusedWith, tillbell } from './support/command.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let merchant: MerchantId
before(async () => {
  service = await startTestService({ TILLBELL_TRUSTED_PROXIES: '127.0.0.1' })
  merchant = service.demoSheet.merchant as MerchantId
})
after(() => service.stop())

const keys = () => ({
  partnerId: Number(service.demoSheet.partner_id),
  privateKey: service.demoSheet.private_key,
  servicePublicKey: String(service.demoSheet.service_public_key),
})

const token = (more: Partial<AskedToken> = {}) =>
  createToken({ ...keys(), target: { email: 'ada@example.com' }, amount: '20.55', ...more })

/** The sdk makes none that has expired. */
const expired = () =>
  sealToken(
    {
      target: { email: 'ada@example.com' },
      group: '',
      amount: 20.55,
      expiresS: 1_577_836_800,
      authorizationOnly: false,
      userData: {},
    },
    keys(),
  )

let clients = 0
/** From an address of its own, unless one is named. */
function register(text: string, address = `192.0.2.${clients++ % 256}`): Promise<Answer> {
  return send(`${service.baseUrl}/token/registrations`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address },
    body: encodeForm({ token: text }),
  })
}

async function registered(text: string): Promise<string> {
  const { json } = answered(await register(text), 200)
  assert.deepEqual(json, { id: json.id, url: `${service.baseUrl}/offers/${json.id}` })
  return json.id
}

const revoke = (text: string, client = service.demo, headers = {}) =>
  client.ask('tokens/revocations', { form: { token: text }, headers })

const theOneError = { errors: { token: 'token does not open, has expired, was used up or was revoked.' } }

async function doesNotRegister(text: string): Promise<void> {
  const answer = await register(text)
  refused(answer, 422, ['token'])
  assert.deepEqual(answer.json, theOneError)
}

test('a token becomes an offer that says what it says, and pays once', async () => {
  const { demo } = service
  const userData = { item_name: 'Bell', item_details: 'Rings.', ref_id: 'r-1', custom_data: { sku: '1' } }
  const text = token({ userData, authorizationOnly: true })
  const id = await registered(text)
  assert.equal(await registered(text), id, 'the same token has the same offer')
  const { offer } = answered(await demo.ask(`offers/${id}`), 200).json
  assert.deepEqual(
    [offer.title, offer.details, offer.amount, offer.ref_id, offer.custom_data, offer.email, offer.authorization_only],
    ['Bell', 'Rings.', '20.55', 'r-1', { sku: '1' }, 'ada@example.com', true],
  )
  const paid = answered(await demo.charge(id, demo.card), 200).json.transaction
  assert.equal(paid.status, 'Authorized')
  refused(await demo.charge(id, demo.card), 422, ['service_offer'])
  await doesNotRegister(text)
})

test('JSON is taken as well, and what is missing is named', async () => {
  const post = (body: object) =>
    send(`${service.baseUrl}/token/registrations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  answered(await post({ token: token() }), 200)
  refused(await post({}), 422, ['token'])
  refused(await post({ token: 1 }), 422, ['token'])
})

test('twenty who show a token at the same moment find one offer', async () => {
  const { sql } = service.database
  const text = token({ target: { url: 'https://shop.example/20' } })
  const ids = await Promise.all(Array.from({ length: 20 }, () => registered(text)))
  assert.equal(new Set(ids).size, 1)
  const [row] = await sql<{ offers: number; tokens: number }[]>`
    select (select count(*)::int from offer where page_url = 'https://shop.example/20') as offers,
      (select count(*)::int from token where offer_id = ${ids[0] ?? ''}) as tokens`
  assert.deepEqual(row, { offers: 1, tokens: 1 })
})

test('every offer is bound to its own token, and stands for nothing else', async () => {
  const { demo, database } = service
  const id = await demo.makeOffer({ amount: '5.00', email: 'ada@example.com' })
  await demo.makeOffer({ amount: '100000.00' })
  const [own] = await database.sql<{ tokenContent: string }[]>`select token_content from offer where id = ${id}`
  assert.equal(await registered(own?.tokenContent ?? ''), id)
  const unbound = await database.sql`select from offer o where token_content <> '' and not exists (select from token t
    where t.offer_id = o.id and t.box_sha256 = sha256(substring(decode(translate(
      regexp_replace(token_content, '^@([^~@]*~)?|@$', '', 'g'), '-_', '+/'), 'base64') from 33)))`
  assert.equal(unbound.count, 0)
  const { transaction } = answered(await demo.charge(id, demo.card), 200).json
  assert.equal(await registered(own?.tokenContent ?? ''), id, 'paid another way, it was not used')
  await database.sql`insert into token_use (merchant_id, box_sha256, is_personal, used_by, transaction_id)
    select merchant_id, box_sha256, is_personal, '', ${transaction.id} from token where offer_id = ${id}`
  await doesNotRegister(own?.tokenContent ?? '')
  answered(await revoke(own?.tokenContent ?? ''), 200)
  assert.equal((await demo.ask(`offers/${id}`)).json.offer.active, true, 'the offer was not made from it')
})

test('a card’s token is for its owner, and ends with the card', async () => {
  const { demo } = service
  const card = await demo.storeCard('5555555555554444', { email: 'grace@example.com' })
  const text = token({ target: { card } })
  const id = await registered(text)
  const { offer } = (await demo.ask(`offers/${id}`)).json
  assert.deepEqual([offer.email, offer.stock], ['grace@example.com', 1])
  answered(await demo.ask(`credit_cards/${card}`, { method: 'DELETE' }), 200)
  await doesNotRegister(text)
  await doesNotRegister(token({ target: { card: 'x'.repeat(24) } }))
})

test('whatever is wrong with it, the answer is the same', async () => {
  const revoked = token()
  answered(await revoke(revoked), 200)
  const texts = [
    ...['@no token@', 'x', token({ privateKey: newKeyPair().privateKey }), token({ partnerId: 999_999 })],
    ...[token({ servicePublicKey: newKeyPair().publicKey }), expired(), revoked],
    token({ userData: { custom_data: { test: 'true' } } }),
  ]
  for (const text of texts) await doesNotRegister(text)
})

test('a token is revoked by its merchant alone, for good, with the offer that was made from it', async () => {
  const { demo } = service
  const text = token({ target: { url: 'https://shop.example/revoked' } })
  const id = await registered(text)
  const other = await service.newMerchant()
  const notTheirs = await revoke(text, other as unknown as typeof demo)
  refused(notTheirs, 422, ['token'])
  assert.deepEqual(notTheirs.json, { token: null, ...theOneError })
  assert.deepEqual((await revoke('@no token@')).json, notTheirs.json)
  assert.equal(await registered(text), id)

  const first = answered(await revoke(text, demo, { 'idempotency-key': 'once' }), 200)
  assert.deepEqual(first.json, { token: { revoked_at: first.json.token.revoked_at, offer: id } })
  assert.deepEqual(answered(await revoke(text), 200).json, first.json, 'again is the same')
  assert.equal((await revoke(text, demo, { 'idempotency-key': 'once' })).headers['idempotent-replayed'], 'true')
  assert.equal((await demo.ask(`offers/${id}`)).json.offer.active, false)
  refused(await demo.charge(id, demo.card), 422, ['service_offer'])
  await doesNotRegister(text)
  const unseen = await revoke(token())
  assert.equal(answered(unseen, 200).json.token.offer, null)
  assert.equal(
    (await send(`${service.baseUrl}/api/v5/rest/tokens/revocations`, { method: 'POST', headers: {}, body: null }))
      .status,
    401,
  )
})

test('the command line makes tokens, offline too, and revokes them', async t => {
  const { database, dataFolder } = service
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, TILLBELL_LOG: 'error' }
  const nowhere = { ...environment, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  const file = join(dataFolder, 'private-key')
  await writeFile(file, `${keys().privateKey}\n`)
  const { servicePublicKey, partnerId } = keys()
  const offline = [
    '--private-key-file',
    file,
    '--service-public-key',
    servicePublicKey,
    '--partner-id',
    String(partnerId),
  ]
  const asked = ['--url', 'https://shop.example/cli', '--amount', '7.50', '--data', '{"item_name":"Clapper"}']
  const [made, refusal, kept] = await Promise.all([
    tillbell(t, ['token', 'create', ...asked, ...offline, '--authorize-only', '--group', 'g'], nowhere),
    tillbell(t, ['token', 'create', ...asked, '--email', 'a@example.com', ...offline], nowhere),
    tillbell(t, ['token', 'create', ...asked, '--currency', 'EUR', '--merchant', merchant, '--json'], environment),
  ])
  assert.deepEqual([made.code, made.stderr], [0, ''])
  refusedWith(refusal, 2, /Give one of --email, --card and --url/)
  const inEuros = await registered(JSON.parse(kept.stdout).token)
  assert.equal((await service.demo.ask(`offers/${inEuros}`)).json.offer.currency, 'EUR')
  const text = made.stdout.trim()
  const id = await registered(text)
  const { offer } = (await service.demo.ask(`offers/${id}`)).json
  assert.deepEqual([offer.title, offer.amount, offer.authorization_only], ['Clapper', '7.50', true])
  const revoked = await tillbell(t, ['token', 'revoke', text, '--merchant', merchant, '--json'], environment)
  assert.deepEqual([revoked.code, JSON.parse(revoked.stdout).offer], [0, id])
  await doesNotRegister(text)
})

test('a token expires by the service’s clock, which the sandbox moves', async () => {
  const text = token({ expires: new Date(Date.now() + 1_800_000) })
  const id = await registered(text)
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 3_600 } }), 200)
  await doesNotRegister(text)
  assert.match((await service.demo.ask(`offers/${id}`)).json.offer.expires_at, /^20/)
})

test('after a rotation the old key’s tokens open, also when it is deleted, but not when others may know it', async () => {
  const { sql } = service.database
  const next = newKeyPair()
  const id = '01900000-0000-7000-8000-000000000001'
  const [old] = await sql<{ id: string }[]>`select id from merchant_key where merchant_id = ${merchant}`
  const key = { id, publicKey: next.publicKey, privateKeySealed: Buffer.alloc(1), createdAt: new Date() }
  const [before, unseen] = [token(), token()]
  const offer = await registered(before)
  await sql.begin(async scope => {
    await insertNextKey(scope, merchant, key)
    await makeKeyCurrent(scope, merchant, id)
    await deleteKey(scope, merchant, old?.id ?? '', false, new Date())
  })
  assert.equal(await registered(before), offer)
  await registered(token())
  await registered(token({ privateKey: next.privateKey }))
  await sql.begin(scope => deleteKey(scope, merchant, old?.id ?? '', true, new Date()))
  for (const text of [before, unseen]) await doesNotRegister(text)
  await registered(token({ privateKey: next.privateKey }))
})

test('whoever registers without end waits, and nobody else', async () => {
  const { burst } = registrationsOfAddress
  const from = (address: string) => register('@no token@', address)
  const answers = await Promise.all(Array.from({ length: 3 * burst }, (_, index) => from(`2001:db8::${index % 9}`)))
  const held = answers.filter(({ status }) => status === 429)
  assert.ok(held.length > 0)
  assert.ok(answers.filter(({ status }) => status === 422).length >= burst)
  refused(held[0] ?? assert.fail(), 429, ['general'])
  assert.match(String(held[0]?.headers['retry-after']), /^[1-9]$/)
  assert.equal((await from('2001:db8:0:1::1')).status, 422)
})
