// The list of transactions, newest first.

import type { MerchantId } from '../core/ids.ts'
import type { SaleFilter } from '../core/lists.ts'
import type { Sale } from '../core/sale.ts'
import type { Database } from './database.ts'
import { saleColumns, saleFrom, saleJoins } from './sale-reading.ts'

export async function listSales(sql: Database, merchantId: MerchantId, filter: SaleFilter): Promise<Sale[]> {
  const and = (condition: unknown, sqlText: () => ReturnType<typeof sql>) => (condition === null ? sql`` : sqlText())
  const rows = await sql`select ${saleColumns(sql)} from transaction t ${saleJoins(sql)}
    where t.merchant_id = ${merchantId}
      ${and(filter.after, () => sql`and t.id < ${filter.after}`)}
      ${and(filter.status, () => sql`and t.status = ${filter.status}`)}
      ${and(filter.source, () => sql`and t.source = ${filter.source}`)}
      ${and(filter.offer, () => sql`and t.offer_id = ${filter.offer}`)}
      ${and(
        filter.email,
        () => sql`and t.customer_id = (select id from customer
        where merchant_id = ${merchantId} and email = ${filter.email})`,
      )}
      ${and(filter.createdAfter, () => sql`and t.created_at > ${filter.createdAfter}`)}
      ${and(filter.createdBefore, () => sql`and t.created_at < ${filter.createdBefore}`)}
    order by t.id desc limit ${filter.limit}`
  return rows.map(saleFrom)
}
