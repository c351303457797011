// Which card a payment by email is confirmed with: what the email about it names, and what its page charges at a press.

import type { GatewayId, MerchantId } from './core/ids.ts'
import { type Card, cardHasExpired, mayChargeByMail } from './core/people.ts'
import { cardsToPayWith } from './store/cards.ts'
import type { Database } from './store/database.ts'
import { onlyCardOfToken } from './store/tokens.ts'

const cardsReadMax = 50

export interface ToConfirm {
  readonly merchantId: MerchantId
  /** Where the offer is charged; null: anywhere. */
  readonly gatewayId: GatewayId | null
  /** Of who asked to pay. */
  readonly email: string
  /** Of the token that it was asked for with, in hex. */
  readonly tokenSha256: string | null
}

/** The newest that may be charged by mail, else the newest. A token for one card names that one alone. Null: there is none. */
export async function cardToConfirm(sql: Database, of: ToConfirm, now: Date): Promise<Card | null> {
  const { merchantId, gatewayId, email, tokenSha256 } = of
  const [stored, onlyCard] = await Promise.all([
    cardsToPayWith(sql, merchantId, email, gatewayId, cardsReadMax),
    onlyCardOfToken(sql, merchantId, tokenSha256),
  ])
  const cards = stored.filter(card => !cardHasExpired(card, now) && (onlyCard === null || card.token === onlyCard))
  return cards.find(card => mayChargeByMail(card, now)) ?? cards[0] ?? null
}
