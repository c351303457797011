// A year of sales of one merchant, written straight into the tables: what a list is made of, and as uneven as life. One
// offer sells half of everything, most customers buy a few times, and what was voided is all long ago.

import type { Database } from '../server/src/store/database.ts'
import { barely } from './barely.ts'

const bite = 50_000

export interface Filled {
  readonly merchant: string
  readonly gateway: string
  /** How many there are in the end; `from` are there already. */
  readonly from: number
  readonly to: number
}

export async function fillSales(sql: Database, filled: Filled): Promise<void> {
  const own = await sql.reserve()
  try {
    // What is written here fits together: nothing needs to be looked up for it, or written down beside it.
    await own.unsafe('set session_replication_role = replica')
    await own.unsafe(idFunction)
    await barely(own, filledTables, async () => {
      await fillPeopleAndOffers(own, filled)
      await own.unsafe(namesOf(filled))
      for (let from = filled.from; from < filled.to; from += bite) {
        await fillBite(own, filled, from, Math.min(from + bite, filled.to))
      }
    })
    await own.unsafe('drop table people, things; set session_replication_role = origin')
  } finally {
    own.release()
  }
  for (const table of [...filledTables, 'offer', 'attempt']) {
    await sql.unsafe(`vacuum (analyze) tillbell.${table}`)
  }
}

const filledTables = ['transaction', 'customer', 'card', 'operation', 'event', 'delivery']

type Own = Awaited<ReturnType<Database['reserve']>>

/** Always the same for the same number: customers, cards and offers are named by it. */
const idFunction = `create or replace function pg_temp.id_of(kind text, n bigint, at timestamptz) returns uuid language sql immutable as $$
  select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(r, 1, 3) || '-8' || substr(r, 4, 3) || '-' || substr(r, 7, 12))::uuid
  from (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as h, md5(kind || n) as r) parts $$`

export const offersMax = 1_000
const customersOf = (sales: number) => Math.ceil(sales * 0.3)
/** When customers and offers were made: before any sale. */
const begins = "'2020-01-01T00:00:00Z'::timestamptz"

async function fillPeopleAndOffers(sql: Own, { merchant, gateway, from, to }: Filled): Promise<void> {
  await sql`insert into customer (merchant_id, id, email, first_name, last_name, created_at)
    select ${merchant}, pg_temp.id_of('customer', n, ${sql.unsafe(begins)}), 'person-' || n || '@example.com', 'Person', 'No. ' || n,
      ${sql.unsafe(begins)}
    from generate_series(${customersOf(from)}::int, ${customersOf(to) - 1}::int) n`
  await sql`insert into card (merchant_id, token, customer_id, gateway_id, card_ref, mask, type, expiry_month, expiry_year, fingerprint, created_at)
    select ${merchant}, substr(md5('card' || n), 1, 24), pg_temp.id_of('customer', n, ${sql.unsafe(begins)}), ${gateway}, 'bench-' || n,
      '1111', 'visa', 12, 2040, 'bench-' || n, ${sql.unsafe(begins)}
    from generate_series(${customersOf(from)}::int, ${customersOf(to) - 1}::int) n`
  if (from > 0) return
  await sql`insert into offer (merchant_id, id, created_at, title, amount_minor, amount_given, currency, ref_id, custom_fields,
      authorization_only, custom_data, token_content, active)
    select ${merchant}, pg_temp.id_of('offer', n, ${sql.unsafe(begins)}), ${sql.unsafe(begins)}, 'Thing no. ' || n, 1000, '10.00', 'USD',
      'thing-' || n, '[]', false, '{}', '', true
    from generate_series(0, ${offersMax - 1}::int) n`
}

/** Who and what a number stands for. */
function namesOf({ to }: Filled): string {
  return `create temp table people as select n, pg_temp.id_of('customer', n, ${begins}) as id, substr(md5('card' || n), 1, 24) as token
      from generate_series(0, ${customersOf(to) - 1}) n;
    create temp table things as select n, pg_temp.id_of('offer', n, ${begins}) as id from generate_series(0, ${offersMax - 1}) n;
    analyze people, things`
}

/** The year's moments, oldest first. Every 2,000th is one of a few rare states, and the voided are all in the oldest twentieth. */
function sales({ to }: Filled, from: number, until: number): string {
  return `select moments.n, at, uuidv7(at - now()) as id, uuidv7(at - now()) as operation_id, uuidv7(at - now()) as event_id, case
      when moments.n < ${to} / 20 and moments.n % 500 = 3 then 'Voided'
      when moments.n % 2000 = 7 then 'Authorized'
      when moments.n % 500 = 11 then 'Refunded'
      when moments.n % 500 = 13 then 'Partially Refunded'
      when moments.n % 25 = 17 then 'Failed'
      else 'Successful' end as status,
    case when moments.n % 200 = 19 then 'Email Transaction' else 'Web Transaction' end as source,
    people.id as customer_id, people.token, things.id as offer_id
  from (select n, now() - interval '365 days' + interval '365 days' * n / ${to} as at,
      case when n % 2 = 0 then 0 else (n / 2) % ${offersMax} end as offer, (n * 7919) % ${customersOf(to)} as customer
    from generate_series(${from}::bigint, ${until - 1}::bigint) n) moments
    join people on people.n = moments.customer join things on things.n = moments.offer order by moments.n`
}

async function fillBite(sql: Own, filled: Filled, from: number, until: number): Promise<void> {
  const { merchant, gateway } = filled
  await sql.unsafe(`create temp table sale_now as ${sales(filled, from, until)}`)
  await sql`insert into transaction (merchant_id, id, created_at, status, source, offer_id, customer_id, card_token, gateway_id, currency,
      unit_price_minor, quantity, amount_minor, authorization_only, pre_sale, failure_code, failure_sentence, held_minor, captured_minor,
      refund_reserved_minor, refunded_minor, version)
    select ${merchant}, id, at, status, source, offer_id, customer_id, token, ${gateway}, 'USD', 1000, 1, 1000,
      status in ('Authorized', 'Voided'), 'not_asked', case when status = 'Failed' then 'card_declined' end,
      case when status = 'Failed' then 'The card was declined.' end, case when status = 'Authorized' then 1000 else 0 end,
      case when status in ('Successful', 'Refunded', 'Partially Refunded') then 1000 else 0 end, 0,
      case status when 'Refunded' then 1000 when 'Partially Refunded' then 400 else 0 end, 2 from sale_now`
  await sql`insert into operation (merchant_id, id, transaction_id, kind, gateway_id, amount_minor, currency, created_at, outcome, sendings, asks,
      gateway_ref, decline_code, settled_at, lease_no, lease_until)
    select ${merchant}, operation_id, id, 'charge', ${gateway}, 1000, 'USD', at,
      case when status = 'Failed' then 'declined' else 'succeeded' end, 1, 0, 'bench-' || n,
      case when status = 'Failed' then 'card_declined' end, at, 1, at from sale_now`
  await sql`insert into event (merchant_id, id, transaction_id, kind, type, details, at, version)
    select ${merchant}, event_id, id, case when status = 'Failed' then 'error' else 'transaction' end,
      case when status = 'Failed' then 'error' else 'success' end, null, at, 2 from sale_now`
  await sql`insert into delivery (merchant_id, id, event_id, endpoint_id, created_at, attempts_forgotten)
    select ${merchant}, uuidv7(at - now()), event_id, endpoint.id, at, 1
    from sale_now cross join (select id from hook_endpoint where merchant_id = ${merchant} limit 1) endpoint`
  await sql.unsafe('drop table sale_now')
}
