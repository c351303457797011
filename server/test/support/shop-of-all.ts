// A shop that has one of each thing that a route can name, and what of it is in the database: for tests that walk over all routes.

import assert from 'node:assert/strict'
import { answered } from './answers.ts'
import type { Client } from './client.ts'
import { signedIn } from './console.ts'
import type { Route } from './running-routes.ts'
import type { SignInPair, TestService } from './service.ts'
import { until } from './until.ts'

type Shop = Client & { readonly merchant: string; readonly login: SignInPair }

const uuid = '01890000-0000-7000-8000-000000000000'
/** What stands before an id in a path, or names one in a body or query; where such ids are, and one that nobody has. */
const places: { readonly [segment: string]: readonly [table: string, column: string, nobodys: string] } = {
  transactions: ['transaction', 'id', uuid],
  offers: ['offer', 'id', uuid],
  credit_cards: ['card', 'token', 'AAAAAAAAAAAAAAAAAAAAAAAA'],
  gateways: ['gateway', 'id', 'gw_AAAAAAAAAAAAAAAAAAAAAA'],
  hook_endpoints: ['hook_endpoint', 'id', uuid],
  endpoints: ['hook_endpoint', 'id', uuid],
  hook_deliveries: ['delivery', 'id', uuid],
  hook_listeners: ['hook_listener', 'id', uuid],
  letters: ['letter', 'id', uuid],
  customers: ['customer', 'id', uuid],
  doubt: ['operation', 'id', uuid],
  private_keys: ['merchant_key', 'id', uuid],
  api_keys: ['api_key', 'id', uuid],
  sessions: ['console_session', 'id', uuid],
  members: ['login', 'email', 'nobody@example.com'],
  invitations: ['login_link', 'email', 'nobody@example.com'],
}

type IdIn = (segment: string) => Promise<string>

/** Ids that are named elsewhere than in the path, and what else is needed to get as far as looking for one; by the route behind its prefix. */
const bodies: { readonly [route: string]: (idIn: IdIn) => Promise<object> } = {
  'POST transactions': async idIn => ({ service_offer: await idIn('offers'), token: await idIn('credit_cards') }),
  'POST transactions/refunds': async idIn => ({ transaction: await idIn('transactions') }),
  'POST sandbox/disputes': async idIn => ({ transaction: await idIn('transactions') }),
  'POST offers': async idIn => ({ amount: '5.00', gateway: await idIn('gateways') }),
  'POST hook_deliveries/resend': async idIn => ({
    endpoint: await idIn('hook_endpoints'),
    created_after: '2020-01-01T00:00:00Z',
  }),
  'POST offers/:id/links': async () => ({ email: 'ada@example.com' }),
  'POST credit_cards/links': async idIn => ({ email: 'ada@example.com', gateway: await idIn('gateways') }),
  'PATCH gateways/:id': async () => ({ status: 'inactive' }),
  'PATCH hook_endpoints/:id': async () => ({ status: 'paused' }),
  'POST hook_listeners/:id/answers': async () => ({ request: uuid, status: 200, duration_ms: 1, body: '' }),
  'POST customers/erasures': async () => ({ email: 'ada@example.com' }),
}
const queries: { readonly [route: string]: (idIn: IdIn) => Promise<string> } = {
  'GET transactions': async idIn => `?offer=${await idIn('offers')}`,
  'GET hook_deliveries': async idIn =>
    `?endpoint=${await idIn('hook_endpoints')}&transaction=${await idIn('transactions')}`,
}

export interface Named {
  readonly url: string
  readonly body: object
}

/** The route as its prefix's own: `GET offers/:id`. */
const behindPrefix = ({ method, url }: Route) =>
  `${method} ${url.replace(/^\/(api\/v5\/rest|console\/rest|console)\//, '')}`

export function namesSomething(route: Route): boolean {
  return route.url.includes(':') || behindPrefix(route) in bodies || behindPrefix(route) in queries
}

/** The request that names things of this kind; with `nobodys`, ones that nobody has. */
export async function naming(route: Route, idIn: IdIn): Promise<Named> {
  const segments = route.url.split('/')
  const path = segments.map((segment, at) => (segment.startsWith(':') ? idIn(segments[at - 1] ?? '') : segment))
  const query = (await queries[behindPrefix(route)]?.(idIn)) ?? ''
  return {
    url: `${(await Promise.all(path)).join('/')}${query}`,
    body: (await bodies[behindPrefix(route)]?.(idIn)) ?? {},
  }
}

export const nobodys: IdIn = async segment => placeOf(segment)[2]

function placeOf(segment: string) {
  const place = places[segment]
  assert.ok(place !== undefined, `what stands behind ${segment}/ is not known to this test`)
  return place
}

export interface ShopOfAll {
  readonly idIn: IdIn
  /** All that it has, as the database holds it. */
  everything(): Promise<{ readonly [table: string]: string }>
}

/** Of sessions, and of who tries what: not of the shop. */
const ofSession = ['console_session', 'console_change', 'tries']

export async function fillShop(service: TestService, shop: Shop): Promise<ShopOfAll> {
  const { sql } = service.database
  const card = await shop.storeCard()
  // Before the endpoint: a listener is one too, and not to be found as one.
  answered(await shop.ask('hook_listeners', { json: { name: 'laptop', kinds: ['error'] } }), 200)
  answered(await shop.ask('hook_endpoints', { form: { kind: 'transaction', url: 'http://127.0.0.1:9/hooks' } }), 200)
  const offer = await shop.makeOffer({ title: 'Only the shop’s', ref_id: 'shops-own' })
  answered(await shop.charge(offer, card), 200)
  await sql`insert into letter (merchant_id, id, received_at, offer_id, sender, is_proven, is_answerable, language, state)
    values (${shop.merchant}, gen_random_uuid(), now(), ${offer}, 'ada@example.com', false, false, 'en', 'done')`
  const owner = await signedIn(service.baseUrl, shop.login)
  const invited = { email: 'grace@example.com', role: 'viewer' }
  assert.equal((await owner.ask('team/invitations', { method: 'POST', json: invited })).status, 200)
  // Noted behind the answers, and by the worker: no changes that somebody here made.
  await until('that the key was used is noted', async () => {
    const rows = await sql`select from api_key where merchant_id = ${shop.merchant} and last_used_at is not null`
    return rows.length === 1
  })
  await until('its hook was tried', async () => {
    const rows =
      await sql`select from owed_delivery where merchant_id = ${shop.merchant} and attempts > 0 and holder is null`
    return rows.length > 0
  })
  return {
    async idIn(segment) {
      const [table, column] = placeOf(segment)
      const [row] = await sql`select ${sql(column)}::text as id from ${sql(table)}
        where merchant_id = ${shop.merchant} order by 1 desc limit 1`
      assert.ok(row !== undefined, `the shop has no ${table}`)
      return String(row.id)
    },
    async everything() {
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
    },
  }
}
