// Rights are looked at again in the commit of a change that gives access or decides where money goes: who was removed, demoted or
// signed out after a request was let in, and an API key that was revoked since, change nothing any more.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Scope } from '../src/store/database.ts'
import { answered } from './support/answers.ts'
import { type ConsoleAnswer, type ConsoleClient, signedIn } from './support/console.ts'
import { withSecondFactor } from './support/people.ts'
import { startTestService, type TestService } from './support/service.ts'
import { type StripeServer, startStripe } from './support/stripe/server.ts'
import { until } from './support/until.ts'
import { waiters, whileHeld } from './support/while-held.ts'

let service: TestService
let stripe: StripeServer
before(async () => {
  service = await startTestService()
  stripe = await startStripe()
})
after(async () => {
  await service.stop()
  await stripe.close()
})

type Shop = Awaited<ReturnType<TestService['newMerchant']>>

async function personOf({ merchant }: Shop, role: 'owner' | 'developer') {
  const pair = await service.newLogin(merchant, role)
  return { email: pair.email, password: pair.password, client: await signedIn(service.baseUrl, pair) }
}

const ok = ({ status, text, json }: ConsoleAnswer) => {
  assert.ok(status === 200 || status === 204, text)
  return json
}

/** Whoever takes rights away holds the merchant first, as everybody who changes its people and its settings. */
const holdMerchant = (scope: Scope, { merchant }: Shop) =>
  scope`select from merchant where merchant_id = ${merchant} for no key update`

async function removeIn(scope: Scope, shop: Shop, email: string): Promise<void> {
  await holdMerchant(scope, shop)
  await scope`delete from login where merchant_id = ${shop.merchant} and email = ${email}`
}

async function demoteIn(scope: Scope, shop: Shop, email: string): Promise<void> {
  await holdMerchant(scope, shop)
  await scope`update login set role = 'viewer' where merchant_id = ${shop.merchant} and email = ${email}`
}

/** Noted a second after the first use, and not again for long: so that it is not this that waits for the row of the key. */
async function usedBefore(shop: Shop): Promise<void> {
  answered(await shop.ask('gateways'), 200)
  const noted = () =>
    service.database.sql`select from api_key where merchant_id = ${shop.merchant} and last_used_at is not null`
  await until('the use of the key is noted', async () => (await noted()).length === 1)
}

const settingTables = [
  ...[
    'api_key',
    'merchant_key',
    'gateway',
    'hook_endpoint',
    'hook_secret',
    'mail_settings',
    'payment_page',
    'merchant',
  ],
  ...['login', 'login_link', 'directory', 'idempotency_key'],
]

/** All that such a change could write, but for the login or the API key that loses the right to it. */
async function settingsOf({ merchant }: Shop, without: string): Promise<unknown> {
  const { sql } = service.database
  const tables = settingTables.map(async table => {
    const rows =
      await sql`select to_jsonb(t) - 'last_used_at' as row from ${sql(table)} t where merchant_id = ${merchant}`
    const texts = rows.map(({ row }) => JSON.stringify(row)).filter(text => !text.includes(without))
    return [table, texts.sort()]
  })
  return Object.fromEntries(await Promise.all(tables))
}

interface Change {
  readonly method: string
  /** Behind /console/; what begins with rest/ is a resource of REST as well. */
  readonly path: string
  readonly json?: object
}

const stripeGateway = (isDefault: boolean) => ({ type: 'stripe', credentials: stripe.credentials, default: isDefault })

async function changesOfDeveloper(owner: ConsoleClient): Promise<Change[]> {
  const post = async (path: string, json: object) => ok(await owner.ask(path, { method: 'POST', json }))
  const { api_key: key } = await post('api_keys', { name: 'another' })
  const url = 'https://hooks.example/'
  const { hook_endpoint: endpoint } = await post('rest/hook_endpoints', {
    ...{ kind: 'transaction', url, standard_webhooks: true },
  })
  const [gateway] = ok(await owner.ask('rest/gateways'))
  return [
    { method: 'POST', path: 'api_keys', json: { name: 'mine' } },
    { method: 'DELETE', path: `api_keys/${key.id}` },
    { method: 'POST', path: 'rest/gateways', json: stripeGateway(true) },
    { method: 'POST', path: 'rest/gateways', json: stripeGateway(false) },
    { method: 'PATCH', path: `rest/gateways/${gateway.id}`, json: { fallback: 3 } },
    { method: 'POST', path: 'rest/hook_endpoints', json: { kind: 'far', url } },
    { method: 'PATCH', path: `rest/hook_endpoints/${endpoint.id}`, json: { url: `${url}elsewhere` } },
    { method: 'POST', path: `rest/hook_endpoints/${endpoint.id}/rotate_secret`, json: {} },
    { method: 'DELETE', path: `rest/hook_endpoints/${endpoint.id}` },
    { method: 'PATCH', path: 'rest/mail_settings', json: { public_charge_at_once: true } },
    { method: 'PATCH', path: 'rest/payment_page', json: { return_url: 'https://elsewhere.example/' } },
  ]
}

async function changesOfOwner(shop: Shop, owner: ConsoleClient): Promise<Change[]> {
  const post = async (path: string, json: object) => ok(await owner.ask(path, { method: 'POST', json }))
  const { private_key: next } = await post('private_keys', {})
  await post('team/invitations', { email: 'invited@example.com', role: 'viewer' })
  const { email: member } = await service.newLogin(shop.merchant, 'viewer')
  return [
    { method: 'POST', path: 'private_keys', json: {} },
    { method: 'DELETE', path: `private_keys/${next.id}`, json: { compromised: true } },
    { method: 'POST', path: `private_keys/${next.id}/make_current`, json: {} },
    { method: 'POST', path: 'team/invitations', json: { email: 'friend@example.com', role: 'owner' } },
    { method: 'POST', path: 'team/invitations/invited@example.com/again', json: {} },
    { method: 'DELETE', path: 'team/invitations/invited@example.com' },
    { method: 'PATCH', path: `team/members/${member}`, json: { role: 'owner' } },
    { method: 'DELETE', path: `team/members/${member}` },
  ]
}

const ask = (client: Pick<ConsoleClient, 'ask'>, { path, method, json }: Change) =>
  client.ask(path, { method, ...(json !== undefined && { json }) })

test('a gateway is not connected by a developer who is removed while it is asked whose account it is', async () => {
  const shop = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, shop.login)
  const { email, client } = await personOf(shop, 'developer')
  const before = await settingsOf(shop, email)
  const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = () => {
    asked.resolve()
    return goOn.promise
  }
  stripe.faults.next({ kind: 'hold', until: hold })
  const connecting = client.ask('rest/gateways', { method: 'POST', json: stripeGateway(true) })
  await asked.promise
  assert.equal((await owner.ask(`team/members/${email}`, { method: 'DELETE' })).status, 204)
  goOn.resolve()
  const { status, json } = await connecting
  assert.deepEqual([status, json.errors], [401, { general: 'Sign in first.' }])
  assert.deepEqual(await settingsOf(shop, email), before)
})

test('a gateway is not connected with an API key that is revoked while it is asked whose account it is', async () => {
  const shop = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, shop.login)
  const [key] = ok(await owner.ask('api_keys'))
  const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = () => {
    asked.resolve()
    return goOn.promise
  }
  stripe.faults.next({ kind: 'hold', until: hold })
  const connecting = shop.ask('gateways', { json: stripeGateway(true), headers: { 'idempotency-key': 'once' } })
  await asked.promise
  const before = await settingsOf(shop, key.id)
  assert.equal((await owner.ask(`api_keys/${key.id}`, { method: 'DELETE' })).status, 200)
  goOn.resolve()
  const refused = await connecting
  assert.equal(refused.status, 401)
  assert.deepEqual(refused.json.errors, (await shop.ask('gateways')).json.errors, 'as at its next request')
  assert.match(String(refused.headers['www-authenticate']), /^Basic /)
  assert.deepEqual(await settingsOf(shop, key.id), before)
})

test('who is removed while a change waits to be written does not make it', async t => {
  const shop = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, shop.login)
  const { sql } = service.database
  const lists = { developer: await changesOfDeveloper(owner), owner: await changesOfOwner(shop, owner) }
  for (const role of ['developer', 'owner'] as const)
    for (const change of lists[role])
      await t.test(`${change.method} ${change.path}`, async () => {
        const { email, client } = await personOf(shop, role)
        const before = await settingsOf(shop, email)
        const { status, json } = await whileHeld(
          sql,
          scope => removeIn(scope, shop, email),
          () => ask(client, change),
        )
        assert.deepEqual([status, json?.errors], [401, { general: 'Sign in first.' }])
        assert.deepEqual(await settingsOf(shop, email), before)
      })
})

test('who is demoted while a change waits to be written is told the role that it needs', async () => {
  const shop = await service.newMerchant()
  const { sql } = service.database
  const { email, client } = await personOf(shop, 'owner')
  const demoted = async (change: Change) => {
    const before = await settingsOf(shop, email)
    const { status, json } = await whileHeld(
      sql,
      scope => demoteIn(scope, shop, email),
      () => ask(client, change),
    )
    assert.deepEqual(await settingsOf(shop, email), before)
    await sql`update login set role = 'owner' where merchant_id = ${shop.merchant} and email = ${email}`
    return [status, json?.errors.general]
  }
  const developer = 'Only an owner or a developer may do this.'
  assert.deepEqual(await demoted({ method: 'POST', path: 'api_keys', json: { name: 'mine' } }), [403, developer])
  const gateway = { method: 'POST', path: 'rest/gateways', json: stripeGateway(true) }
  assert.deepEqual(await demoted(gateway), [403, developer])
  const invites = { method: 'POST', path: 'team/invitations', json: { email: 'a@example.com', role: 'owner' } }
  assert.deepEqual(await demoted(invites), [403, 'Only an owner may do this.'])
  const nextKey = { method: 'POST', path: 'private_keys', json: {} }
  assert.deepEqual(await demoted(nextKey), [403, 'Only an owner may do this.'])
})

test('who is signed out while a change waits to be written does not make it', async () => {
  const shop = await service.newMerchant()
  const { email, client } = await personOf(shop, 'owner')
  const { status } = await whileHeld(
    service.database.sql,
    scope => scope`delete from console_session where merchant_id = ${shop.merchant} and email = ${email}`,
    () => client.ask('api_keys', { method: 'POST', json: { name: 'mine' } }),
  )
  assert.equal(status, 401)
})

/** All of a login's sessions end, and whatever else holds the row of the login with it. */
async function signOutIn(scope: Scope, shop: Shop, email: string): Promise<void> {
  await holdMerchant(scope, shop)
  await scope`select from login where merchant_id = ${shop.merchant} and email = ${email} for update`
  await scope`delete from console_session where merchant_id = ${shop.merchant} and email = ${email}`
}

test('who is signed out while their password is checked neither turns the second factor off nor begins another', async () => {
  const shop = await service.newMerchant()
  const { email, password, client } = await personOf(shop, 'owner')
  const { sql } = service.database
  const states = () => sql`select totp_sealed, totp_since from login where email = ${email}`.then(([row]) => row)
  const before = await states()
  const begin = () => client.ask('account/second_factor', { method: 'POST', json: { password } })
  assert.equal((await whileHeld(sql, scope => signOutIn(scope, shop, email), begin)).status, 401)
  assert.deepEqual(await states(), before)

  const again = await signedIn(service.baseUrl, { email, password })
  const { recoveryCodes } = await withSecondFactor(again, { email, password })
  const on = await states()
  const off = () =>
    again.ask('account/second_factor/off', { method: 'POST', json: { password, code: recoveryCodes[0] } })
  assert.equal((await whileHeld(sql, scope => signOutIn(scope, shop, email), off)).status, 401)
  assert.deepEqual(await states(), on)
})

test('a second factor is not turned off with a password that was changed while it was checked', async () => {
  const shop = await service.newMerchant()
  const { email, password, client } = await personOf(shop, 'owner')
  const { recoveryCodes } = await withSecondFactor(client, { email, password })
  const { sql } = service.database
  const off = () =>
    client.ask('account/second_factor/off', { method: 'POST', json: { password, code: recoveryCodes[0] } })
  const change = (scope: Scope) => scope`update login set password_hash = 'another' where email = ${email}`
  assert.equal((await whileHeld(sql, change, off)).status, 422)
  assert.equal((await sql`select from login where email = ${email} and totp_since is not null`).length, 1)
})

test('an API key that is revoked while a change waits to be written does not make it', async t => {
  const shop = await service.newMerchant()
  await usedBefore(shop)
  const owner = await signedIn(service.baseUrl, shop.login)
  const { sql } = service.database
  const [key] = ok(await owner.ask('api_keys'))
  const changes = (await changesOfDeveloper(owner)).filter(({ path }) => path.startsWith('rest/'))
  // As the command line does, which holds nothing else.
  const revoke = (scope: Scope) =>
    scope`update api_key set revoked_at = now() where merchant_id = ${shop.merchant} and id = ${key.id}`
  for (const change of changes)
    await t.test(`${change.method} ${change.path}`, async () => {
      const before = await settingsOf(shop, key.id)
      const path = change.path.slice('rest/'.length)
      const { status, headers } = await whileHeld(sql, revoke, () => shop.ask(path, change))
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /^Basic /)
      assert.deepEqual(await settingsOf(shop, key.id), before)
      await sql`update api_key set revoked_at = null where merchant_id = ${shop.merchant} and id = ${key.id}`
    })
})

test('a revocation, or a removal, that comes while a change is being written waits for it', async () => {
  const shop = await service.newMerchant()
  await usedBefore(shop)
  const { sql } = service.database
  const owner = await signedIn(service.baseUrl, shop.login)
  const { email, client } = await personOf(shop, 'developer')
  const json = { kind: 'transaction', url: 'https://hooks.example/' }
  const { hook_endpoint: endpoint } = ok(await owner.ask('rest/hook_endpoints', { method: 'POST', json }))
  const change = { method: 'PATCH', json: { timeout_s: 20 } }
  const waits = async (changing: () => Promise<{ readonly status: number }>, take: () => PromiseLike<unknown>) => {
    const ended: string[] = []
    const both = await sql.begin(async scope => {
      await scope`select from hook_endpoint where merchant_id = ${shop.merchant} and id = ${endpoint.id} for update`
      const changed = changing().then(({ status }) => ended.push(`changed ${status}`))
      await until('the change waits', async () => (await waiters(sql)).length === 1)
      const taken = Promise.resolve(take()).then(() => ended.push('taken'))
      await until('whoever takes the right away waits', async () => (await waiters(sql)).length === 2)
      return { changed, taken }
    })
    await Promise.all([both.changed, both.taken])
    return ended.toSorted()
  }
  const remove = () => sql`delete from login where merchant_id = ${shop.merchant} and email = ${email}`
  const byPerson = () => client.ask(`rest/hook_endpoints/${endpoint.id}`, change)
  assert.deepEqual(await waits(byPerson, remove), ['changed 200', 'taken'])
  const revoke = () => sql`update api_key set revoked_at = now() where merchant_id = ${shop.merchant}`
  const byKey = () => shop.ask(`hook_endpoints/${endpoint.id}`, change)
  assert.deepEqual(await waits(byKey, revoke), ['changed 200', 'taken'])
})

test('a Private Key is not shown to an owner who is removed while the password is checked', async () => {
  const shop = await service.newMerchant()
  const { email, password, client } = await personOf(shop, 'owner')
  const [key] = ok(await client.ask('private_keys'))
  const { status, json } = await whileHeld(
    service.database.sql,
    scope => removeIn(scope, shop, email),
    () => client.ask(`private_keys/${key.id}/show`, { method: 'POST', json: { password } }),
  )
  assert.deepEqual([status, json.errors], [401, { general: 'Sign in first.' }])
})

test('of two owners who demote each other at once, the first does and the second may not any more', async () => {
  const shop = await service.newMerchant()
  const { sql } = service.database
  const third = await signedIn(service.baseUrl, shop.login)
  const [one, other] = [await personOf(shop, 'owner'), await personOf(shop, 'owner')]
  const demote = (client: ConsoleClient, email: string) =>
    client.ask(`team/members/${email}`, { method: 'PATCH', json: { role: 'viewer' } })
  const asked = await sql.begin(async scope => {
    await holdMerchant(scope, shop)
    const first = demote(one.client, other.email)
    await until('the first waits', async () => (await waiters(sql)).length === 1)
    const second = demote(other.client, one.email)
    await until('the second waits', async () => (await waiters(sql)).length === 2)
    return { first, second }
  })
  assert.equal((await asked.first).status, 204)
  const { status, json } = await asked.second
  assert.deepEqual([status, json?.errors], [403, { general: 'Only an owner may do this.' }])
  const { members } = ok(await third.ask('team')).team
  const roles = new Map(members.map(({ email, role }: { email: string; role: string }) => [email, role]))
  assert.deepEqual([roles.get(one.email), roles.get(other.email)], ['owner', 'viewer'])
})

test('of many API keys that a developer asks for, none is made once the removal has been answered', async () => {
  const shop = await service.newMerchant()
  const { sql } = service.database
  const owner = await signedIn(service.baseUrl, shop.login)
  const { email, client } = await personOf(shop, 'developer')
  const asked = await sql.begin(async scope => {
    await holdMerchant(scope, shop)
    const removed = owner.ask(`team/members/${email}`, { method: 'DELETE' })
    await until('the removal waits', async () => (await waiters(sql)).length === 1)
    const made = [1, 2, 3, 4].map(each => client.ask('api_keys', { method: 'POST', json: { name: `key ${each}` } }))
    await until('those who make keys wait', async () => (await waiters(sql)).length === 5)
    return { removed, made }
  })
  assert.equal((await asked.removed).status, 204)
  const made = await Promise.all(asked.made)
  assert.deepEqual(
    made.map(({ status }) => status),
    [401, 401, 401, 401],
  )
  assert.equal((await sql`select from api_key where created_by = ${email}`).length, 0)
  answered(await shop.ask('gateways'), 200)
})
