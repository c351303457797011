// How offers sell. Of the sales of each only so many are read, by the index of its transactions.

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
      from (select captured_minor from transaction t
        where t.merchant_id = o.merchant_id and t.offer_id = o.id and t.status = any(${paid}::text[])
        limit ${countedInList + 1}) counted) s
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
  const begins = `${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql`and (ref_id = ${search} or lower(title) like ${begins})`
}

export async function salesOfOffer(sql: Database, { merchantId, id }: Offer): Promise<SoldInDetail> {
  const some = (statuses: readonly string[]) => sql`(select quantity, captured_minor, refunded_minor, held_minor
    from transaction where merchant_id = ${merchantId} and offer_id = ${id} and status = any(${statuses}::text[])
    limit ${countedOfOne + 1})`
  const [row] = await sql<Omit<SoldInDetail, 'isMore'>[]>`select p.*, h.held_minor, f.failed, l.last_at from
    (select count(*)::int as sold, coalesce(sum(quantity), 0)::int as units,
      coalesce(sum(captured_minor), 0)::bigint as captured_minor,
      coalesce(sum(refunded_minor), 0)::bigint as refunded_minor from ${some(paid)} a) p,
    (select coalesce(sum(held_minor), 0)::bigint as held_minor from ${some(['Authorized'])} b) h,
    (select count(*)::int as failed from ${some(['Failed'])} c) f,
    (select max(created_at) as last_at from unnest(${[...paid, 'Authorized']}::text[]) status,
      unnest(${sources}::text[]) source
      cross join lateral (select created_at from transaction t where t.merchant_id = ${merchantId} and t.offer_id = ${id}
        and t.status = status and t.source = source order by t.id desc limit 1) newest) l`
  if (row === undefined) throw new Error('a count of nothing is a row, too')
  const isMore = row.sold > countedOfOne || row.failed > countedOfOne
  return { ...row, sold: Math.min(row.sold, countedOfOne), failed: Math.min(row.failed, countedOfOne), isMore }
}
