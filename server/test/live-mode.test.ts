// Real money never meets the sandbox: what live mode asks for, what it refuses, and what it does not have.

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { answered, refused, writingNothing } from './support/answers.ts'
import { clientOf, refusedWith, type Sheet, serve, stopped, tillbell } from './support/command.ts'
import { ConsoleClient } from './support/console.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'
import { olderToken } from './support/older-client.ts'
import { atEnd, emptyFolder } from './support/temporary-folder.ts'

const live = {
  TILLBELL_MODE: 'live',
  TILLBELL_SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
  TILLBELL_BASE_URL: 'https://pay.example.com',
}
const sandbox = { TILLBELL_SECRET_KEY: live.TILLBELL_SECRET_KEY }
const createWords = ['merchant', 'create', '--name', 'Shop', '--email', 'shop@example.com', '--json']

interface Place {
  readonly database: TestDatabase
  readonly at: { readonly [name: string]: string }
}

async function place(t: TestContext): Promise<Place> {
  const database = await emptyDatabase()
  atEnd(t, () => database.drop())
  return { database, at: { DATABASE_URL: database.url, TILLBELL_DATA: await emptyFolder(t), TILLBELL_LOG: 'info' } }
}

async function createMerchant(t: TestContext, environment: { [name: string]: string }): Promise<Sheet> {
  const { code, stdout, stderr } = await tillbell(t, createWords, environment)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('live mode does not start without a secret key and an https address', async t => {
  const { at, database } = await place(t)
  const { TILLBELL_SECRET_KEY: _, ...noKey } = live
  const { TILLBELL_BASE_URL: __, ...noUrl } = live
  for (const [environment, says] of [
    [noKey, /^TILLBELL_SECRET_KEY is required in live mode: .*\.$/m],
    [noUrl, /^TILLBELL_BASE_URL must be an https URL in live mode\.$/m],
    [{ ...live, TILLBELL_BASE_URL: 'http://pay.example.com' }, /^TILLBELL_BASE_URL must be an https URL/],
    [{ ...live, TILLBELL_SECRET_KEY: 'c2hvcnQ=' }, /^TILLBELL_SECRET_KEY must be 32 bytes in base64: .*\.$/m],
  ] as const) {
    refusedWith(await serve(t, { ...at, ...environment }).ended, 3, says)
  }
  const schemas = await database.sql`select from information_schema.schemata where schema_name = 'tillbell'`
  assert.equal(schemas.length, 0, 'it was refused before anything was touched')
})

test('a live service has no demo, no test gateway, no sandbox routes, no clock to move, and a page for customers alone', async t => {
  const { at, database } = await place(t)
  const environment = { ...at, ...live }
  const service = serve(t, environment)
  const baseUrl = await service.ready()
  assert.equal(service.printed(), 'Tillbell is at https://pay.example.com\n')
  assert.deepEqual(await readdir(at.TILLBELL_DATA ?? ''), [])
  assert.equal((await database.sql`select from merchant`).length, 0)

  const made = await createMerchant(t, environment)
  assert.deepEqual([made.gateway, made.offer, made.card], [null, null, null])
  assert.equal(made.base_url, 'https://pay.example.com')
  const client = clientOf(made, baseUrl)
  assert.deepEqual(answered(await client.ask('gateways'), 200).json, [])
  const { mail_settings } = answered(await client.ask('mail_settings'), 200).json
  assert.equal(mail_settings.unsigned_authorizations, false)
  const { private_key: privateKey, service_public_key, partner_id } = made
  const keys = { privateKey, servicePublicKey: String(service_public_key), partnerId: Number(partner_id) }
  const older = olderToken(keys, { target: 'url<>', version: 2n })
  const inspected = answered(await client.ask('tokens/inspections', { form: { token: older } }), 200).json.token
  assert.match(
    inspected.reason,
    /^Its version is 2 \(authorises only\), and user_data\.authorization_only does not say so/,
  )
  const { offer } = answered(await client.ask('offers', { form: { amount: '5.00' } }), 200).json
  assert.ok(offer.pcp_url.startsWith('https://pay.example.com/'))
  assert.equal(offer.mail_to, null, 'nobody’s mail comes to localhost')
  assert.ok(!offer.button_html.includes('mailto:'))

  await writingNothing(database.sql, async () => {
    refused(await client.ask('gateways', { json: { type: 'test', credentials: {} } }), 422, ['type'])
    refused(await client.ask('gateways', { json: { type: 'test', credentials: { url: 'http://127.0.0.1:1' } } }), 422, [
      'type',
    ])
    const card = { number: '4111111111111111', expiry_month: 1, expiry_year: 2040, email: 'ada@example.com' }
    refused(await client.ask('sandbox/cards', { form: card }), 404, ['general'])
    refused(await client.ask('sandbox/clock', { form: { advance_s: 60 } }), 404, ['general'])
    refused(await client.ask('sandbox/disputes', { form: { transaction: offer.offer_id } }), 404, ['general'])
    const ours = { TILLBELL_URL: baseUrl, TILLBELL_API_KEY: made.api_key, TILLBELL_API_SECRET: made.api_secret }
    refusedWith(await tillbell(t, ['trigger', 'transaction'], ours), 1, /is live, and trigger is for the sandbox alone/)
    refusedWith(await tillbell(t, ['clock', 'advance', '5m'], environment), 2, /clock moves only in sandbox mode/)
  })
  assert.equal((await database.sql`select from setting where name = 'clock_offset_ms'`).length, 0)
  // No developer's machine decides about real money.
  refused(await client.ask('hook_listeners', { json: { kinds: ['transaction', 'pre_sale'] } }), 422, ['kinds'])
  const { hook_listener } = answered(await client.ask('hook_listeners', { form: {} }), 200).json
  assert.deepEqual(hook_listener.kinds, ['transaction', 'far', 'error', 'update'])
  const challenge = `sandbox/challenges/gw_${'A'.repeat(22)}/${crypto.randomUUID()}`
  for (const [path, type] of [
    [`offers/${offer.offer_id}?transaction=${offer.offer_id}`, 'text/html; charset=utf-8'],
    [`${challenge}?return=${encodeURIComponent(offer.pcp_url)}`, 'application/json'],
    ['inbox/key', 'application/json'],
  ] as const) {
    const { status, headers } = await fetch(`${baseUrl}/${path}`)
    assert.deepEqual([status, headers.get('content-type')], [404, type], path)
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', path)
  }
  await stopped(service)
})

test('live mode refuses a database whose clock was moved, be it by a second', async t => {
  const { at } = await place(t)
  await createMerchant(t, { ...at, ...sandbox })
  const service = serve(t, { ...at, ...live })
  await service.ready()
  await stopped(service)
  assert.equal((await tillbell(t, ['clock', 'advance', '1s'], { ...at, ...sandbox })).code, 0)
  for (const words of [['serve'], ['merchant', 'list'], ['migrate']]) {
    const ended = await tillbell(t, words, {
      ...at,
      ...live,
      TILLBELL_PORT: '0',
      TILLBELL_METRICS_PORT: '0',
      TILLBELL_MAIL_PORT: '0',
    })
    refusedWith(ended, 3, /^TILLBELL_MODE is live, and the clock of this database was moved/)
  }
})

test('live mode refuses a database with the demo merchant', async t => {
  const { at } = await place(t)
  const service = serve(t, { ...at, ...sandbox })
  await service.ready()
  await stopped(service)
  refusedWith(await serve(t, { ...at, ...live }).ended, 3, /^TILLBELL_MODE is live, and this database holds the demo/)
})

test('a test gateway that the sandbox left behind charges nothing in live mode, and no listener decides there', async t => {
  const { at, database } = await place(t)
  const made = await createMerchant(t, { ...at, ...sandbox })
  const service = serve(t, { ...at, ...sandbox })
  const client = clientOf(made, await service.ready())
  const [offer, card] = [await client.makeOffer(), await client.storeCard()]
  answered(await client.charge(offer, card), 200)
  const begun = answered(await client.ask('hook_listeners', { json: { kinds: ['pre_sale', 'far'] } }), 200)
  const other = answered(await client.ask('hook_listeners', { json: { kinds: ['far'] } }), 200)
  await stopped(service)
  const moved = serve(t, { ...at, ...live })
  const later = clientOf(made, await moved.ready())
  // What a developer's machine was asked in the sandbox, it is not asked here.
  const end = (id: string) => later.ask(`hook_listeners/${id}`, { method: 'DELETE' })
  refused(await end(begun.json.hook_listener.id), 404, ['hook_listener'])
  answered(await end(other.json.hook_listener.id), 200)
  const { status } = await writingNothing(database.sql, () => later.charge(offer, card))
  assert.ok(status >= 400, `it answered ${status}`)
})

test('where no mail goes out, an owner is handed an invitation only where there is no other merchant; an operator always is', async t => {
  const { at, database } = await place(t)
  const environment = { ...at, ...live }
  const made = await createMerchant(t, environment)
  const service = serve(t, environment)
  const baseUrl = await service.ready()
  const visitor = () => Object.assign(new ConsoleClient(baseUrl), { origin: live.TILLBELL_BASE_URL })
  const owner = visitor()
  const login = made.dashboard as { readonly email: string; readonly password: string }
  assert.equal((await owner.signIn(login)).status, 200)
  const invite = (email: string) => owner.ask('team/invitations', { method: 'POST', json: { email, role: 'viewer' } })
  const alone = await invite('ada@example.com')
  assert.equal(alone.status, 200, alone.text)
  assert.match(alone.json.invitation.link, /^https:\/\/pay\.example\.com\/dashboard\/invitation#m_/)

  const another = ['merchant', 'create', '--name', 'Other', '--email', 'other@example.com', '--json']
  assert.equal((await tillbell(t, another, environment)).code, 0)
  await writingNothing(database.sql, async () => {
    for (const refusedInvitation of [
      await invite('grace@example.com'),
      await owner.ask('team/invitations/ada@example.com/again', { method: 'POST' }),
    ]) {
      assert.equal(refusedInvitation.status, 409, refusedInvitation.text)
      assert.match(refusedInvitation.json.errors.general, /tillbell login invite/)
    }
  })
  const words = ['login', 'invite', 'Grace@Example.com', '--merchant', made.merchant, '--role', 'developer']
  const invited = await tillbell(t, [...words, '--json'], environment)
  assert.equal(invited.code, 0, invited.stderr)
  const { url, ...rest } = JSON.parse(invited.stdout)
  assert.deepEqual(rest, { merchant: made.merchant, email: 'grace@example.com', role: 'developer' })
  const json = { link: new URL(url).hash.slice(1), password: 'a password that nobody guesses' }
  const accepted = await visitor().ask('invitations/acceptance', { method: 'POST', json })
  assert.deepEqual([accepted.status, accepted.json.me?.role], [200, 'developer'], accepted.text)
  refusedWith(await tillbell(t, words, environment), 2, /grace@example\.com has a login already/)
  refusedWith(await tillbell(t, [...words.slice(0, -1), 'boss'], environment), 2, /--role must be one of viewer, /)
  await stopped(service)
})
