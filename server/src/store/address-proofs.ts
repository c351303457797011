// Links that prove an address. One is found by the hash of its secret, and used in one commit with the checkout that it
// proves something for.

import type { MerchantId, OfferId, TransactionId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'

export interface NamedProof {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  readonly secretSha256: Buffer
}

export interface AddressProof extends NamedProof {
  readonly email: string
  readonly quantity: number
  readonly referrerContext: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly usedAt: Date | null
  /** What waits for it; null: nothing but a checkout. */
  readonly transactionId: TransactionId | null
  /** The checkout, by its secret's hash, that has saved the card which the link is to confirm; null: it confirms none. */
  readonly savedCardOf: Buffer | null
}

/** For its offer alone. */
function its(sql: Scope, { merchantId, offerId, secretSha256 }: NamedProof) {
  return sql`merchant_id = ${merchantId} and secret_sha256 = ${secretSha256} and offer_id = ${offerId}`
}

export async function insertProof(sql: Database, proof: AddressProof): Promise<void> {
  await sql`insert into address_proof ${sql({ ...proof })}`
}

export async function findProof(sql: Database, named: NamedProof): Promise<AddressProof | null> {
  const [row] = await sql<
    AddressProof[]
  >`select merchant_id, offer_id, secret_sha256, email, quantity, referrer_context,
      created_at, expires_at, used_at, transaction_id, saved_card_of
    from address_proof where ${its(sql, named)}`
  return row ?? null
}

/** The address that is proven now. Null: there is no such link, it was used, is over, or was erased with its customer. */
export async function useProof(scope: Scope, named: NamedProof, now: Date): Promise<string | null> {
  const [row] = await scope<{ email: string }[]>`update address_proof set used_at = ${now}
    where ${its(scope, named)} and used_at is null and expires_at > ${now} returning email`
  return row?.email ?? null
}
