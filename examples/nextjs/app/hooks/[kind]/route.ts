// POST /hooks/KIND, with a callback for each kind of hook. The route reads the body, verifies it, and answers. Orders are in SQLite, so
// a restart forgets nothing.

import { DatabaseSync } from 'node:sqlite'
import type { TransactionHook } from '@tillbell/sdk'
import { hookRoute } from '@tillbell/sdk/next'

const mostAtOnce = 5

export const POST = hookRoute({
  // A function: the build has no secrets. Several keys with blanks between them, while one replaces the other.
  privateKey: () => process.env.TILLBELL_PRIVATE_KEY?.split(' '),
  on: {
    // Asked once before the card is charged: a stop is answered with 409, and there is no charge.
    pre_sale: ({ details }) => details.quantity <= mostAtOnce || { stop: `At most ${mostAtOnce} at once` },
    // An authorisation comes here too, but the money comes with its capture. For a test nothing is shipped.
    transaction(hook) {
      if (hook.details.capture && !hook.isTest) keepOrder(hook)
    },
    far: ({ details }) => console.log(`${details.email} must do something: ${details.error}`),
    error: ({ details }) => console.log(`${details.transaction} failed: ${details.error}`),
  },
})

let db: DatabaseSync | undefined

/** The hook's id is the same for each attempt: to remember the hook and to keep the order is one step, which no crash can part. */
function keepOrder({ id, details }: TransactionHook): void {
  const { transaction, quantity, amount, email, user_data } = details
  db ??= openOrders()
  db.prepare('insert or ignore into orders values (?, ?, ?, ?, ?, ?)').run(
    id,
    transaction,
    user_data.item_name ?? null,
    quantity,
    amount,
    email,
  )
}

/** When the first order comes, not before: the build loads this file too. */
function openOrders(): DatabaseSync {
  const opened = new DatabaseSync(process.env.SHOP_DATABASE ?? 'shop.sqlite', { timeout: 5_000 })
  opened.exec(`create table if not exists orders
    (hook text primary key, id text, item text, quantity integer, amount text, email text)`)
  return opened
}
