// The directory says whose a thing is: what comes with no credentials (a page's address, a gateway's notice) begins here.

import type { MerchantId } from '../core/ids.ts'
import type { Database } from './database.ts'

/** Null: nobody's. */
export async function findOwner(sql: Database, kind: 'gateway' | 'offer', key: string): Promise<MerchantId | null> {
  const [row] = await sql<{ merchantId: MerchantId }[]>`
    select merchant_id from directory where kind = ${kind} and key = ${key}`
  return row?.merchantId ?? null
}
