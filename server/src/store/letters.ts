// Letters: kept once, claimed by one worker at a time, and forgotten in time.

import type { CustomerId, LetterId, MerchantId, WorkerId } from '../core/ids.ts'
import type { HeldLetter, Verdict, Wanted } from '../core/letter.ts'
import type { Spent } from '../core/mail-limits.ts'
import type { Currency } from '../core/money.ts'
import type { Database, Json } from './database.ts'
import { spentSince } from './letter-writing.ts'

export const lettersChannel = 'tillbell_letters'

export interface StoredLetter extends Wanted {
  readonly id: LetterId
  readonly receivedAt: Date
  readonly sender: string | null
  readonly isProven: boolean
  readonly isAnswerable: boolean
  readonly language: string
  readonly messageId: string | null
  readonly verdict: Verdict
  readonly rawSealed: Buffer
}

class Known extends Error {}

/** Null: one of its keys is known, and nothing was written. */
export async function insertLetter(sql: Database, letter: StoredLetter, keys: readonly Buffer[]): Promise<boolean> {
  const { merchantId, id, tokenSha256, verdict, ...columns } = letter
  // In one order, so that two of the same mail do not wait for each other.
  const sorted = [...keys].sort(Buffer.compare)
  const row = {
    ...{ merchantId, id, ...columns, state: 'waiting' },
    tokenSha256: tokenSha256 === null ? null : Buffer.from(tokenSha256, 'hex'),
    verdict: sql.json(verdict as unknown as Json),
  }
  try {
    await sql.begin(async scope => {
      await scope`insert into letter ${scope(row as unknown as Record<string, string>)}`
      for (const key of sorted) {
        const { count } = await scope`insert into letter_key (merchant_id, key_sha256, letter_id)
          values (${merchantId}, ${key}, ${id}) on conflict do nothing`
        if (count === 0) throw new Known()
      }
      await scope`select pg_notify(${lettersChannel}, '')`
    })
    return true
  } catch (error) {
    if (error instanceof Known) return false
    throw error
  }
}

export async function findLetterByKeys(
  sql: Database,
  merchantId: MerchantId,
  keys: readonly Buffer[],
): Promise<LetterId | null> {
  const [row] = await sql<{ letterId: LetterId }[]>`select letter_id from letter_key
    where merchant_id = ${merchantId} and key_sha256 = any(${[...keys]}) limit 1`
  return row?.letterId ?? null
}

export async function merchantsWithLetters(sql: Database): Promise<MerchantId[]> {
  const rows = await sql<{ merchantId: MerchantId }[]>`select merchant_id from letter
    where state = 'waiting' and holder is null group by merchant_id order by min(received_at)`
  return rows.map(({ merchantId }) => merchantId)
}

export async function claimLetters(
  sql: Database,
  merchantId: MerchantId,
  { holder, limit }: { readonly holder: WorkerId; readonly limit: number },
): Promise<HeldLetter[]> {
  const rows = await sql`update letter set holder = ${holder}, lease_no = lease_no + 1
    where merchant_id = ${merchantId} and id in (select id from letter
      where merchant_id = ${merchantId} and state = 'waiting' and holder is null
      order by id limit ${limit} for update skip locked)
    returning merchant_id, id, received_at, offer_id, token_sha256, verifies, only_card, sender, is_proven, holder, lease_no`
  return rows.map(heldFrom)
}

function heldFrom({ tokenSha256, ...row }: Record<string, unknown>): HeldLetter {
  return { ...row, tokenSha256: (tokenSha256 as Buffer | null)?.toString('hex') ?? null } as HeldLetter
}

/** Of this worker, but for those that it has in hand. */
export async function freeLetters(sql: Database, holder: WorkerId, inHand: readonly string[]): Promise<number> {
  const astray = await sql<{ merchantId: MerchantId; id: LetterId }[]>`select merchant_id, id from letter
    where holder = ${holder} and id <> all(${[...inHand]}::uuid[])`
  let freed = 0
  for (const { merchantId, id } of astray) {
    const { count } = await sql`update letter set holder = null, lease_no = lease_no + 1
      where merchant_id = ${merchantId} and id = ${id} and holder = ${holder}`
    freed += count
  }
  return freed
}

/** It comes to nothing. */
export async function closeLetter(sql: Database, { merchantId, id, holder, leaseNo }: HeldLetter): Promise<void> {
  await sql`update letter set state = 'done', holder = null
    where merchant_id = ${merchantId} and id = ${id} and holder = ${holder} and lease_no = ${leaseNo} and state = 'waiting'`
}

/** Nobody is known by it: a mail may name no sender. */
export async function insertNobody(sql: Database, merchantId: MerchantId, id: CustomerId, now: Date): Promise<void> {
  await sql`insert into customer (merchant_id, id, created_at) values (${merchantId}, ${id}, ${now})`
}

export async function readSpent(
  sql: Database,
  of: { readonly merchantId: MerchantId; readonly customerId: CustomerId; readonly currency: Currency },
): Promise<Spent> {
  const [row] = await sql<Spent[]>`${spentSince(sql, { ...of, except: null })}`
  if (row === undefined) throw new Error('a sum has no row')
  return row
}
