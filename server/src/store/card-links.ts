// Links on which customers enter cards. A link is found by the hash of its secret, and used in one commit with its card.

import type { CardLink, NewCardLink } from '../core/card-link.ts'
import type { CardToken } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'

const facts = [
  'merchant_id',
  'email',
  'first_name',
  'last_name',
  'gateway_id',
  'return_url',
  'created_at',
  'expires_at',
] as const
const columns = [...facts, 'secret_sha256', 'used_at', 'card_token'] as const

type Named = Pick<CardLink, 'merchantId' | 'secretSha256'>

function its(sql: Scope, { merchantId, secretSha256 }: Named) {
  return sql`merchant_id = ${merchantId} and secret_sha256 = ${secretSha256}`
}

export async function insertCardLink(scope: Scope, link: NewCardLink, secretSha256: Buffer): Promise<void> {
  await scope`insert into card_link (${scope(facts)}, secret_sha256)
    values (${link.merchantId}, ${link.email}, ${link.firstName}, ${link.lastName}, ${link.gatewayId}, ${link.returnUrl},
      ${link.createdAt}, ${link.expiresAt}, ${secretSha256})`
}

export async function findCardLink(sql: Database, named: Named): Promise<CardLink | null> {
  const [row] = await sql<CardLink[]>`select ${sql(columns)} from card_link where ${its(sql, named)}`
  return row ?? null
}

/** For one request at a time: others wait for what it comes to. False: it is taken, used or over. */
export async function takeCardLink(sql: Database, named: Named, now: Date, leaseMs: number): Promise<boolean> {
  const { count } = await sql`update card_link set taken_until = now() + ${leaseMs} * interval '1 millisecond'
    where ${its(sql, named)} and used_at is null and expires_at > ${now}
      and (taken_until is null or taken_until < now())`
  return count === 1
}

export async function giveCardLinkBack(sql: Database, named: Named): Promise<void> {
  await sql`update card_link set taken_until = null where ${its(sql, named)}`
}

/** False: it was used meanwhile, or erased with its customer. */
export async function useCardLink(scope: Scope, named: Named, cardToken: CardToken, now: Date): Promise<boolean> {
  const { count } = await scope`update card_link set used_at = ${now}, card_token = ${cardToken}
    where ${its(scope, named)} and used_at is null`
  return count === 1
}
