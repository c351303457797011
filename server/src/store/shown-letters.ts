// Letters as an operator or a merchant sees them, with the mails that answered them.

import type { LetterId, MerchantId } from '../core/ids.ts'
import type { LetterFilter, ShownLetter, ShownMail } from '../core/shown-letter.ts'
import type { Database } from './database.ts'

type Row = Omit<ShownLetter, 'mails'>

const shownColumns = [
  ...['id', 'received_at', 'offer_id', 'sender', 'is_proven', 'state', 'transaction_id', 'closed_because', 'verdict'],
]

/** Newest first. */
export async function listLetters(sql: Database, merchantId: MerchantId, filter: LetterFilter): Promise<ShownLetter[]> {
  const { limit, after, transaction, email, proven } = filter
  const rows = await sql<Row[]>`select ${sql(shownColumns)} from letter where merchant_id = ${merchantId}
    ${after === null ? sql`` : sql`and id < ${after}`}
    ${transaction === null ? sql`` : sql`and transaction_id = ${transaction}`}
    ${email === null ? sql`` : sql`and sender = ${email}`}
    ${proven === null ? sql`` : sql`and is_proven = ${proven}`}
    order by id desc limit ${limit}`
  return withMails(sql, merchantId, rows)
}

export async function findLetter(sql: Database, merchantId: MerchantId, id: LetterId): Promise<ShownLetter | null> {
  const rows = await sql<
    Row[]
  >`select ${sql(shownColumns)} from letter where merchant_id = ${merchantId} and id = ${id}`
  const [letter] = await withMails(sql, merchantId, rows)
  return letter ?? null
}

async function withMails(sql: Database, merchantId: MerchantId, rows: readonly Row[]): Promise<ShownLetter[]> {
  const ids = rows.map(({ id }) => id)
  const mails = await sql<(ShownMail & { readonly letterId: LetterId })[]>`
    select letter_id, id, kind, state, attempts, created_at, cause from outgoing_mail
    where merchant_id = ${merchantId} and letter_id = any(${ids}::uuid[]) order by id`
  return rows.map(row => ({ ...row, mails: mails.filter(({ letterId }) => letterId === row.id) }))
}

/** As it came, sealed; null: its time is over. */
export async function findRawLetter(sql: Database, merchantId: MerchantId, id: LetterId): Promise<Buffer | null> {
  const [row] = await sql<{ rawSealed: Buffer | null }[]>`select raw_sealed from letter
    where merchant_id = ${merchantId} and id = ${id}`
  return row?.rawSealed ?? null
}
