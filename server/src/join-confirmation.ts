// Which card a payment by email is confirmed with: what the email about it names, and what its page charges at a press.

import type { GatewayId, MerchantId } from './core/ids.ts'
import type { Card } from './core/people.ts'
import { cardsToPayWith } from './store/cards.ts'
import type { Database } from './store/database.ts'
import { onlyCardOfToken } from './store/tokens.ts'

export interface ToConfirm {
  readonly merchantId: MerchantId
  /** Where the offer is charged; null: anywhere. */
  readonly gatewayId: GatewayId | null
  /** Of who asked to pay. */
  readonly email: string
  /** Of the token that it was asked for with, in hex. */
  readonly tokenSha256: string | null
}

/** The newest that they can use. A token for one card names that one alone. Null: there is none. */
export async function cardToConfirm(sql: Database, of: ToConfirm, now: Date): Promise<Card | null> {
  const { merchantId, gatewayId, email, tokenSha256 } = of
  const onlyCard = await onlyCardOfToken(sql, merchantId, tokenSha256)
  const [card] = await cardsToPayWith(sql, { merchantId, email, gatewayId, onlyCard, now, limit: 1 })
  return card ?? null
}
