// Every route of a service that runs, asked by whoever may not: without a credential, with a broken one, a wrong one, a revoked one, and
// another merchant's good one for what is not theirs. A route that no rule knows is a failure. The console's are walked by session and
// role in console-routes-hold.test.ts.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { revokeApiKey } from '../src/store/merchants.ts'
import { ConsoleClient } from './support/console.ts'
import { nothingLeaks } from './support/hostile/leaks.ts'
import { type Route, withRoutes } from './support/running-routes.ts'
import { startTestService } from './support/service.ts'
import { fillShop, type Named, namesSomething, naming, nobodys } from './support/shop-of-all.ts'

const { service, app, routes } = await withRoutes(() =>
  startTestService({ TILLBELL_MAIL_INBOUND_SECRET: 'a secret of the provider who posts our mail' }),
)
after(service.stop)
const [shop, other, gone] = [await service.newMerchant(), await service.newMerchant(), await service.newMerchant()]
const { idIn, everything } = await fillShop(service, shop)
await revokeApiKey(service.database.sql, pairOf(gone.authorization)[0], new Date())

function pairOf(authorization: string): [key: string, secret: string] {
  const [key = '', secret = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':')
  return [key, secret]
}
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
const nameOf = ({ method, url }: Route) => `${method} ${url}`

/** What lets somebody in, by the first pattern that fits. */
const doors: readonly (readonly [pattern: RegExp, door: string])[] = [
  [/^[A-Z]+ \/api\/v5\/rest\//, 'API key'],
  [/^POST \/console\/(session|password\/forgotten|links|password\/reset|invitations\/acceptance)$/, 'its own secret'],
  [/^[A-Z]+ \/console\//, 'session'],
  [/^POST \/mail\/inbound$/, 'inbound secret'],
  [/^POST \/gateways\/:id\/events$/, 'signature'],
  [/^(GET|POST) \/cards\/:link$/, 'secret in the path'],
  [/^(GET|POST) \/inbox\/:key(\/|$)/, 'secret in the path'],
  [/^(GET|POST) \/sandbox\/challenges\/:gateway\/:operation$/, 'secret in the path'],
  [/^POST \/offers\/:offer\/transactions\/:transaction\/step$/, 'secret in the path'],
  [/^POST \/offers\/:offer(\/proofs(\/:secret)?)?$/, 'form token'],
  [/^POST \/token\/registrations$/, 'its own secret'],
  [/^GET \/offers\/:offer/, 'open'],
  [/^GET \/pages\/(looks\/:colors|logos\/:merchant\/:sha256|[a-z-]+\.[\w-]+\.(css|js))$/, 'open'],
  [/^GET \/docs(\/|$)/, 'open'],
  [/^GET \/dashboard(\/\*)?$/, 'open'],
  [/^GET \/(healthz|readyz|api\/v5\/openapi\.json)$/, 'open'],
]
const doorOf = (route: Route) => doors.find(([pattern]) => pattern.test(nameOf(route)))?.[1]
const behind = (door: string) => routes.filter(route => doorOf(route) === door)

let asked = 0
/** From an address of its own each time: how often one may be wrong is another promise. */
async function ask(route: Route, { url, body }: Named, headers: { readonly [name: string]: string } = {}) {
  asked += 1
  const payload = route.method === 'GET' ? {} : { payload: JSON.stringify(body) }
  const type = route.method === 'GET' ? {} : { 'content-type': 'application/json' }
  const remoteAddress = `198.18.${asked >> 8}.${asked & 255}`
  const answer = await app.inject({
    method: route.method as 'GET',
    url,
    headers: { ...type, ...headers },
    remoteAddress,
    ...payload,
  })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

async function changingNothing(work: () => Promise<void>): Promise<void> {
  const was = await everything()
  await work()
  assert.deepEqual(await everything(), was)
}

test('every route has a door, and every door has a route', () => {
  assert.deepEqual(routes.filter(route => doorOf(route) === undefined).map(nameOf), [])
  for (const [pattern, door] of doors)
    assert.ok(
      routes.some(route => pattern.test(nameOf(route))),
      `${pattern}, ${door}`,
    )
})

test('every route of REST is in the OpenAPI document, and nothing else is', async () => {
  const { body } = await app.inject({ url: '/api/v5/openapi.json' })
  const paths: { readonly [path: string]: object } = JSON.parse(body).paths
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  const served = [...behind('API key'), ...routes.filter(({ url }) => url === '/token/registrations')].map(nameOf)
  assert.deepEqual(described.toSorted(), served.toSorted())
})

test('without an API key, or with one that is broken, wrong, crossed or revoked, nobody learns or changes anything', async () => {
  const [key, secret] = pairOf(shop.authorization)
  const [, otherSecret] = pairOf(other.authorization)
  const wrong: readonly { readonly [name: string]: string }[] = [
    {},
    ...[
      '',
      'Basic',
      'Basic  ',
      'Basic !!!!',
      `Bearer ${secret}`,
      `Basic ${key}:${secret}`,
      basic(key),
      basic(`${key}:`),
    ].map(authorization => ({ authorization })),
    ...[
      `${key}:${secret}x`,
      `${key}:${secret.slice(0, -1)}`,
      `${key}:${otherSecret}`,
      `${key.slice(0, -1)}:${secret}`,
      `:${secret}`,
    ].map(pair => ({ authorization: basic(pair) })),
    { authorization: gone.authorization },
    { cookie: `authorization=${shop.authorization}` },
  ]
  await changingNothing(async () => {
    for (const route of behind('API key')) {
      const named = await naming(route, idIn)
      const answers = new Set<string>()
      for (const headers of wrong) {
        const { status, text, headers: said } = await ask(route, named, headers)
        // A key that is often wrong is slowed down, which is refused as well.
        const isSlowed = status === 429 && String(headers.authorization).startsWith('Basic ')
        assert.ok(status === 401 || isSlowed, `${nameOf(route)} ${JSON.stringify(headers)} is ${status}: ${text}`)
        if (isSlowed) continue
        assert.match(String(said['www-authenticate']), /^Basic /)
        answers.add(text)
      }
      assert.equal(answers.size, 1, `${nameOf(route)} says which of them it was: ${[...answers].join()}`)
    }
  })
})

test('with a good key, another merchant’s ids read byte for byte like ids that nobody has, and nothing of theirs is changed', async () => {
  const headers = { authorization: other.authorization }
  const routesThatName = behind('API key').filter(namesSomething)
  assert.ok(routesThatName.length >= 25, `${routesThatName.length} routes`)
  await changingNothing(async () => {
    for (const route of routesThatName) {
      const theirs = await ask(route, await naming(route, idIn), headers)
      const nobody = await ask(route, await naming(route, nobodys), headers)
      assert.deepEqual([theirs.status, theirs.text], [nobody.status, nobody.text], nameOf(route))
      if (route.url.includes(':')) {
        const nonsense = await ask(route, await naming(route, async () => 'x'), headers)
        assert.equal(nonsense.status, theirs.status, `${nameOf(route)} by nonsense`)
      }
      const isRead = route.method === 'GET' && !route.url.endsWith('/requests') // which waits for one
      if (isRead) {
        const mine = await ask(route, await naming(route, idIn), { authorization: shop.authorization })
        assert.ok(
          mine.status === 200 && mine.text.trim() !== '[]',
          `${nameOf(route)} by its own merchant: ${mine.text}`,
        )
      }
      const isList = theirs.text.trim() === '[]'
      assert.ok(theirs.status === 404 || isList, `${nameOf(route)} is ${theirs.status}: ${theirs.text}`)
      nothingLeaks(theirs.text, [shop.merchant, 'shops-own', 'Only the shop’s'])
    }
  })
})

test('without a session, or with one that is broken or has ended, the console says nothing', async () => {
  const client = new ConsoleClient(service.baseUrl)
  assert.equal((await client.signIn(shop.login)).status, 200)
  const { cookie, csrfToken } = client
  const fresh = { cookie, origin: service.baseUrl, 'x-csrf-token': csrfToken }
  assert.equal((await client.ask('session', { method: 'DELETE' })).status, 204)
  const [name = '', value = ''] = cookie.split('=')
  const cookies = [
    '',
    name,
    `${name}=`,
    `${name}=${value.slice(0, -1)}`,
    `${name}=${value}x`,
    `${name}=%00`,
    `other=${value}`,
    cookie,
  ]
  await changingNothing(async () => {
    for (const route of behind('session')) {
      const named = await naming(route, idIn)
      for (const each of cookies) {
        const { status, text } = await ask(route, named, { ...fresh, cookie: each })
        assert.deepEqual(
          [status, JSON.parse(text).errors],
          [401, { general: 'Sign in first.' }],
          `${nameOf(route)} ${each}`,
        )
      }
    }
  })
})

test('mail is taken from nobody but the provider who has the secret', async () => {
  const [route] = behind('inbound secret')
  assert.ok(route !== undefined)
  for (const authorization of [
    '',
    'Bearer',
    'Bearer x',
    'Basic YTpi',
    'Bearer a secret of the provider who posts our mai',
    shop.authorization,
  ]) {
    const { status, text } = await ask(
      route,
      { url: route.url, body: {} },
      { authorization, 'content-type': 'message/rfc822' },
    )
    assert.deepEqual(
      [status, JSON.parse(text)],
      [401, { mail: null, errors: { general: 'The secret is missing or wrong.' } }],
    )
  }
})

test('what a secret or a signature opens, a made up one does not: 404 or refused, whoever else one is', async () => {
  const madeUp: { readonly [name: string]: string } = {
    ...{
      link: 'A'.repeat(43),
      key: 'A'.repeat(43),
      secret: 'A'.repeat(43),
      mail: await nobodys('letters'),
      path: 'transaction',
    },
    ...{ operation: await nobodys('doubt'), transaction: await nobodys('transactions'), offer: await idIn('offers') },
    ...{ gateway: await idIn('gateways'), id: await idIn('gateways') },
  }
  await changingNothing(async () => {
    for (const door of ['secret in the path', 'signature', 'form token', 'its own secret']) {
      for (const route of behind(door)) {
        const url = route.url.replace(
          /:(\w+)/g,
          (_, name) => madeUp[name] ?? assert.fail(`${name} is not known to this test`),
        )
        for (const headers of [
          {},
          { authorization: shop.authorization },
          { 'content-type': 'application/x-www-form-urlencoded' },
        ]) {
          const { status, text } = await ask(route, { url, body: {} }, headers)
          assert.ok([400, 401, 403, 404, 415, 422].includes(status), `${nameOf(route)} is ${status}: ${text}`)
          nothingLeaks(text, [shop.merchant, 'shops-own'])
        }
      }
    }
  })
})

test('what is open to everybody shows nothing of a merchant’s but the offer that it is about', async () => {
  const offer = await idIn('offers')
  for (const route of behind('open')) {
    const url = route.url
      .replace(/\(.*?\)/g, '')
      .replace(':offer', offer)
      .replace(':kind', 'png')
      .replace('*', 'x')
      .replace(/:\w+/g, 'x')
    const { status, text } = await ask(route, { url, body: {} })
    assert.ok(status < 500, `${nameOf(route)} is ${status}: ${text}`)
    const [key, secret] = pairOf(shop.authorization)
    for (const its of ['shops-own', shop.login.email, key, secret, 'ada@example.com']) {
      const isSample = url.startsWith('/docs') || url.startsWith('/api/v5/openapi')
      if (!isSample) assert.ok(!text.includes(its), `${nameOf(route)} shows ${its}`)
    }
  }
})
