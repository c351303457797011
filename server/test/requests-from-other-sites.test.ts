// A browser that once stored an API key as Basic credentials sends it along with a form of any site. REST refuses such requests before
// it looks at the credentials or the body; programs, which send neither Origin nor Sec-Fetch-Site, are not concerned.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { answered, answeredAbout, refused, rowCounts, writingNothing } from './support/answers.ts'
import { encodeForm, send } from './support/client.ts'
import { requestText, sendRaw } from './support/raw.ts'
import { withRoutes } from './support/running-routes.ts'
import { withBrowser } from './support/visitor.ts'

const { service: browsing, app, routes } = await withRoutes(() => withBrowser())
const { demo, baseUrl, database } = browsing.service
const { port } = new URL(baseUrl)
const general = 'A page of another site must not use this interface. Call it from your server.'

const foreign: readonly { readonly [name: string]: string }[] = [
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: '' },
  { Origin: 'nonsense' },
  { Origin: `https://127.0.0.1:${port}` },
  { Origin: `http://127.0.0.1:${Number(port) + 1}` },
  { Origin: 'http://127.0.0.1' },
  { Origin: `http://localhost:${port}` },
  { Origin: `${baseUrl}, https://evil.example` },
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: baseUrl },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'Cross-Site' },
  { 'Sec-Fetch-Site': 'unheard-of' },
]
const own: readonly { readonly [name: string]: string }[] = [
  {},
  { Origin: baseUrl },
  { Origin: baseUrl, 'Sec-Fetch-Site': 'same-origin' },
  { Origin: baseUrl, 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'same-origin' },
  { 'Sec-Fetch-Site': 'none' },
]

test('a charge that another site’s page sends is 403, and nothing is written', async () => {
  for (const headers of foreign) {
    const answer = await writingNothing(database.sql, () => demo.charge(demo.offer, demo.card, { headers }))
    refused(answeredAbout(answer, 403), 403, ['general'])
    assert.equal(answer.json.errors.general, general, JSON.stringify(headers))
  }
  for (const headers of own) answeredAbout(await demo.charge(demo.offer, demo.card, { headers }), 200)
})

test('it is refused before the credentials are looked at, and before the body is there', async () => {
  const form = encodeForm({ service_offer: demo.offer, token: demo.card })
  for (const headers of foreign) {
    const unread = {
      Authorization: 'Basic none',
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(form.length),
      ...headers,
    }
    refused(await sendRaw(baseUrl, requestText('POST /api/v5/rest/transactions', unread)), 403, ['general'])
  }
})

test('every route of REST refuses it, also those that only read', async () => {
  const rest = routes.filter(({ url }) => url.startsWith('/api/v5/rest/'))
  assert.ok(rest.length > 30, `${rest.length} routes`)
  for (const { method, url } of rest) {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await app.inject({
        method: method as 'GET',
        url: url.replace(/:\w+/g, 'x'),
        headers: { authorization: demo.authorization, ...headers },
      })
      assert.equal(answer.statusCode, 403, `${method} ${url} ${JSON.stringify(headers)}`)
    }
  }
})

test('a token is registered from anywhere: it takes no credentials that a browser could add', async () => {
  const [offer] = await database.sql<
    { token: string }[]
  >`select token_content as token from offer where id = ${demo.offer}`
  const answer = await send(`${baseUrl}/token/registrations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
    body: JSON.stringify({ token: offer?.token }),
  })
  answered(answer, 200)
})

browsing.test('a form of another site, in a browser that has the credentials, moves no money', async t => {
  const [username = '', password = ''] = Buffer.from(demo.authorization.slice('Basic '.length), 'base64')
    .toString()
    .split(':')
  const fields = Object.entries({ service_offer: demo.offer, token: demo.card })
  const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join('')
  const page = `<form method="post" action="${baseUrl}/api/v5/rest/transactions">${inputs}<button>Win</button></form>`
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  t.after(() => site.close())
  const before = await rowCounts(database.sql)
  const { page: visit, complaints } = await browsing.visitor(t, {
    httpCredentials: { username, password, send: 'always' },
  })
  await visit.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
  const [response] = await Promise.all([
    visit.waitForResponse(each => each.url().endsWith('/transactions')),
    visit.getByRole('button').click(),
  ])
  assert.equal(response.status(), 403)
  assert.deepEqual(await rowCounts(database.sql), before)
  complaints.splice(0) // about the 403
})
