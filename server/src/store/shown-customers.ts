// Customers as their merchant sees them: a list, newest first, and one with what belongs to them.

import { lowerCaseEmail } from '../core/email.ts'
import type { CustomerId, MerchantId } from '../core/ids.ts'
import type { Customer } from '../core/people.ts'
import type { ListedCustomer, ShownCustomer } from '../core/shown-customer.ts'
import type { TwoWayPage } from '../core/shown-sale.ts'
import type { Database, Scope } from './database.ts'
import { cardColumns, cardFrom, customerColumns } from './rows.ts'
import { beginsSo } from './sale-finding.ts'
import { listShownSales } from './sale-listing.ts'

const cardsMax = 100
const paymentsMax = 10
const lettersMax = 10

/** `beginning`: only those whose address begins so. `many`: more than `most` do. */
export async function listCustomers(
  sql: Database,
  merchantId: MerchantId,
  page: TwoWayPage<CustomerId> & { readonly beginning: string | null; readonly most: number },
): Promise<ListedCustomer[] | 'many'> {
  const { limit, after, before, beginning, most } = page
  const found = beginning === null ? null : await customersThatBegin(sql, merchantId, beginning, most + 1)
  if (found !== null && found.length > most) return 'many'
  const order = before === null ? sql`desc` : sql`asc`
  const ids = sql`select id from customer where merchant_id = ${merchantId}
    ${found === null ? sql`` : sql`and id = any(${found}::uuid[])`}
    ${after === null ? sql`` : sql`and id < ${after}`} ${before === null ? sql`` : sql`and id > ${before}`}
    order by id ${order} limit ${limit}`
  const rows = await sql<ListedRow[]>`select u.id, u.email, u.first_name, u.last_name, u.created_at, u.erased_at,
      (select count(*)::int from card c where c.merchant_id = u.merchant_id and c.customer_id = u.id
        and c.removed_at is null and c.remove_at is null) as cards,
      t.id as newest_id, t.created_at as newest_at, t.status, t.amount_minor, t.currency
    from (${ids}) picked join customer u on u.merchant_id = ${merchantId} and u.id = picked.id
      left join lateral (select * from transaction t where t.merchant_id = u.merchant_id and t.customer_id = u.id
        order by t.id desc limit 1) t on true
    order by u.id desc`
  return rows.map(listedFrom)
}

async function customersThatBegin(
  sql: Database,
  merchantId: MerchantId,
  text: string,
  limit: number,
): Promise<CustomerId[]> {
  const rows = await sql<
    { id: CustomerId }[]
  >`select id from customer where merchant_id = ${merchantId} and email is not null
    and ${beginsSo(sql, sql`email`, lowerCaseEmail(text))} limit ${limit}`
  return rows.map(({ id }) => id)
}

type Newest = NonNullable<ListedCustomer['newest']>
type ListedRow = Omit<ListedCustomer, 'newest'> & {
  readonly newestId: Newest['id'] | null
  readonly newestAt: Date
} & Pick<Newest, 'status' | 'amountMinor' | 'currency'>

function listedFrom({ newestId: id, newestAt: createdAt, status, amountMinor, currency, ...customer }: ListedRow) {
  return { ...customer, newest: id === null ? null : { id, createdAt, status, amountMinor, currency } }
}

export async function findShownCustomer(
  sql: Database,
  merchantId: MerchantId,
  id: CustomerId,
): Promise<ShownCustomer | null> {
  const [customer] = await sql<(Customer & Pick<ShownCustomer, 'createdAt' | 'erasedAt'>)[]>`
    select ${sql([...customerColumns, 'created_at', 'erased_at'])} from customer
    where merchant_id = ${merchantId} and id = ${id}`
  if (customer === undefined) return null
  const any = {
    statuses: [],
    source: null,
    needs: null,
    offer: null,
    createdAfter: null,
    createdBefore: null,
    oneOf: null,
  }
  const [cards, payments, letters] = await Promise.all([
    sql`select ${sql(cardColumns)} from card
      where merchant_id = ${merchantId} and customer_id = ${id} and removed_at is null and remove_at is null
      order by created_at desc, token desc limit ${cardsMax}`,
    listShownSales(sql, merchantId, { ...any, customer: id }, { limit: paymentsMax, after: null, before: null }),
    lettersFrom(sql, merchantId, customer.email),
  ])
  return { ...customer, cards: cards.map(cardFrom), payments, letters }
}

async function lettersFrom(
  sql: Scope,
  merchantId: MerchantId,
  email: string | null,
): Promise<ShownCustomer['letters']> {
  if (email === null) return []
  return sql<ShownCustomer['letters'][number][]>`
    select id, received_at, sender, is_proven, state, transaction_id, closed_because from letter
    where merchant_id = ${merchantId} and sender = ${email} order by id desc limit ${lettersMax}`
}
