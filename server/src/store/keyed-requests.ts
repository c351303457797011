// Idempotency of what is done in one commit (an offer made, a gateway changed): the key, the change and its answer are
// written together, so a key without an answer cannot be seen. Requests that move money keep theirs with the transaction.

import type { MerchantId } from '../core/ids.ts'
import type { Repetition } from '../core/ports.ts'
import { type Database, type Scope, violatedConstraint } from './database.ts'
import { serviceTime } from './settings.ts'

export interface KeyedAnswer {
  readonly status: number
  readonly text: string
}
type Key = Repetition & { readonly by: 'key' }

/** Does the work once per key. A refusal is thrown by the work: it undoes everything and keeps nothing. `otherArguments`: the key was used before, for something else. */
export async function doOnce(
  sql: Database,
  merchantId: MerchantId,
  key: Key | null,
  work: (scope: Scope) => Promise<KeyedAnswer>,
): Promise<(KeyedAnswer & { readonly replayed: boolean }) | 'otherArguments'> {
  const earlier = key === null ? null : await answeredBefore(sql, merchantId, key)
  if (earlier !== null) return earlier
  try {
    const answer = await sql.begin(async scope => {
      const done = await work(scope)
      if (key !== null) await insertAnswer(scope, merchantId, key, done)
      return done
    })
    return { ...answer, replayed: false }
  } catch (error) {
    if (key === null || violatedConstraint(error) !== 'idempotency_key_pkey') throw error
    return doOnce(sql, merchantId, key, work) // the same key at the same moment: the first one's answer is there now
  }
}

/** The answer that this key got before; null: it is new. */
export async function answeredBefore(sql: Database, merchantId: MerchantId, key: Key) {
  const [row] = await sql<{ argumentsHash: string; status: number; answer: string }[]>`
    select arguments_hash, status, answer from idempotency_key
    where merchant_id = ${merchantId} and operation = ${key.operation} and key = ${key.key}`
  if (row === undefined) return null
  if (row.argumentsHash !== key.argumentsHash) return 'otherArguments' as const
  return { status: row.status, text: row.answer, replayed: true }
}

async function insertAnswer(scope: Scope, merchantId: MerchantId, key: Key, answer: KeyedAnswer): Promise<void> {
  await scope`insert into idempotency_key (merchant_id, operation, key, arguments_hash, status, answer, created_at, settled_at)
    values (${merchantId}, ${key.operation}, ${key.key}, ${key.argumentsHash}, ${answer.status}, ${answer.text}, now(), ${serviceTime(scope)})`
}
