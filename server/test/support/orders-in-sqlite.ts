// What an example has written, read beside it.

import { DatabaseSync } from 'node:sqlite'
import type { ShopOrder } from './shop-conformance.ts'

export function ordersIn(database: string): readonly ShopOrder[] {
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
