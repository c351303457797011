// Idempotency of what moves no money. What is done in one commit (an offer made, a gateway changed) writes the key, the
// change and its answer together. What reaches beyond one (a card removed at its gateway, a test sent) takes its key first.
// Requests that move money keep theirs with the transaction.

import type { MerchantId } from '../core/ids.ts'
import type { Repetition } from '../core/ports.ts'
import type { AnswerSubject } from '../core/repetition.ts'
import { type Database, type Scope, violatedConstraint } from './database.ts'
import { serviceTime } from './settings.ts'

interface GivenAnswer {
  readonly status: number
  readonly text: string
}
export interface KeyedAnswer extends GivenAnswer {
  readonly subject: AnswerSubject | null
}

/**
 * Whether key `k` and the operation that it stands for were settled before this time; an open operation is never over, however
 * long ago an answer was given.
 */
export function settledBefore(sql: Scope, before: Date | ReturnType<Scope>) {
  return sql`k.settled_at < ${before} and not exists (select from operation p
    where p.merchant_id = k.merchant_id and p.transaction_id = k.transaction_id
      and (p.id = k.operation_id or (k.operation_id is null and p.kind = 'charge'))
      and (p.settled_at is null or p.settled_at >= ${before}))`
}

/** Whether key `k` of a GET without a key has been settled for so long that an equal GET is a new request. */
export function isReplayOver(sql: Scope, { replayedForMs }: Repetition) {
  if (replayedForMs === undefined) return sql`false`
  return settledBefore(sql, sql`${serviceTime(sql)} - ${replayedForMs} * interval '1 millisecond'`)
}

/** Does the work once per key. A refusal is thrown by the work: it undoes everything and keeps nothing. `otherArguments`: the key was used before, for something else. */
export async function doOnce(
  sql: Database,
  merchantId: MerchantId,
  key: Repetition | null,
  work: (scope: Scope) => Promise<KeyedAnswer>,
): Promise<Replay | 'otherArguments'> {
  const earlier = key === null ? null : await answeredBefore(sql, merchantId, key)
  if (earlier !== null) return earlier
  try {
    const answer = await sql.begin(async scope => {
      const done = await work(scope)
      if (key !== null) await insertAnswer(scope, merchantId, key, done)
      return done
    })
    return { status: answer.status, text: answer.text, replayed: false }
  } catch (error) {
    if (key === null || violatedConstraint(error) !== 'idempotency_key_pkey') throw error
    return doOnce(sql, merchantId, key, work) // the same key at the same moment: the first one's answer is there now
  }
}

/** How long a key is believed to be in use: far longer than anything takes. Then its process is dead. */
const abandonedAfter = '10 minutes'

/** Does the work for one request at a time. `running`: another one is just doing it. What it throws gives the key back. */
export async function doAlone(
  sql: Database,
  merchantId: MerchantId,
  key: Repetition,
  work: () => Promise<KeyedAnswer>,
): Promise<Replay | 'otherArguments' | 'running'> {
  if (!(await takeKey(sql, merchantId, key))) return (await answeredBefore(sql, merchantId, key)) ?? 'running'
  const own = sql`merchant_id = ${merchantId} and operation = ${key.operation} and key = ${key.key}`
  try {
    const { status, text, subject } = await work()
    const { transactionId, customerId, email } = subjectColumns(subject)
    await sql`update idempotency_key set status = ${status}, answer = ${text}, settled_at = ${serviceTime(sql)},
        transaction_id = ${transactionId}, customer_id = ${customerId}, email = ${email}
      where ${own}`
    return { status, text, replayed: false }
  } catch (error) {
    await sql`delete from idempotency_key where ${own} and status is null`
    throw error
  }
}

async function takeKey(sql: Database, merchantId: MerchantId, key: Repetition): Promise<boolean> {
  const { count } = await sql`insert into idempotency_key as k (merchant_id, operation, key, arguments_hash, created_at)
    values (${merchantId}, ${key.operation}, ${key.key}, ${key.argumentsHash}, now())
    on conflict (merchant_id, operation, key) do update set created_at = now()
      where k.status is null and k.arguments_hash = excluded.arguments_hash
        and k.created_at < now() - ${abandonedAfter}::interval`
  return count === 1
}

type Replay = GivenAnswer & { readonly replayed: boolean }

/** The answer that this key got before; null: there is none yet. */
export async function answeredBefore(
  sql: Database,
  merchantId: MerchantId,
  key: Repetition,
): Promise<Replay | 'otherArguments' | null> {
  const [row] = await sql<{ argumentsHash: string; status: number | null; answer: string | null }[]>`
    select arguments_hash, status, answer from idempotency_key
    where merchant_id = ${merchantId} and operation = ${key.operation} and key = ${key.key}`
  if (row === undefined) return null
  if (row.argumentsHash !== key.argumentsHash) return 'otherArguments'
  return row.status === null || row.answer === null ? null : { status: row.status, text: row.answer, replayed: true }
}

async function insertAnswer(scope: Scope, merchantId: MerchantId, key: Repetition, answer: KeyedAnswer): Promise<void> {
  const { transactionId, customerId, email } = subjectColumns(answer.subject)
  await scope`insert into idempotency_key (merchant_id, operation, key, arguments_hash, status, answer, created_at, settled_at,
      transaction_id, customer_id, email)
    values (${merchantId}, ${key.operation}, ${key.key}, ${key.argumentsHash}, ${answer.status}, ${answer.text}, now(),
      ${serviceTime(scope)}, ${transactionId}, ${customerId}, ${email})`
}

/** Erasure finds an answer by them. */
function subjectColumns(subject: AnswerSubject | null) {
  return { transactionId: null, customerId: null, email: null, ...subject }
}
