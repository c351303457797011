// One operation by its id.

import type { MerchantId, OperationId } from '../core/ids.ts'
import type { Operation } from '../core/operation.ts'
import type { Database } from './database.ts'
import { wholeOperation } from './rows.ts'

export async function findOperation(sql: Database, merchantId: MerchantId, id: OperationId): Promise<Operation | null> {
  const [row] = await sql<Operation[]>`
    select ${wholeOperation(sql)} from operation where merchant_id = ${merchantId} and id = ${id}`
  return row ?? null
}
