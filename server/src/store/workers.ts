// The processes that send hooks and mails, and pay letters. Each beats; one whose beats stand still is buried by another, and what it held is free.

import type { MerchantId, WorkerId } from '../core/ids.ts'
import { openCount } from './claims.ts'
import type { Database } from './database.ts'

export interface Beating {
  readonly id: WorkerId
  readonly beats: bigint
}

export async function registerWorker(sql: Database, id: WorkerId): Promise<void> {
  await sql`insert into worker (id, beats) values (${id}, 0) on conflict (id) do nothing`
}

/** False: it was buried, and what it held may be in other hands. */
export async function beat(sql: Database, id: WorkerId): Promise<boolean> {
  const { count } = await sql`update worker set beats = beats + 1 where id = ${id}`
  return count === 1
}

export async function listWorkers(sql: Database): Promise<Beating[]> {
  return sql<Beating[]>`select id, beats from worker`
}

/** Only if it has not beaten since it was seen. */
export async function buryWorker(sql: Database, { id, beats }: Beating): Promise<void> {
  await sql`delete from worker where id = ${id} and beats = ${beats}`
}

export async function retireWorker(sql: Database, id: WorkerId): Promise<void> {
  await sql`delete from worker where id = ${id}`
}

/** What a worker takes in hand; each has an index of what is held, by its holder. */
const heldTables = ['owed_delivery', 'claim', 'letter', 'outgoing_mail'] as const
type HeldTable = (typeof heldTables)[number]

/** Who holds something without being alive: reads one row per holder and merchant, however many they hold. */
export async function findDeadHolders(sql: Database): Promise<{ holder: WorkerId; merchantId: MerchantId }[]> {
  const [deliveries, claims, letters, mails] = heldTables.map(table => holdersIn(sql, table))
  return sql<{ holder: WorkerId; merchantId: MerchantId }[]>`
    select holder, merchant_id from (${deliveries} union ${claims} union ${letters} union ${mails}) h
    where not exists (select from worker w where w.id = h.holder)`
}

function holdersIn(sql: Database, table: HeldTable) {
  return sql`(
    with recursive holding as (
      (select holder, merchant_id from ${sql(table)} where holder is not null order by holder, merchant_id limit 1)
      union all
      select n.holder, n.merchant_id from holding h cross join lateral (
        select holder, merchant_id from ${sql(table)}
        where holder is not null and (holder, merchant_id) > (h.holder, h.merchant_id)
        order by holder, merchant_id limit 1) n
    )
    select holder, merchant_id from holding)`
}

/** A bounded number of each kind; how many. */
export async function freeHeld(
  sql: Database,
  merchantId: MerchantId,
  holder: WorkerId,
  limit: number,
): Promise<number> {
  const of = { merchantId, holder, limit }
  const freed = await Promise.all([
    freeNewbornOf(sql, of),
    dropClaims(sql, of),
    freeHeldIn(sql, 'letter', of),
    freeHeldIn(sql, 'outgoing_mail', of),
  ])
  return freed.reduce((sum, count) => sum + count, 0)
}

interface Of {
  readonly merchantId: MerchantId
  readonly holder: WorkerId
  readonly limit: number
}

/** None is ever born in a hand twice: a result of the old holder, should it still come, is dropped. */
export async function freeNewbornOf(sql: Database, { merchantId, holder, limit }: Of): Promise<number> {
  const { count } =
    await sql`update owed_delivery set holder = null where merchant_id = ${merchantId} and id = any(array(
      select id from owed_delivery where merchant_id = ${merchantId} and holder = ${holder} limit ${limit} for update skip locked))`
  return count
}

/** Results count only while their claim is there. */
async function dropClaims(sql: Database, { merchantId, holder, limit }: Of): Promise<number> {
  const dropped = await sql<
    { count: number }[]
  >`delete from claim c where c.merchant_id = ${merchantId} and id = any(array(
      select id from claim where merchant_id = ${merchantId} and holder = ${holder} limit ${limit} for update skip locked))
    returning ${openCount(sql)} as count`
  return dropped.reduce((sum, { count }) => sum + count, 0)
}

/** The new number shuts the old holder out: its result, should it still come, is dropped. */
async function freeHeldIn(sql: Database, table: 'letter' | 'outgoing_mail', { merchantId, holder, limit }: Of) {
  const { count } = await sql`update ${sql(table)} set holder = null, lease_no = lease_no + 1
    where merchant_id = ${merchantId} and id = any(array(
      select id from ${sql(table)} where merchant_id = ${merchantId} and holder = ${holder} limit ${limit} for update skip locked))`
  return count
}
