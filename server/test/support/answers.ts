// What every answer must be, and what a refusal must be: its status, one sentence by field, and nothing written.

import assert from 'node:assert/strict'
import type { Database } from '../../src/store/database.ts'
import type { Answer } from './client.ts'

/** Holds what is the same for every answer, and its status. */
export function answered<A extends Answer>(answer: A, status: number): A {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(answer.headers['cache-control'], 'no-store')
  return answer
}

/** An answer about a transaction: the record or null, errors or null, and no other member. */
export function answeredAbout(answer: Answer, status: number): Answer {
  answered(answer, status)
  assert.deepEqual(Object.keys(answer.json), ['transaction', 'errors'])
  return answer
}

const leaks = /\bat .+\.[jt]s|node_modules|postgres|\bselect\b|\binsert\b|violates|constraint|undefined|\[object/i

/** Refused before anything was written: one sentence for each of these fields, and nothing of our insides. */
export function refused(answer: Answer, status: number, fields: readonly string[]): void {
  answered(answer, status)
  const { errors, ...others } = answer.json
  assert.deepEqual(Object.keys(errors).sort(), [...fields].sort(), answer.text)
  for (const [field, sentence] of Object.entries(errors)) {
    assert.match(String(sentence), /^\S.{3,200}[.?]$/)
    if (field !== 'general') assert.ok(String(sentence).includes(field), `${sentence} does not name ${field}`)
  }
  for (const member of Object.values(others)) assert.equal(member, null)
  assert.doesNotMatch(answer.text, leaks)
}

const tables = [
  ...['transaction', 'operation', 'offer', 'event', 'delivery', 'idempotency_key', 'card', 'customer', 'gateway'],
  ...['sandbox_entry', 'sandbox_card', 'hook_endpoint', 'hook_secret', 'pre_sale_request', 'card_link'],
] as const

export async function rowCounts(sql: Database): Promise<{ [table: string]: number }> {
  const counts = tables.map(async table => {
    const [row] = await sql<{ rows: number }[]>`select count(*)::int as rows from ${sql(table)}`
    return [table, row?.rows ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

/** Does the work, and holds that no row was written. */
export async function writingNothing<Result>(sql: Database, work: () => Promise<Result>): Promise<Result> {
  const before = await rowCounts(sql)
  const result = await work()
  assert.deepEqual(await rowCounts(sql), before)
  return result
}

/** How often the sandbox gateway carried something of this kind out, by transaction or in all. */
export async function booked(
  sql: Database,
  kind: 'charge' | 'capture' | 'void' | 'refund',
  transactions: readonly string[],
): Promise<{ count: number; sumMinor: bigint }> {
  const [row] = await sql<{ count: number; sumMinor: bigint }[]>`
    select count(*)::int as count, coalesce(sum(booked_minor), 0)::bigint as sum_minor from sandbox_entry
    where kind = ${kind} and step in ('succeeded', 'passed') and transaction_id = any(${transactions})`
  return row ?? { count: 0, sumMinor: 0n }
}
