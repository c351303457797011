// A service on a real database for fuzzers, asked without a socket: a shop with one of each thing, another whose things are not the
// shop's, and a list of what is written.

import assert from 'node:assert/strict'
import { answered } from '../answers.ts'
import type { Client } from '../client.ts'
import { signedIn } from '../console.ts'
import { type Running, withRoutes } from '../running-routes.ts'
import { startTestService, type TestService } from '../service.ts'

export const inboundSecret = 'a secret of the provider who posts our mail'

/** By what stands before an id in a path, or by the name of a field. */
export type Things = { readonly [segment: string]: string }

export interface HostileWorld extends Running {
  readonly service: TestService
  readonly shop: Client & { readonly merchant: string }
  readonly own: Things
  readonly others: Things
  /** Stands in all that the other merchant has, and in no request. */
  readonly othersName: string
  /** Of the shop's owner, at the console. */
  readonly session: () => Promise<{ readonly [name: string]: string }>
  /** The tables that were written since it was last asked. */
  readonly written: () => Promise<readonly string[]>
}

/** Notes behind the answers, counts of tries, and the books of the console are no money. */
const notWatched = ['api_key', 'tries', 'sign_in_try', 'console_session', 'console_change']

export async function openWorld(): Promise<HostileWorld> {
  // No worker: what is written is written by the request.
  const settings = {
    TILLBELL_ROLES: 'api,pages,mail',
    TILLBELL_REQUESTS_PER_S: '1000000',
    TILLBELL_MAIL_INBOUND_SECRET: inboundSecret,
  }
  const { service, app, routes } = await withRoutes(() => startTestService(settings))
  const [shop, other] = [await service.newMerchant(), await service.newMerchant()]
  const [own, others] = [await thingsOf(shop), await thingsOf(other)]
  const written = await watchWrites(service)
  const session = async () => {
    const { cookie, csrfToken } = await signedIn(service.baseUrl, shop.login)
    return { cookie, origin: service.baseUrl, 'x-csrf-token': csrfToken }
  }
  return { service, app, routes, shop, own, others, othersName: other.merchant, session, written }
}

async function thingsOf(merchant: Client & { readonly merchant: string }): Promise<Things> {
  const [offer, card] = [await merchant.makeOffer({ title: `Of ${merchant.merchant}` }), await merchant.storeCard()]
  const hook = answered(
    await merchant.ask('hook_endpoints', { form: { kind: 'transaction', url: 'http://127.0.0.1:9/' } }),
    200,
  )
  const paid = answered(await merchant.charge(offer, card), 200).json.transaction
  const [delivery] = answered(await merchant.ask('hook_deliveries'), 200).json
  assert.ok(delivery !== undefined)
  const endpoint = hook.json.hook_endpoint.id
  return {
    ...{
      transactions: paid.id,
      transaction: paid.id,
      offers: offer,
      offer,
      service_offer: offer,
      credit_cards: card,
      token: card,
    },
    ...{ gateways: paid.gateway, gateway: paid.gateway, hook_endpoints: endpoint, endpoints: endpoint, endpoint },
    ...{ hook_deliveries: delivery.id, delivery: delivery.id },
  }
}

async function watchWrites({ database: { sql } }: TestService): Promise<() => Promise<readonly string[]>> {
  const tables = await sql<{ name: string }[]>`select table_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = current_schema() and column_name = 'merchant_id' and table_type = 'BASE TABLE'
      and not table_name = any(${notWatched})`
  await sql`create unlogged table hostile_write (name text not null, op text not null)`
  await sql`create function note_write() returns trigger language plpgsql as
    $$ begin insert into hostile_write values (tg_table_name, tg_op); return null; end $$`
  for (const { name } of tables) {
    await sql`create trigger noted after insert or update or delete on ${sql(name)} for each row execute function note_write()`
  }
  assert.ok(tables.length > 20, `${tables.length} tables`)
  // What is taken back, as a key is before its request begins, is not there.
  return async () => {
    const rows = await sql<{ name: string }[]>`with noted as (delete from hostile_write returning *)
      select name from noted group by name
      having bool_or(op = 'UPDATE') or count(*) filter (where op = 'INSERT') <> count(*) filter (where op = 'DELETE')`
    return rows.map(({ name }) => name)
  }
}
