// Every route of the console, walked by everybody: who has not signed in, each role, and another merchant's owner who knows
// all ids. Nobody gets further than they may, and nothing of another merchant's is read or changed.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mayDo, type Role, roles } from '../src/core/login.ts'
import { answered } from './support/answers.ts'
import { ConsoleClient, signedIn } from './support/console.ts'
import { type ConsoleRoute, listConsoleRoutes } from './support/console-routes.ts'
import { type SignInPair, startTestService } from './support/service.ts'
import { until } from './support/until.ts'

const service = await startTestService()
after(service.stop)
const { sql } = service.database
const routes = await listConsoleRoutes()
const nameOf = ({ method, path }: ConsoleRoute) => `${method} ${path}`

const shop = await service.newMerchant()
const other = await service.newMerchant()
const people = {
  owner: shop.login,
  developer: await service.newLogin(shop.merchant, 'developer'),
  viewer: await service.newLogin(shop.merchant, 'viewer'),
} satisfies { readonly [role in Role]: SignInPair }

/** What stands before an id in a path, and where such ids are. */
const tables: { readonly [segment: string]: { readonly table: string; readonly column: string } } = {
  transactions: { table: 'transaction', column: 'id' },
  offers: { table: 'offer', column: 'id' },
  credit_cards: { table: 'card', column: 'token' },
  gateways: { table: 'gateway', column: 'id' },
  hook_endpoints: { table: 'hook_endpoint', column: 'id' },
  endpoints: { table: 'hook_endpoint', column: 'id' },
  hook_deliveries: { table: 'delivery', column: 'id' },
  letters: { table: 'letter', column: 'id' },
  customers: { table: 'customer', column: 'id' },
  doubt: { table: 'operation', column: 'id' },
  private_keys: { table: 'merchant_key', column: 'id' },
  api_keys: { table: 'api_key', column: 'id' },
  sessions: { table: 'console_session', column: 'id' },
  members: { table: 'login', column: 'email' },
  invitations: { table: 'login_link', column: 'email' },
}

/** Ids that are named elsewhere than in the path. */
const bodies: { readonly [route: string]: () => Promise<object> } = {
  'POST rest/transactions': async () => ({ service_offer: await idIn('offers'), token: await idIn('credit_cards') }),
  'POST rest/transactions/refunds': async () => ({ transaction: await idIn('transactions') }),
  'POST rest/hook_deliveries/resend': async () => ({
    endpoint: await idIn('hook_endpoints'),
    created_after: '2020-01-01T00:00:00Z',
  }),
  'POST rest/credit_cards/links': async () => ({ email: 'ada@example.com', gateway: await idIn('gateways') }),
  'POST rest/customers/erasures': async () => ({ email: 'ada@example.com' }),
}

async function idIn(segment: string): Promise<string> {
  const place = tables[segment]
  assert.ok(place !== undefined, `what stands behind ${segment}/ is not known to this test`)
  const [row] = await sql`select ${sql(place.column)}::text as id from ${sql(place.table)}
    where merchant_id = ${shop.merchant} order by 1 desc limit 1`
  assert.ok(row !== undefined, `the shop has no ${place.table}`)
  return String(row.id)
}

async function pathOf({ path }: ConsoleRoute): Promise<string> {
  const segments = path.split('/')
  const filled = segments.map((segment, at) => {
    return segment.startsWith(':') ? idIn(segments[at - 1] ?? '') : segment
  })
  return (await Promise.all(filled)).join('/')
}

async function askAs(client: ConsoleClient, route: ConsoleRoute, headers: { readonly [name: string]: string } = {}) {
  const json = route.method === 'GET' ? {} : { json: (await bodies[nameOf(route)]?.()) ?? {} }
  return client.ask(await pathOf(route), { method: route.method, headers, ...json })
}

const ofSession = ['console_session', 'console_change', 'tries']

/** All that the shop has, as the database holds it. */
async function everythingOfTheShop(): Promise<{ readonly [table: string]: string }> {
  const names = await sql<{ name: string }[]>`select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'merchant_id'`
  const hashes = names
    .filter(({ name }) => !ofSession.includes(name))
    .map(async ({ name }) => {
      const [row] = await sql`select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as md5
        from ${sql(name)} t where merchant_id = ${shop.merchant}`
      return [name, String(row?.md5)]
    })
  return Object.fromEntries(await Promise.all(hashes))
}

before(async () => {
  const card = await shop.storeCard()
  const endpoint = { kind: 'transaction', url: 'http://127.0.0.1:9/hooks' }
  answered(await shop.ask('hook_endpoints', { form: endpoint }), 200)
  const offer = await shop.makeOffer({ title: 'Only the shop’s', ref_id: 'shops-own' })
  answered(await shop.charge(offer, card), 200)
  await sql`insert into letter (merchant_id, id, received_at, offer_id, sender, is_proven, is_answerable, language, state)
    values (${shop.merchant}, gen_random_uuid(), now(), ${offer}, 'ada@example.com', false, false, 'en', 'done')`
  const owner = await signedIn(service.baseUrl, people.owner)
  const invited = { email: 'grace@example.com', role: 'viewer' }
  assert.equal((await owner.ask('team/invitations', { method: 'POST', json: invited })).status, 200)
  // It is noted behind the answers, and is no change that somebody here made.
  await until('that the key was used is noted', async () => {
    const rows = await sql`select from api_key where merchant_id = ${shop.merchant} and last_used_at is not null`
    return rows.length === 1
  })
})

const forAnybody = routes.filter(({ config }) => config.needs === 'anybody').map(nameOf)

test('few routes are for who has not signed in', () => {
  assert.ok(routes.length > 40, `${routes.length} routes`)
  assert.deepEqual(forAnybody, [
    ...['POST session', 'POST password/forgotten', 'POST links', 'POST password/reset'],
    'POST invitations/acceptance',
  ])
})

test('who has not signed in gets nothing, and nothing is changed', async () => {
  const nobody = new ConsoleClient(service.baseUrl)
  const was = await everythingOfTheShop()
  for (const route of routes.filter(each => !forAnybody.includes(nameOf(each)))) {
    const { status, json } = await askAs(nobody, route)
    assert.deepEqual([status, json.errors], [401, { general: 'Sign in first.' }], nameOf(route))
  }
  assert.deepEqual(await everythingOfTheShop(), was)
})

test('nothing is changed from another site, or without the token of the session', async () => {
  const owner = await signedIn(service.baseUrl, people.owner)
  const was = await everythingOfTheShop()
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    for (const headers of [{ Origin: 'https://evil.example' }, { Origin: '' }, { 'X-CSRF-Token': '' }]) {
      if (forAnybody.includes(nameOf(route)) && 'X-CSRF-Token' in headers) continue
      assert.equal((await askAs(owner, route, headers)).status, 403, `${nameOf(route)} ${JSON.stringify(headers)}`)
    }
  }
  assert.deepEqual(await everythingOfTheShop(), was)
})

test('another merchant’s owner finds nothing behind the shop’s ids, and changes nothing', async () => {
  const stranger = await signedIn(service.baseUrl, other.login)
  const was = await everythingOfTheShop()
  for (const route of routes) {
    const names = route.path.includes(':') || nameOf(route) in bodies
    if (forAnybody.includes(nameOf(route)) || nameOf(route) === 'DELETE session') continue
    const { status, text } = await askAs(stranger, route)
    if (names) assert.ok(status === 404 || status === 422, `${nameOf(route)} is ${status}: ${text}`)
    for (const secret of ['shops-own', 'Only the shop’s', shop.login.email]) {
      assert.ok(!text.includes(secret), `${nameOf(route)} shows ${secret}`)
    }
  }
  assert.deepEqual(await everythingOfTheShop(), was)
})

for (const role of roles) {
  test(`who is ${role} gets as far as that role may`, async () => {
    let client = await signedIn(service.baseUrl, people[role])
    const may = (route: ConsoleRoute) => mayDo(role, route.config.needs as Role)
    const own = routes.filter(each => !forAnybody.includes(nameOf(each)))
    const was = await everythingOfTheShop()
    for (const route of own.filter(each => !may(each))) {
      assert.equal((await askAs(client, route)).status, 403, nameOf(route))
    }
    assert.deepEqual(await everythingOfTheShop(), was, 'what was refused changed nothing')
    // What destroys comes last: what others need to look at is still there.
    const byDamage = own.filter(may).sort((a, b) => damage(a) - damage(b))
    for (const route of byDamage) {
      const { status, text } = await askAs(client, route)
      assert.ok(![401, 403, 429].includes(status) && status < 500, `${nameOf(route)} is ${status}: ${text}`)
      if (status < 300 && route.method !== 'GET' && (await client.ask('me')).status === 401) {
        client = await signedIn(service.baseUrl, people[role])
      }
    }
  })
}

function damage({ method, path }: ConsoleRoute): number {
  return ['GET', 'POST', 'PATCH', 'DELETE'].indexOf(method) + (path.includes('erasures') ? 10 : 0)
}
