// Requests to every route of a whole service, made from what the routes take and then spoiled: never a failure of ours, always an
// answer in our own form, nothing of our insides or of another merchant's, and where it is refused, nothing written.

import assert from 'node:assert/strict'
import type { Route } from '../running-routes.ts'
import { anyJson, formSpices, formType, jsonSpices, jsonType } from './bodies.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { nothingLeaks } from './leaks.ts'
import { inboundSecret, openWorld } from './own-things.ts'
import { examples, fitting, formOf, hard, queried } from './values.ts'

interface Asked {
  readonly route: Route
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  /** Of bytes. */
  readonly body: string
  readonly address: string
}

/** They wait for others, or end what the next case needs. */
const leftOut = [
  'GET /api/v5/rest/hook_listeners/:id/requests',
  'DELETE /console/session',
  'DELETE /console/account/sessions',
]

export async function open(): Promise<Fuzzed<Asked>> {
  const world = await openWorld()
  const { app, own, others, shop, service, written } = world
  const routes = world.routes.filter(({ method, url }) => !leftOut.includes(`${method} ${url}`))
  const rest = routes.filter(({ url }) => url.startsWith('/api/v5/rest/'))
  const atConsole = routes.filter(({ url }) => url.startsWith('/console/'))
  const open = routes.filter(
    ({ method, url }) => method !== 'GET' && !url.startsWith('/api/') && !url.startsWith('/console/'),
  )
  let session = await world.session()

  /** Half of what is named is there; what would be gone for the next case never is. */
  function idAt(segment: string, method: string, chance: Chance): string {
    const isKept = ['GET', 'POST'].includes(method) && segment !== 'gateways'
    const mine = isKept ? own[segment] : undefined
    const id = pick([mine, mine, others[segment], '0192aaaa-0000-7000-8000-000000000003', pick(hard, chance)], chance)
    return encodeURIComponent((id ?? 'x').toWellFormed())
  }

  function urlOf({ url, method }: Route, chance: Chance): string {
    const isTest = url.endsWith('/test') // an endpoint's waits for a worker, and there is none
    const segments = url.replace(/\(.*?\)/g, '').split('/')
    const path = segments
      .map((segment, at) =>
        segment.startsWith(':') ? idAt(isTest ? '' : (segments[at - 1] ?? ''), method, chance) : segment,
      )
      .join('/')
    if (method !== 'GET' || chance(2) === 0) return path
    const query = new URLSearchParams({
      [pick(queried, chance)]: String(pick([...hard, ...Object.values(own), '5'], chance)).toWellFormed(),
    })
    return `${path}?${query}${pick(['', '&limit=1&limit=2', '&%', '&a[]=1', '&=%00'], chance)}`
  }

  function bodyOf({ body: { properties = {}, required = [] } }: Route, chance: Chance): { [name: string]: unknown } {
    // All that is required, mostly; of the rest a few.
    const named = Object.entries(properties).filter(([name]) => chance(8) > (required.includes(name) ? 0 : 5))
    const given = named.map(([name, schema]) => [name, own[name] ?? examples[name] ?? fitting(schema, chance)])
    const body: { [name: string]: unknown } = Object.fromEntries(given)
    for (let count = chance(2); count > 0; count -= 1) {
      const name = pick([...Object.keys(properties), 'unheard_of'], chance)
      body[name] = pick([pick(hard, chance), others[name] ?? null, anyJson(chance)], chance)
    }
    return body
  }

  function make(chance: Chance): Asked {
    const group = pick([rest, rest, rest, rest, rest, atConsole, open], chance)
    const route = pick(group, chance)
    const isJson = chance(2) === 0
    const given = bodyOf(route, chance)
    const text = isJson ? JSON.stringify(given) : formOf(given)
    const bytes = route.method === 'GET' ? '' : Buffer.from(text).toString('latin1')
    const body = bytes === '' || chance(3) > 0 ? bytes : damaged(bytes, chance, isJson ? jsonSpices : formSpices)
    const type =
      chance(20) === 0
        ? pick(['text/plain', 'application/xml', 'message/rfc822', ';'], chance)
        : isJson
          ? jsonType
          : formType
    const headers = {
      ...(body !== '' && { 'content-type': type }),
      ...(group === rest
        ? { authorization: shop.authorization }
        : group === atConsole
          ? session
          : { authorization: `Bearer ${inboundSecret}` }),
      ...(chance(6) === 0 && { 'idempotency-key': pick(['k', 'k2', 'a b', '', 'x'.repeat(256)], chance) }),
    }
    // From everywhere: that one address is slowed down is another promise.
    return { route, url: urlOf(route, chance), headers, body, address: `198.18.${chance(256)}.${chance(256)}` }
  }

  async function hold({ route, url, headers, body, address }: Asked): Promise<string> {
    service.forgetLogged()
    const payload = body === '' ? {} : { payload: Buffer.from(body, 'latin1') }
    const answer = await app.inject({ method: route.method as 'GET', url, headers, remoteAddress: address, ...payload })
    const { statusCode: status, body: text, headers: said } = answer
    if (status === 401 && 'cookie' in headers) session = await world.session()
    const isPage = /^(text|image)\//.test(String(said['content-type']))
    const json = isPage || (text === '' && status < 400) ? null : JSON.parse(text)
    const isKnownFailure = status === 502 && json?.transaction // the gateway's, with the record
    assert.ok(status < 500 || isKnownFailure, `${status}: ${text.slice(0, 500)}\n${lastError()}`)
    if (!isPage) assert.equal(said['cache-control'], 'no-store')
    assert.ok(!text.includes(world.othersName), `it shows what is another merchant’s: ${text.slice(0, 500)}`)
    const wrote = await written()
    if (status < 400 && route.url.includes('hook_')) await removePreSale()
    if (status < 400) return route.method === 'GET' ? 'read' : 'done'
    if (!isPage) isRefusal(json, text)
    const isRecorded = json?.transaction != null
    if (!isRecorded) assert.deepEqual(wrote, [], `${status}, and it was written: ${text.slice(0, 300)}`)
    return status === 429 ? 'slowed' : 'refused'
  }

  /** Nobody would answer it, and every charge from then on would wait for that. */
  async function removePreSale(): Promise<void> {
    await service.database
      .sql`update hook_endpoint set deleted_at = now() where kind = 'pre_sale' and deleted_at is null`
    await written()
  }

  const lastError = () =>
    service
      .logged()
      .split('\n')
      .findLast(line => line.includes('"level":"error"')) ?? ''

  return { make, hold, smaller, shown, close: () => service.stop() }
}

/** One sentence or more, by field. */
function isRefusal(json: { readonly errors?: unknown } | null, text: string): void {
  assert.ok(json !== null && typeof json.errors === 'object' && json.errors !== null, text)
  const errors = Object.entries(json.errors)
  assert.ok(errors.length > 0, text)
  for (const [field, sentence] of errors) {
    assert.match(String(sentence), /^.+[.?]$/s, text)
    assert.match(field, /\S/, text)
    nothingLeaks(String(sentence).replaceAll(field, ''))
  }
}

function* smaller(asked: Asked): Generator<Asked> {
  for (const body of shorter(asked.body)) yield { ...asked, body }
  const [path = '', query] = asked.url.split('?')
  if (query !== undefined) yield { ...asked, url: path }
}

function shown({ route: { method }, url, headers, body }: Asked): string {
  const kept = Object.entries(headers).filter(([name]) => ['content-type', 'idempotency-key'].includes(name))
  return `${method} ${url} ${JSON.stringify(Object.fromEntries(kept))} ${JSON.stringify(body)}`
}
