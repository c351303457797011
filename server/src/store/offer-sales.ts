// How offers sell. Of the sales of each only so many are read, along the index of its transactions. An offer is named there by a
// span of one, in the index's own order: as an equality, PostgreSQL takes it for as good a way to walk along the states of all
// offers, or through the whole table, until a thousand are found, and for an offer that never sold it finds none.

import { type MerchantId, type OfferId, parseUuid } from '../core/ids.ts'

import type { Offer } from '../core/offer.ts'
import type { OfferFilter, SoldInDetail, SoldOffer } from '../core/selling.ts'
import { sources } from '../core/transaction.ts'
import type { Database } from './database.ts'
import { offerColumns, offerFrom } from './rows.ts'

const countedInList = 1_000
const countedOfOne = 10_000
const paid = ['Successful', 'Partially Refunded', 'Refunded']

export async function listSoldOffers(
  sql: Database,
  merchantId: MerchantId,
  { search, active, after, limit }: OfferFilter,
): Promise<SoldOffer[]> {
  // The page is cut first: what sold is counted for the offers on it alone.
  const rows = await sql`select o.*, s.sold, s.sold_minor from (
      select ${sql(offerColumns)} from offer where merchant_id = ${merchantId}
        ${after === null ? sql`` : sql`and id < ${after}`}
        ${active === null ? sql`` : sql`and active = ${active}`}
        ${search === null ? sql`` : searched(sql, search)}
      order by id desc limit ${limit}) o
    cross join lateral (
      select count(*)::int as sold, coalesce(sum(captured_minor), 0)::bigint as sold_minor
      from unnest(${paid}::text[]) of_status cross join lateral (
        select captured_minor from transaction t
        where t.merchant_id = ${merchantId}
          and (t.offer_id, t.status) >= (o.id, of_status) and (t.offer_id, t.status) <= (o.id, of_status)
        order by t.offer_id, t.status, t.source, t.id limit ${countedInList + 1}) counted) s
    order by o.id desc`
  return rows.map(({ sold, soldMinor, ...offer }) => ({
    offer: offerFrom(offer),
    sold: Math.min(Number(sold), countedInList),
    capturedMinor: soldMinor as bigint,
    isMore: Number(sold) > countedInList,
  }))
}

function searched(sql: Database, search: string) {
  const id = parseUuid<OfferId>(search)
  if (id !== null) return sql`and (id = ${id} or ref_id = ${search})`
  const begins = `${search.replace(/[\\%_]/g, '\\$&')}%`
  // Both in the database's own lower case.
  return sql`and (ref_id = ${search} or lower(title) like lower(${begins}))`
}

export async function salesOfOffer(sql: Database, { merchantId, id }: Offer): Promise<SoldInDetail> {
  const some = (statuses: readonly string[]) => sql`unnest(${statuses}::text[]) of_status cross join lateral (
    select quantity, captured_minor, refunded_minor, held_minor from transaction t
    where t.merchant_id = ${merchantId}
      and (t.offer_id, t.status) >= (${id}::uuid, of_status) and (t.offer_id, t.status) <= (${id}::uuid, of_status)
    order by t.offer_id, t.status, t.source, t.id limit ${countedOfOne + 1}) counted`
  const [row] = await sql<Omit<SoldInDetail, 'isMore'>[]>`select p.*, h.held_minor, f.failed, l.last_at from
    (select count(*)::int as sold, coalesce(sum(quantity), 0)::int as units,
      coalesce(sum(captured_minor), 0)::bigint as captured_minor,
      coalesce(sum(refunded_minor), 0)::bigint as refunded_minor from ${some(paid)}) p,
    (select coalesce(sum(held_minor), 0)::bigint as held_minor from ${some(['Authorized'])}) h,
    (select count(*)::int as failed from ${some(['Failed'])}) f,
    (select max(created_at) as last_at from unnest(${[...paid, 'Authorized']}::text[]) of_status,
      unnest(${sources}::text[]) of_source
      cross join lateral (select created_at from transaction t where t.merchant_id = ${merchantId}
        and (t.offer_id, t.status, t.source) >= (${id}::uuid, of_status, of_source)
        and (t.offer_id, t.status, t.source) <= (${id}::uuid, of_status, of_source)
        order by t.offer_id desc, t.status desc, t.source desc, t.id desc limit 1) newest) l`
  if (row === undefined) throw new Error('a count of nothing is a row, too')
  const isMore = row.sold > countedOfOne || row.failed > countedOfOne
  return { ...row, sold: Math.min(row.sold, countedOfOne), failed: Math.min(row.failed, countedOfOne), isMore }
}
