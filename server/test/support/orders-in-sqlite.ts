// What an example has written, read beside it.

import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ShopOrder } from './shop-conformance.ts'

/** None, before the first hook made its table. */
export function ordersIn(database: string): readonly ShopOrder[] {
  if (!existsSync(database)) return []
  const tables = rowsIn(database, "select 1 from sqlite_master where name = 'orders'")
  if (tables.length === 0) return []
  return rowsIn<ShopOrder>(database, 'select id, item, quantity, amount, email from orders')
}

export function rowsIn<Row>(database: string, query: string): readonly Row[] {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  try {
    return db
      .prepare(query)
      .all()
      .map(row => ({ ...row }) as Row)
  } finally {
    db.close()
  }
}
