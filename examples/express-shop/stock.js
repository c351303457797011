// What there is to sell, and who has what of it. Everything is in SQLite, so a restart forgets nothing.
//
// A transaction takes its units when Pre-Sale asks (`reserved`), keeps them when it is paid (`sold`), or gives them back
// (`released`). Each step is one statement that names the state it leaves, so a hook that comes again changes nothing.

import { DatabaseSync } from 'node:sqlite'

const { SHOP_DATABASE = 'shop.sqlite', SHOP_STOCK = '10' } = process.env
const db = new DatabaseSync(SHOP_DATABASE, { timeout: 5_000 })
db.exec(`
  create table if not exists stock (one integer primary key check (one = 1), units integer not null);
  create table if not exists offer (one integer primary key check (one = 1), id text not null, url text not null);
  create table if not exists sale (
    id text primary key,
    quantity integer not null,
    email text,
    reserved_at_ms integer not null,
    state text not null check (state in ('reserved', 'sold', 'released'))
  )`)
db.prepare('insert or ignore into stock values (1, ?)').run(Number(SHOP_STOCK))

const leftIs = `(select units from stock) - (select coalesce(sum(quantity), 0) from sale where state <> 'released')`

export function left() {
  return db.prepare(`select ${leftIs} as left`).get().left
}

/** False: sold out. */
export function reserve({ transaction, quantity, email }) {
  const taken = db
    .prepare(`insert or ignore into sale select ?, ?, ?, ?, 'reserved' where ${leftIs} >= ?`)
    .run(transaction, quantity, email, Date.now(), quantity)
  return taken.changes === 1 || stateOf(transaction) === 'reserved'
}

/** True: now. False: it was before. Money that came for what was released is still a sale: a person must see to it. */
export function sell({ transaction, quantity, email }) {
  const sold = db
    .prepare(
      `insert into sale values (?, ?, ?, ?, 'sold') on conflict (id) do update set state = 'sold' where state <> 'sold'`,
    )
    .run(transaction, quantity, email, Date.now())
  return sold.changes === 1
}

export function release(transaction) {
  db.prepare(`update sale set state = 'released' where id = ? and state = 'reserved'`).run(transaction)
}

/** Reserved for longer than that, and nothing heard since. */
export function waitingSince(ms) {
  return db.prepare(`select id from sale where state = 'reserved' and reserved_at_ms <= ? order by rowid`).all(ms)
}

export function knownOffer() {
  return db.prepare('select id, url from offer').get()
}

export function keepOffer({ id, url }) {
  db.prepare('insert or ignore into offer values (1, ?, ?)').run(id, url)
}

function stateOf(transaction) {
  return db.prepare('select state from sale where id = ?').get(transaction)?.state
}
