// Letters: kept once, claimed by one worker at a time, and forgotten in time.

import type { CustomerId, LetterId, MerchantId, WorkerId } from '../core/ids.ts'
import { type HeldLetter, refusedAtOnce, type Verdict, type Wanted } from '../core/letter.ts'
import type { Spent } from '../core/mail-limits.ts'
import type { Currency } from '../core/money.ts'
import type { Twin } from '../core/pay-by-letter.ts'
import type { Database, Json, Scope } from './database.ts'
import { copiesOf, spentSince } from './letter-writing.ts'

export const lettersChannel = 'tillbell_letters'

/** One that fails by a bug of ours is tried for half an hour, and then left to a person: the audit notes that it waits. */
const claimsMax = 100

export interface StoredLetter extends Wanted {
  readonly id: LetterId
  readonly receivedAt: Date
  readonly sender: string | null
  readonly isProven: boolean
  readonly hasConsent: boolean
  readonly isForAnother: boolean
  readonly isAnswerable: boolean
  readonly language: string
  readonly messageId: string | null
  readonly verdict: Verdict
  readonly rawSealed: Buffer
  /** Null: it waits to be paid. */
  readonly closedBecause: string | null
}

class Known extends Error {}

/** Null: one of its keys is known, and nothing was written. */
export async function insertLetter(sql: Database, letter: StoredLetter, keys: readonly Buffer[]): Promise<boolean> {
  const { merchantId, id, tokenSha256, verdict, ...columns } = letter
  // In one order, so that two of the same mail do not wait for each other.
  const sorted = [...keys].sort(Buffer.compare)
  const row = {
    ...{ merchantId, id, ...columns, state: letter.closedBecause === null ? 'waiting' : 'done' },
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
): Promise<{ readonly id: LetterId; readonly closedBecause: string | null } | null> {
  const [row] = await sql<{ id: LetterId; closedBecause: string | null }[]>`
    select l.id, l.closed_because from letter_key k join letter l on l.merchant_id = k.merchant_id and l.id = k.letter_id
    where k.merchant_id = ${merchantId} and k.key_sha256 = any(${[...keys]}) limit 1`
  return row ?? null
}

/** One probe of the index for each merchant, however many letters wait. The longest waiting first. */
export async function merchantsWithLetters(sql: Database): Promise<MerchantId[]> {
  const waiting = sql`state = 'waiting' and holder is null and lease_no < ${claimsMax}`
  const rows = await sql<{ merchantId: MerchantId }[]>`
    with recursive asking as (
      (select merchant_id, id from letter where ${waiting} order by merchant_id, id limit 1)
      union all
      select n.* from asking a cross join lateral (
        select merchant_id, id from letter where ${waiting} and merchant_id > a.merchant_id
        order by merchant_id, id limit 1) n
    )
    select merchant_id from asking order by id`
  return rows.map(({ merchantId }) => merchantId)
}

export async function claimLetters(
  sql: Database,
  merchantId: MerchantId,
  { holder, limit }: { readonly holder: WorkerId; readonly limit: number },
): Promise<HeldLetter[]> {
  // Chosen apart from the update, and once: as a part of its condition, it may be asked anew for every row, and take more.
  const rows = await sql`
    with chosen as materialized (
      select id from letter
      where merchant_id = ${merchantId} and state = 'waiting' and holder is null and lease_no < ${claimsMax}
      order by id limit ${limit} for update skip locked
    )
    update letter l set holder = ${holder}, lease_no = lease_no + 1
    from chosen where l.merchant_id = ${merchantId} and l.id = chosen.id
    returning l.merchant_id, l.id, l.received_at, l.offer_id, l.token_sha256, l.verifies, l.only_card,
      l.is_personal, l.has_consent, l.is_for_another, l.sender, l.is_proven,
      l.holder, l.lease_no`
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
export async function closeLetter(
  sql: Scope,
  { merchantId, id, holder, leaseNo }: HeldLetter,
  because: string,
): Promise<{ readonly count: number }> {
  return sql`update letter set state = 'done', holder = null, closed_because = ${because}
    where merchant_id = ${merchantId} and id = ${id} and holder = ${holder} and lease_no = ${leaseNo} and state = 'waiting'`
}

/** Of the same Message-ID and sender, for the same offer and token, with the signature that this one lacks, or without. */
export async function findTwin(sql: Database, letter: HeldLetter): Promise<Twin | null> {
  if (letter.sender === null) return null
  const [row] = await sql<Twin[]>`select l.id, l.is_proven, l.state = 'done' as is_done, l.transaction_id,
      coalesce(l.closed_because = ${refusedAtOnce}, false) as is_refused
    from ${copiesOf(sql, letter)}
    order by l.transaction_id is null, l.id limit 1`
  return row ?? null
}

export async function readSpent(
  sql: Database,
  of: { readonly merchantId: MerchantId; readonly customerId: CustomerId; readonly currency: Currency },
): Promise<Spent> {
  const [row] = await sql<Spent[]>`${spentSince(sql, { ...of, except: null })}`
  if (row === undefined) throw new Error('a sum has no row')
  return row
}
