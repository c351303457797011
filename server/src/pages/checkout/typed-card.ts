// What the customer pays with: a card that is stored, or a new one, by its number or by the name that the gateway's own fields gave it.

import { mayBeCardNumber } from '../../core/card-number.ts'
import type { CardDetails, CardFields, CardReference } from '../../core/gateway.ts'
import { parseCardToken } from '../../core/ids.ts'
import { type Card, cardHasExpired } from '../../core/people.ts'
import { brandOf, isPlausible } from './brands.ts'
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
    const card = fields.kind === 'number' ? byNumber(form, now, found) : byReference(form, found)
    return card === null ? null : { kind: 'new', card, keeps: form.consent === 'yes' }
  }
  const token = parseCardToken(choice)
  if (token !== null && cards.some(card => card.token === token)) return { kind: 'stored', token }
  found.card = 'card'
  return null
}

function byReference({ reference = '' }: Form, found: Found): CardReference | null {
  const isName = /^[\x21-\x7e]{1,255}$/.test(reference) && !mayBeCardNumber(reference)
  if (!isName) found.reference = 'reference'
  return isName ? { reference } : null
}

function byNumber({ number = '', expiry = '', cvc = '' }: Form, now: Date, found: Found): CardDetails | null {
  const digits = number.replace(/[\s-]/g, '')
  const code = cvc.trim()
  const until = parseExpiry(expiry)
  const isNumber = isPlausible(digits)
  if (!isNumber) found.number = 'number'
  if (until === null) found.expiry = 'expiry'
  else if (cardHasExpired(until, now)) found.expiry = 'expired'
  if (!isCode(code, isNumber ? digits : '')) found.cvc = 'cvc'
  const isRight = until !== null && !('number' in found || 'expiry' in found || 'cvc' in found)
  return isRight ? { number: digits, cvc: code, ...until } : null
}

function isCode(code: string, digits: string): boolean {
  return /^[0-9]+$/.test(code) && brandOf(digits).codeDigits.includes(code.length)
}

/** `08/29`, `8/2029`, `0829`; and `2029-08`, as some browsers fill it in. */
export function parseExpiry(text: string): Pick<CardDetails, 'expiryMonth' | 'expiryYear'> | null {
  const typed = text.trim()
  const [, month, year] =
    /^(0?[1-9]|1[0-2])\s*[/.-]\s*((?:20)?[0-9]{2})$/.exec(typed) ??
    /^(0[1-9]|1[0-2])((?:20)?[0-9]{2})$/.exec(typed) ??
    swapped(/^(20[0-9]{2})-(0[1-9]|1[0-2])$/.exec(typed)) ??
    []
  if (month === undefined || year === undefined) return null
  return { expiryMonth: Number(month), expiryYear: 2_000 + (Number(year) % 100) }
}

function swapped(parts: readonly string[] | null): readonly (string | undefined)[] | null {
  return parts === null ? null : [parts[0], parts[2], parts[1]]
}
