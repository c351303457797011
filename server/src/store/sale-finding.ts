// Which sales a list shows, found in time that does not grow with the merchant: each kind of question is walked along an
// index in the order of the list, and cut before anything else is read. A rare state, or one that was common years ago, is
// so as quick as the newest page: nothing is read to be thrown away, but for what lies within a day of a limit in time.

import { lowerCaseEmail } from '../core/email.ts'
import type { CustomerId, MerchantId, OfferId, TransactionId } from '../core/ids.ts'
import type { SaleChoice, SalesFound, TwoWayPage } from '../core/shown-sale.ts'
import { sources, transactionStatuses } from '../core/transaction.ts'
import type { Database, Scope } from './database.ts'
import { idAt } from './id-at.ts'
import { salesInNeed } from './sales-in-need.ts'

type Written = ReturnType<Scope>
export type SalePage = TwoWayPage<TransactionId>

/** A statement for the ids of one page, in the direction in which it is read. */
export function idsOfSales(sql: Scope, merchantId: MerchantId, choice: SaleChoice, page: SalePage): Written {
  const { order } = direction(sql, page)
  const walks = walksOf(sql, merchantId, choice).map(walk => walked(sql, merchantId, choice, page, walk))
  const [first, ...others] = walks
  if (first === undefined) return sql`select id from transaction where false`
  if (others.length === 0) return first
  const all = others.reduce((sum, walk) => sql`${sum} union (${walk})`, sql`(${first})`)
  return sql`select id from (${all}) found order by id ${order} limit ${page.limit}`
}

function direction(sql: Scope, { before }: SalePage) {
  return before === null ? { order: sql`desc`, beyond: sql`<` } : { order: sql`asc`, beyond: sql`>` }
}

/** One walk for each row of `keys`, if there are any; each along the index that `where` names. */
interface Walk {
  readonly keys: Written | null
  readonly where: Written
}

function walksOf(sql: Scope, merchantId: MerchantId, choice: SaleChoice): Walk[] {
  const { statuses, source, offer, customer, needs, oneOf } = choice
  const inNeed = needs === null ? sql`` : sql`and t.id = any(${salesInNeed(sql, merchantId, needs)})`
  if (oneOf !== null) return walksOfSearch(sql, choice, oneOf, inNeed)
  if (needs !== null) return [{ keys: null, where: sql`${inNeed} ${isOf(sql, choice)} ${isOfKind(sql, choice)}` }]
  if (customer !== null) return [{ keys: null, where: sql`and t.customer_id = ${customer} ${isOfKind(sql, choice)}` }]
  if (statuses.length === 0 && source === null && offer === null) return [{ keys: null, where: sql`` }]
  const ofOffer = offer === null ? sql`` : sql`and t.offer_id = ${offer}`
  return [{ keys: kinds(sql, choice), where: sql`${ofOffer} ${fitsKind(sql)}` }]
}

/** Few, and looked through. */
function isOf(sql: Scope, { customer, offer }: SaleChoice): Written {
  return sql`${customer === null ? sql`` : sql`and t.customer_id = ${customer}`}
    ${offer === null ? sql`` : sql`and t.offer_id = ${offer}`}`
}

function walksOfSearch(
  sql: Scope,
  choice: SaleChoice,
  { ids, customers, offers }: SalesFound,
  inNeed: Written,
): Walk[] {
  const rest = sql`${isOf(sql, choice)} ${inNeed}`
  const ofKind = isOfKind(sql, choice)
  const byId =
    ids === null ? [] : [{ keys: null, where: sql`and t.id between ${ids.first} and ${ids.last} ${rest} ${ofKind}` }]
  const byCustomer = {
    keys: sql`unnest(${customers}::uuid[]) wanted (customer_id)`,
    where: sql`and t.customer_id = wanted.customer_id ${rest} ${ofKind}`,
  }
  const byOffer = {
    keys: sql`unnest(${offers}::uuid[]) wanted (offer_id) cross join ${kinds(sql, choice)}`,
    where: sql`and t.offer_id = wanted.offer_id ${rest} ${fitsKind(sql)}`,
  }
  return [...byId, ...(customers.length > 0 ? [byCustomer] : []), ...(offers.length > 0 ? [byOffer] : [])]
}

/** Every pair of a state and a source that is asked for: for each, the index has the sales in the order of the list. */
function kinds(sql: Scope, { statuses, source }: SaleChoice): Written {
  return sql`unnest(${statuses.length === 0 ? transactionStatuses : statuses}::text[]) kind (status)
    cross join unnest(${source === null ? sources : [source]}::text[]) way (source)`
}

function fitsKind(sql: Scope): Written {
  return sql`and t.status = kind.status and t.source = way.source`
}

/** Where there are few, and they are looked through. */
function isOfKind(sql: Scope, { statuses, source }: SaleChoice): Written {
  return sql`${statuses.length === 0 ? sql`` : sql`and t.status = any(${statuses}::text[])`}
    ${source === null ? sql`` : sql`and t.source = ${source}`}`
}

function walked(
  sql: Scope,
  merchantId: MerchantId,
  choice: SaleChoice,
  page: SalePage,
  { keys, where }: Walk,
): Written {
  const { order, beyond } = direction(sql, page)
  const from = page.before ?? page.after
  const one = sql`select t.id from transaction t where t.merchant_id = ${merchantId} ${where} ${inTime(sql, choice)}
    ${from === null ? sql`` : sql`and t.id ${beyond} ${from}`}
    order by t.id ${order} limit ${page.limit}`
  if (keys === null) return one
  return sql`select one.id from ${keys} cross join lateral (${one}) one order by one.id ${order} limit ${page.limit}`
}

/** By id as well, so that what lies outside is not read. */
function inTime(sql: Scope, { createdAfter, createdBefore }: SaleChoice): Written {
  return sql`
    ${createdAfter === null ? sql`` : sql`and t.created_at > ${createdAfter} and t.id > ${idAt(createdAfter, -1)}`}
    ${createdBefore === null ? sql`` : sql`and t.created_at < ${createdBefore} and t.id < ${idAt(createdBefore, 1)}`}`
}

/** The greatest character: what begins with a text lies between it and itself with this behind it. */
const beyondAll = '\u{10ffff}'

/** Customers whose address begins so. In the order of bytes, whatever language the database sorts in. */
export function beginsSo(sql: Scope, column: Written, text: string): Written {
  return sql`${column} ~>=~ ${text} and ${column} ~<~ ${text + beyondAll}`
}

/** What a search means. `many`: more customers or offers than can be looked through. */
export async function searchedSales(
  sql: Database,
  merchantId: MerchantId,
  text: string,
  most: number,
): Promise<Pick<SalesFound, 'customers' | 'offers'> | 'many'> {
  const email = lowerCaseEmail(text)
  const [customers, offers] = await Promise.all([
    sql<{ id: CustomerId }[]>`select id from customer where merchant_id = ${merchantId} and email is not null
      and ${beginsSo(sql, sql`email`, email)} limit ${most + 1}`,
    sql<
      { id: OfferId }[]
    >`select id from offer where merchant_id = ${merchantId} and ref_id = ${text} limit ${most + 1}`,
  ])
  if (customers.length > most || offers.length > most) return 'many'
  return { customers: customers.map(({ id }) => id), offers: offers.map(({ id }) => id) }
}
