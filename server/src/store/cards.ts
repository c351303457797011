// Stored cards and the customers they belong to.

import type { CardToken, CustomerId, MerchantId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Card, CardOfCustomer, Customer } from '../core/people.ts'
import { partsOf, selecting } from './columns.ts'
import type { Database, Json, Scope } from './database.ts'
import { cardColumns, cardFrom, customerColumns, customerFrom } from './rows.ts'

/** A customer is known by email within a merchant: a new card of a known one joins the others and refreshes the name. */
export async function upsertCustomer(
  scope: Scope,
  merchantId: MerchantId,
  customer: Customer,
  now: Date,
): Promise<CustomerId> {
  const json = (value: unknown) => (value === null ? null : scope.json(value as Json))
  const [row] = await scope<{ id: CustomerId }[]>`
    insert into customer (merchant_id, id, email, first_name, last_name, sms_number, billing, shipping, created_at)
    values (${merchantId}, ${customer.id}, ${customer.email}, ${customer.firstName}, ${customer.lastName},
      ${customer.smsNumber}, ${json(customer.billing)}, ${json(customer.shipping)}, ${now})
    on conflict (merchant_id, email) where email is not null do update set
      first_name = coalesce(excluded.first_name, customer.first_name),
      last_name = coalesce(excluded.last_name, customer.last_name),
      sms_number = coalesce(excluded.sms_number, customer.sms_number),
      billing = coalesce(excluded.billing, customer.billing),
      shipping = coalesce(excluded.shipping, customer.shipping)
    returning id`
  if (row === undefined) throw new Error('a customer was not written')
  return row.id
}

export async function insertCard(scope: Scope, merchantId: MerchantId, card: Card, fingerprint: string): Promise<void> {
  await scope`insert into card ${scope({ ...card, merchantId, fingerprint } as unknown as Record<string, string>)}`
}

function cardsWithCustomers(sql: Database) {
  return sql`select ${selecting(sql, { c: cardColumns, u: customerColumns })} from card c
    join customer u on u.merchant_id = c.merchant_id and u.id = c.customer_id`
}

function cardOfCustomerFrom(row: Record<string, unknown>): CardOfCustomer {
  const { c, u } = partsOf(row)
  return { card: cardFrom(c ?? {}), customer: customerFrom(u ?? {}) }
}

/** Removed cards are not shown: for the merchant they are gone. */
export async function findCard(
  sql: Database,
  merchantId: MerchantId,
  token: CardToken,
): Promise<CardOfCustomer | null> {
  const [row] = await sql`${cardsWithCustomers(sql)}
    where c.merchant_id = ${merchantId} and c.token = ${token} and c.removed_at is null`
  return row === undefined ? null : cardOfCustomerFrom(row)
}

export async function listCards(
  sql: Database,
  merchantId: MerchantId,
  filter: Page<CardToken> & { readonly email: string | null },
): Promise<CardOfCustomer[]> {
  const rows = await sql`${cardsWithCustomers(sql)}
    where c.merchant_id = ${merchantId} and c.removed_at is null
      ${filter.email === null ? sql`` : sql`and u.email = ${filter.email}`}
      ${
        filter.after === null
          ? sql``
          : sql`and (c.created_at, c.token) < (select created_at, token from card
        where merchant_id = ${merchantId} and token = ${filter.after})`
      }
    order by c.created_at desc, c.token desc limit ${filter.limit}`
  return rows.map(cardOfCustomerFrom)
}

export async function markCardRemoved(
  scope: Scope | Database,
  merchantId: MerchantId,
  token: CardToken,
  now: Date,
): Promise<void> {
  await scope`update card set removed_at = ${now} where merchant_id = ${merchantId} and token = ${token} and removed_at is null`
}
