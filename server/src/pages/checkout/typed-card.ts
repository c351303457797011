// What the customer pays with: a card that is stored, or a new one.

import type { CardFields } from '../../core/gateway.ts'
import { parseCardToken } from '../../core/ids.ts'
import type { Card } from '../../core/people.ts'
import { typedCard } from '../typed-card.ts'
import type { PaysWith } from './ports.ts'
import type { Form, Found } from './typed-line.ts'

export interface WaysToPay {
  readonly fields: CardFields | null
  /** Of who has proven to be their owner. */
  readonly cards: readonly Card[]
  readonly now: Date
}

/** What the radio button of a card that is not stored says. */
export const newCard = 'new'

/** Null: it is wrong, and `found` says so. */
export function typedPayment({ fields, cards, now }: WaysToPay, form: Form, found: Found): PaysWith | null {
  const choice = form.card ?? (cards.length === 0 ? newCard : '')
  if (choice === newCard && fields !== null && fields.kind !== 'none') {
    const typed = typedCard(fields, form, now)
    if ('card' in typed) return { kind: 'new', card: typed.card, keeps: form.consent === 'yes' }
    Object.assign(found, typed.wrong)
    return null
  }
  const token = parseCardToken(choice)
  if (token !== null && cards.some(card => card.token === token)) return { kind: 'stored', token }
  found.card = 'card'
  return null
}
