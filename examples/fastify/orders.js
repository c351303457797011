// Orders in SQLite, so a restart forgets nothing.

import { DatabaseSync } from 'node:sqlite'

const db = new DatabaseSync(process.env.SHOP_DATABASE ?? 'shop.sqlite', { timeout: 5_000 })
db.exec(`create table if not exists orders
  (hook text primary key, id text, item text, quantity integer, amount text, email text)`)

/** The hook's id is the same for each attempt: to remember the hook and to keep the order is one step, which no crash can part. */
export function keepOrder(hook) {
  const { transaction, quantity, amount, email, user_data } = hook.details
  db.prepare('insert or ignore into orders values (?, ?, ?, ?, ?, ?)').run(
    hook.id,
    transaction,
    user_data.item_name,
    quantity,
    amount,
    email,
  )
}
