// Stored cards and the customers they belong to.

import type { CardToken, CustomerId, GatewayId, MerchantId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import {
  type Card,
  type CardFilter,
  type CardOfCustomer,
  type CardVault,
  type Customer,
  oldestGoodExpiry,
} from '../core/people.ts'
import { columnsOf, partsOf } from './columns.ts'
import type { Database, Json, Scope } from './database.ts'
import { cardColumns, cardFrom, customerColumns, customerFrom } from './rows.ts'

const ownedCardColumns = columnsOf({ c: cardColumns, u: customerColumns })

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

/** Of a known one nothing changes; it is held until the commit, so that it is not erased before its new card is there. */
export async function customerOrKnown(
  scope: Scope,
  merchantId: MerchantId,
  { id, email, firstName, lastName }: Customer,
  now: Date,
): Promise<CustomerId> {
  for (;;) {
    const [written] = await scope<{ id: CustomerId }[]>`
      insert into customer (merchant_id, id, email, first_name, last_name, created_at)
      values (${merchantId}, ${id}, ${email}, ${firstName}, ${lastName}, ${now})
      on conflict (merchant_id, email) where email is not null do nothing returning id`
    if (written !== undefined) return written.id
    const [known] = await scope<{ id: CustomerId }[]>`select id from customer
      where merchant_id = ${merchantId} and email = ${email} for share`
    if (known !== undefined) return known.id
    // Erased between the two.
  }
}

export async function findCustomer(sql: Database, merchantId: MerchantId, email: string): Promise<Customer | null> {
  const [row] = await sql`select ${sql(customerColumns)} from customer
    where merchant_id = ${merchantId} and email = ${email}`
  return row === undefined ? null : customerFrom(row)
}

export async function insertCard(scope: Scope, merchantId: MerchantId, card: Card, fingerprint: string): Promise<void> {
  await scope`insert into card ${scope({ ...card, merchantId, fingerprint } as unknown as Record<string, string>)}`
}

function cardsWithCustomers(sql: Database) {
  return sql`select ${sql.unsafe(ownedCardColumns)},
      (select json_agg(json_build_object('gatewayId', y.gateway_id, 'cardRef', y.card_ref) order by y.created_at, y.gateway_id)
        from card_copy y where y.merchant_id = c.merchant_id and y.token = c.token) as copies
    from card c join customer u on u.merchant_id = c.merchant_id and u.id = c.customer_id`
}

function cardOfCustomerFrom(row: Record<string, unknown>): CardOfCustomer {
  const { c, u } = partsOf(row)
  const card = cardFrom(c ?? {})
  const { gatewayId, cardRef } = card
  const copies = (row.copies ?? []) as CardVault[]
  return { card, customer: customerFrom(u ?? {}), vaults: [{ gatewayId, cardRef }, ...copies] }
}

/** Removed cards are not found: for the merchant they are gone. */
export async function findCard(
  sql: Database,
  merchantId: MerchantId,
  token: CardToken,
): Promise<CardOfCustomer | null> {
  const [row] = await sql`${cardsWithCustomers(sql)}
    where c.merchant_id = ${merchantId} and c.token = ${token} and c.removed_at is null`
  return row === undefined ? null : cardOfCustomerFrom(row)
}

/** The card that has this name in this vault, as its own or as a copy. An array: also a database without statistics looks for its tokens by their key. */
export async function findCardByRef(
  sql: Database,
  merchantId: MerchantId,
  { gatewayId, cardRef }: CardVault,
): Promise<CardOfCustomer | null> {
  const named = sql`merchant_id = ${merchantId} and gateway_id = ${gatewayId} and card_ref = ${cardRef}`
  const [row] = await sql`${cardsWithCustomers(sql)}
    where c.merchant_id = ${merchantId} and c.removed_at is null and c.token = any(array(
      select token from card where ${named} and removed_at is null union all select token from card_copy where ${named}))`
  return row === undefined ? null : cardOfCustomerFrom(row)
}

/** All that are left, also those given for one payment. */
export async function cardsToErase(
  sql: Database,
  merchantId: MerchantId,
  id: CustomerId,
  limit: number,
): Promise<CardOfCustomer[]> {
  const rows = await sql`${cardsWithCustomers(sql)}
    where c.merchant_id = ${merchantId} and c.customer_id = ${id} and c.removed_at is null limit ${limit}`
  return rows.map(cardOfCustomerFrom)
}

/** Those that are kept. */
export async function listCards(
  sql: Database,
  merchantId: MerchantId,
  filter: Page<CardToken> & CardFilter,
): Promise<CardOfCustomer[]> {
  const rows = await sql`${cardsWithCustomers(sql)}
    where c.merchant_id = ${merchantId} and c.removed_at is null and c.remove_at is null
      ${filter.email === null ? sql`` : sql`and u.email = ${filter.email}`}
      ${filter.isUnconfirmedToo ? sql`` : sql`and ${isConfirmed(sql)}`}
      ${
        filter.after === null
          ? sql``
          : sql`and (c.created_at, c.token) < (select created_at, token from card
        where merchant_id = ${merchantId} and token = ${filter.after})`
      }
    order by c.created_at desc, c.token desc limit ${filter.limit}`
  return rows.map(cardOfCustomerFrom)
}

/** Whose cards, and for what. */
export interface CardsWanted {
  readonly merchantId: MerchantId
  readonly email: string
  /** Where the offer is charged; null: anywhere. */
  readonly gatewayId: GatewayId | null
  /** The one card that may pay; null: any of theirs. */
  readonly onlyCard: CardToken | null
  readonly now: Date
  readonly limit: number
}

/** Of card `c`, as `canCustomerUse` says; in SQL, so that unusable cards push no usable one beyond a limit. */
function canCustomerUse(sql: Scope, now: Date) {
  const { expiryMonth, expiryYear } = oldestGoodExpiry(now)
  return sql`(c.removed_at is null and c.remove_at is null
    and (c.expiry_year, c.expiry_month) >= (${expiryYear}::int, ${expiryMonth}::int)
    and ${isConfirmed(sql)})`
}

/** Of card `c`, as the rule of the same name says. */
function isConfirmed(sql: Scope) {
  return sql`(c.consented_at is null or c.confirmed_at is not null)`
}

/**
 * What a customer who has proven the address can pay an offer with, newest first: usable by them, and in the vault of an active
 * gateway, which is the offer's own where it names one.
 */
export async function cardsToPayWith(sql: Database, wanted: CardsWanted): Promise<Card[]> {
  const { merchantId, email, gatewayId, onlyCard, now, limit } = wanted
  const rows = await sql`${cardsWithCustomers(sql)}
      join gateway g on g.merchant_id = c.merchant_id and g.id = coalesce(${gatewayId}, c.gateway_id)
    where c.merchant_id = ${merchantId} and u.email = ${email} and ${canCustomerUse(sql, now)}
      ${onlyCard === null ? sql`` : sql`and c.token = ${onlyCard}`}
      and g.status = 'active' and (g.id = c.gateway_id or exists (select from card_copy y
        where y.merchant_id = c.merchant_id and y.token = c.token and y.gateway_id = g.id))
    order by c.created_at desc, c.token desc limit ${limit}`
  return rows.map(row => cardOfCustomerFrom(row).card)
}

export interface CardCopy extends CardVault {
  readonly fingerprint: string
  readonly createdAt: Date
}

/**
 * The card is locked first: whoever removes it waits, and then finds this vault too. `gone`: it was removed meanwhile.
 * `taken`: it has a copy there, or the copy is another card's.
 */
export async function insertCardCopy(
  scope: Scope,
  merchantId: MerchantId,
  token: CardToken,
  copy: CardCopy,
): Promise<'written' | 'gone' | 'taken'> {
  const kept =
    await scope`select from card where merchant_id = ${merchantId} and token = ${token} and removed_at is null
    for share`
  if (kept.count === 0) return 'gone'
  const { gatewayId, cardRef, fingerprint, createdAt } = copy
  const { count } =
    await scope`insert into card_copy (merchant_id, token, gateway_id, card_ref, fingerprint, created_at)
    values (${merchantId}, ${token}, ${gatewayId}, ${cardRef}, ${fingerprint}, ${createdAt}) on conflict do nothing`
  return count === 1 ? 'written' : 'taken'
}

/** When it is removed from all of these vaults. False: it is in another one by now, which must be emptied first. */
export async function markCardRemoved(
  sql: Database,
  merchantId: MerchantId,
  token: CardToken,
  removedFrom: readonly CardVault[],
  now: Date,
): Promise<boolean> {
  const emptied = new Set(removedFrom.map(({ gatewayId }) => gatewayId))
  return sql.begin(async scope => {
    const its = scope`merchant_id = ${merchantId} and token = ${token}`
    await scope`select from card where ${its} for update`
    const copies = await scope<{ gatewayId: GatewayId }[]>`select gateway_id from card_copy where ${its}`
    if (copies.some(({ gatewayId }) => !emptied.has(gatewayId))) return false
    await scope`delete from card_copy where ${its}`
    await scope`update card set removed_at = ${now} where ${its} and removed_at is null`
    return true
  })
}
