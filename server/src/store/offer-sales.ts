// How offers sell. Only the newest attempts of each are read, by the index of its transactions.

import type { MerchantId, OfferId } from '../core/ids.ts'
import { parseUuid } from '../core/ids.ts'
import type { Offer } from '../core/offer.ts'
import type { OfferFilter, SoldInDetail, SoldOffer } from '../core/selling.ts'
import type { Database } from './database.ts'
import { offerColumns, offerFrom } from './rows.ts'

const attemptsInList = 1_000
const attemptsOfOne = 10_000

export async function listSoldOffers(
  sql: Database,
  merchantId: MerchantId,
  { search, active, after, limit }: OfferFilter,
): Promise<SoldOffer[]> {
  // The page is cut first: what sold is counted for the offers on it alone.
  const rows = await sql`select o.*, s.attempts, s.sold, s.captured_minor from (
      select ${sql(offerColumns)} from offer where merchant_id = ${merchantId}
        ${after === null ? sql`` : sql`and id < ${after}`}
        ${active === null ? sql`` : sql`and active = ${active}`}
        ${search === null ? sql`` : searched(sql, search)}
      order by id desc limit ${limit}) o
    cross join lateral (
      select count(*)::int as attempts, count(*) filter (where captured_minor > 0)::int as sold,
        coalesce(sum(captured_minor), 0)::bigint as captured_minor
      from (select captured_minor from transaction t where t.merchant_id = o.merchant_id and t.offer_id = o.id
        order by t.id desc limit ${attemptsInList + 1}) newest) s
    order by o.id desc`
  return rows.map(({ attempts, sold, capturedMinor, ...offer }) => ({
    offer: offerFrom(offer),
    sold: Number(sold),
    capturedMinor: capturedMinor as bigint,
    isMore: Number(attempts) > attemptsInList,
  }))
}

function searched(sql: Database, search: string) {
  const id = parseUuid<OfferId>(search)
  if (id !== null) return sql`and (id = ${id} or ref_id = ${search})`
  const begins = `${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql`and (ref_id = ${search} or lower(title) like ${begins})`
}

export async function salesOfOffer(sql: Database, { merchantId, id }: Offer): Promise<SoldInDetail> {
  const [row] = await sql<Omit<SoldInDetail, 'isMore'>[]>`select count(*)::int as attempts,
      count(*) filter (where captured_minor > 0)::int as sold,
      coalesce(sum(quantity) filter (where captured_minor > 0), 0)::int as units,
      coalesce(sum(captured_minor), 0)::bigint as captured_minor,
      coalesce(sum(refunded_minor), 0)::bigint as refunded_minor,
      coalesce(sum(held_minor), 0)::bigint as held_minor,
      count(*) filter (where status = 'Failed')::int as failed,
      max(created_at) filter (where captured_minor > 0 or held_minor > 0) as last_at
    from (select status, created_at, quantity, captured_minor, refunded_minor, held_minor from transaction
      where merchant_id = ${merchantId} and offer_id = ${id} order by transaction.id desc limit ${attemptsOfOne + 1}) newest`
  if (row === undefined) throw new Error('a count of nothing is a row, too')
  return { ...row, attempts: Math.min(row.attempts, attemptsOfOne), isMore: row.attempts > attemptsOfOne }
}
