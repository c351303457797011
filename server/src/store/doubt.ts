// What is in doubt or waits for a person, to be read and to be settled. Lists go over all merchants, and only read.

import type { MerchantId, OperationId, TransactionId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Operation } from '../core/operation.ts'
import type { Ask, Resolution } from '../core/ports.ts'
import type { Doubt, WholeDoubt } from '../core/shown-doubt.ts'
import type { Database } from './database.ts'
import { isOverdue, overdue, wholeOperation } from './rows.ts'

export interface DoubtFilter {
  /** Null: of everybody. */
  readonly merchantId: MerchantId | null
  /** Also what people have settled. */
  readonly settled: boolean
  /** Null: all of them. */
  readonly limit: number | null
}

/** Oldest first. */
export async function listDoubt(sql: Database, { merchantId, settled, limit }: DoubtFilter): Promise<Doubt[]> {
  const own = merchantId === null ? sql`` : sql`and merchant_id = ${merchantId}`
  return sql<Doubt[]>`
    with listed as (
      select merchant_id, id from operation where outcome = 'unknown' ${own}
      union select merchant_id, id from operation where ${overdue(sql)} ${own}
      union select merchant_id, id from operation where for_person is not null ${own}
      ${settled ? sql`union select merchant_id, operation_id from resolution where true ${own}` : sql``})
    select ${doubtColumns(sql)} from listed
      join operation p on p.merchant_id = listed.merchant_id and p.id = listed.id ${doubtJoin(sql)}
    order by p.created_at, p.id limit ${limit}`
}

/** A page of one merchant's: what is open, oldest first, or what people have settled, newest first. */
export async function listOwnDoubt(
  sql: Database,
  merchantId: MerchantId,
  { state, limit, after }: Page<OperationId> & { readonly state: 'open' | 'settled' },
): Promise<Doubt[]> {
  if (state === 'settled') {
    return sql<Doubt[]>`select ${doubtColumns(sql)} from operation p ${doubtJoin(sql)}
      where p.merchant_id = ${merchantId} and p.outcome <> 'unknown' and p.for_person is null and not ${isOverdue(sql, 'p')}
        and p.id in (select operation_id from resolution where merchant_id = ${merchantId}
          ${after === null ? sql`` : sql`and operation_id < ${after}`})
      order by p.id desc limit ${limit}`
  }
  const beyond = after === null ? sql`` : sql`and id > ${after}`
  return sql<Doubt[]>`with open as (
      select id from operation where merchant_id = ${merchantId} and outcome = 'unknown' ${beyond}
      union select id from operation where merchant_id = ${merchantId} and ${overdue(sql)} ${beyond}
      union select id from operation where merchant_id = ${merchantId} and for_person is not null ${beyond})
    select ${doubtColumns(sql)} from open
      join operation p on p.merchant_id = ${merchantId} and p.id = open.id ${doubtJoin(sql)}
    order by p.id limit ${limit}`
}

function doubtColumns(sql: Database) {
  return sql`${wholeOperation(sql, 'p')}, t.status as transaction_status`
}

function doubtJoin(sql: Database) {
  return sql`join transaction t on t.merchant_id = p.merchant_id and t.id = p.transaction_id`
}

/** An operation of whichever merchant: a key of each is looked at, because the directory does not know operations. */
export async function findDoubt(sql: Database, id: OperationId): Promise<WholeDoubt | null> {
  const [operation] = await sql<Doubt[]>`select ${doubtColumns(sql)} from merchant m
      join operation p on p.merchant_id = m.merchant_id and p.id = ${id} ${doubtJoin(sql)}`
  return operation === undefined ? null : withAnswers(sql, operation)
}

/** One of this merchant's. */
export async function findOwnDoubt(sql: Database, merchantId: MerchantId, id: OperationId): Promise<WholeDoubt | null> {
  const [operation] = await sql<Doubt[]>`select ${doubtColumns(sql)} from operation p ${doubtJoin(sql)}
    where p.merchant_id = ${merchantId} and p.id = ${id}`
  return operation === undefined ? null : withAnswers(sql, operation)
}

async function withAnswers(sql: Database, operation: Doubt): Promise<WholeDoubt> {
  const { merchantId, id } = operation
  const [asked, resolutions] = await Promise.all([
    sql<Ask[]>`select operation_id, number, at, step, heard from ask
      where merchant_id = ${merchantId} and operation_id = ${id} order by number`,
    sql<Resolution[]>`select operation_id, at, verdict, by, note, answers from resolution
      where merchant_id = ${merchantId} and operation_id = ${id} order by at`,
  ])
  return { operation, asked, resolutions }
}

/** All that was asked of gateways for a transaction of whichever merchant, oldest first. */
export async function findOperationsOf(sql: Database, transactionId: TransactionId): Promise<Doubt[]> {
  return sql<Doubt[]>`select ${doubtColumns(sql)} from merchant m
      join transaction t on t.merchant_id = m.merchant_id and t.id = ${transactionId}
      join operation p on p.merchant_id = t.merchant_id and p.transaction_id = t.id
    order by p.id`
}

export async function findNamesake(
  sql: Database,
  { merchantId, id, gatewayId, kind, gatewayRef }: Operation,
): Promise<{ readonly id: OperationId; readonly transactionId: TransactionId } | null> {
  const [other] = await sql<
    { id: OperationId; transactionId: TransactionId }[]
  >`select id, transaction_id from operation
    where merchant_id = ${merchantId} and gateway_id = ${gatewayId} and gateway_ref = ${gatewayRef} and kind = ${kind}
      and id <> ${id} limit 1`
  return other ?? null
}
