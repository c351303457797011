// What the address of an offer's page asks for. Anybody writes addresses: what makes no sense in them is ignored.

import { isWhollyCardNumber } from '../../core/card-number.ts'
import { parseEmail } from '../../core/email.ts'
import { parseUuid, type TransactionId } from '../../core/ids.ts'
import type { Offer } from '../../core/offer.ts'
import { parseQuantity } from './units.ts'

export interface Asked {
  readonly quantity: number | null
  readonly email: string | null
  readonly referrerContext: string | null
  /** Another checkout than the one that this browser has begun. One that has paid is not left by an address, which anybody can write. */
  readonly again: boolean
  /** `stored`: the customer has a card here. `mailed`: the link that proves it was mailed. */
  readonly card: 'stored' | 'mailed' | null
  /** The payment that it names: one by mail, which is gone on with. */
  readonly resumes: TransactionId | null
  /** The secret of a mailed link. */
  readonly proof: string | null
}

export function askedFor(query: unknown): Asked {
  const given = query as { readonly [name: string]: unknown }
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '')
  const card = text('card')
  return {
    quantity: parseQuantity(text('quantity')),
    email: parseEmail(text('email')),
    referrerContext: parseReferrerContext(text('referrer_context')),
    again: text('again') === '1',
    card: card === 'stored' || card === 'mailed' ? card : null,
    resumes: parseUuid<TransactionId>(text('transaction')),
    proof: text('proof') === '' ? null : text('proof'),
  }
}

const referrerContextCharsMax = 255

export function parseReferrerContext(text: string): string | null {
  const fits = text !== '' && text.length <= referrerContextCharsMax && !/\p{Cc}/u.test(text) && text.isWellFormed()
  return fits && !isWhollyCardNumber(text) ? text : null
}

/** The page of an offer, as it is asked for; with nothing else in its address. */
export function checkoutPath(
  root: string,
  offer: Offer,
  { quantity, email, referrerContext, again, card, resumes, proof }: Partial<Asked> = {},
): string {
  const query = new URLSearchParams({
    ...(again && { again: '1' }),
    ...(proof && { proof }),
    ...(resumes && { transaction: resumes }),
    ...(card && { card }),
    ...(quantity && quantity !== 1 && { quantity: String(quantity) }),
    ...(email && { email }),
    ...(referrerContext && { referrer_context: referrerContext }),
  })
  const path = `${root}/offers/${offer.id}`
  return query.size === 0 ? path : `${path}?${query}`
}
