// Every route of the console, walked by everybody: who has not signed in, each role, and another merchant's owner who knows
// all ids. Nobody gets further than they may, and nothing of another merchant's is read or changed. Who is not signed in any
// more is in every-route-holds.test.ts.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mayDo, type Role, roles } from '../src/core/login.ts'
import { type ConsoleClient, signedIn } from './support/console.ts'
import { type Route, withRoutes } from './support/running-routes.ts'
import { type SignInPair, startTestService } from './support/service.ts'
import { fillShop, namesSomething, naming, nobodys } from './support/shop-of-all.ts'

const { service, routes: all } = await withRoutes(() => startTestService())
after(service.stop)
const routes = all.filter(({ url }) => url.startsWith('/console/'))
const nameOf = ({ method, url }: Route) => `${method} ${url.slice('/console/'.length)}`

const shop = await service.newMerchant()
const other = await service.newMerchant()
const people = {
  owner: shop.login,
  developer: await service.newLogin(shop.merchant, 'developer'),
  viewer: await service.newLogin(shop.merchant, 'viewer'),
} satisfies { readonly [role in Role]: SignInPair }
const { idIn, everything } = await fillShop(service, shop)

async function askAs(
  client: ConsoleClient,
  route: Route,
  {
    headers = {},
    ids = idIn,
  }: { readonly headers?: { readonly [name: string]: string }; readonly ids?: typeof idIn } = {},
) {
  const { url, body } = await naming(route, ids)
  const json = route.method === 'GET' ? {} : { json: body }
  return client.ask(url.slice('/console/'.length), { method: route.method, headers, ...json })
}

const forAnybody = routes.filter(({ config }) => config.needs === 'anybody').map(nameOf)

test('few routes are for who has not signed in', () => {
  assert.ok(routes.length > 40, `${routes.length} routes`)
  assert.deepEqual(forAnybody, [
    ...['POST session', 'POST password/forgotten', 'POST links', 'POST password/reset'],
    'POST invitations/acceptance',
  ])
})

test('nothing is changed from another site, or without the token of the session', async () => {
  const owner = await signedIn(service.baseUrl, people.owner)
  const was = await everything()
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    for (const headers of [{ Origin: 'https://evil.example' }, { Origin: '' }, { 'X-CSRF-Token': '' }]) {
      if (forAnybody.includes(nameOf(route)) && 'X-CSRF-Token' in headers) continue
      assert.equal((await askAs(owner, route, { headers })).status, 403, `${nameOf(route)} ${JSON.stringify(headers)}`)
    }
  }
  assert.deepEqual(await everything(), was)
})

test('another merchant’s owner finds nothing behind the shop’s ids, and changes nothing', async () => {
  const stranger = await signedIn(service.baseUrl, other.login)
  const was = await everything()
  for (const route of routes) {
    if (forAnybody.includes(nameOf(route)) || nameOf(route) === 'DELETE session') continue
    const { status, text } = await askAs(stranger, route)
    if (namesSomething(route)) {
      const nobody = await askAs(stranger, route, { ids: nobodys })
      assert.deepEqual([status, text], [nobody.status, nobody.text], `${nameOf(route)} tells them from nobody’s`)
      assert.ok(status === 404 || status === 422 || text.trim() === '[]', `${nameOf(route)} is ${status}: ${text}`)
    }
    for (const secret of ['shops-own', 'Only the shop’s', shop.login.email]) {
      assert.ok(!text.includes(secret), `${nameOf(route)} shows ${secret}`)
    }
  }
  assert.deepEqual(await everything(), was)
})

for (const role of roles) {
  test(`who is ${role} gets as far as that role may`, async () => {
    let client = await signedIn(service.baseUrl, people[role])
    const may = (route: Route) => mayDo(role, route.config.needs as Role)
    const own = routes.filter(each => !forAnybody.includes(nameOf(each)))
    const was = await everything()
    for (const route of own.filter(each => !may(each))) {
      assert.equal((await askAs(client, route)).status, 403, nameOf(route))
    }
    assert.deepEqual(await everything(), was, 'what was refused changed nothing')
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

function damage({ method, url }: Route): number {
  return ['GET', 'POST', 'PATCH', 'DELETE'].indexOf(method) + (url.includes('erasures') ? 10 : 0)
}
