// What a customer typed on the page of a card link: the card's number, or the name that its gateway gave it; and consent.

import { mayBeCardNumber, passesLuhn } from '../core/card-number.ts'
import type { CardDetails, CardFields, CardReference } from '../core/gateway.ts'
import { cardHasExpired } from '../core/people.ts'
import type { Words } from './words/words.ts'

type Form = { readonly [name: string]: string }
/** What is wrong, by the field that it is about. */
export type WrongFields = {
  readonly [field in 'number' | 'expiry' | 'cvc' | 'reference' | 'consent']?: keyof Words['card']['wrong']
}
export type TypedCard = { readonly card: CardDetails | CardReference } | { readonly wrong: WrongFields }

export function typedCard(fields: CardFields, form: Form, now: Date): TypedCard {
  const typed = fields.kind === 'number' ? byNumber(form, now) : byReference(form)
  if (form.consent === 'yes') return typed
  return { wrong: { ...('wrong' in typed && typed.wrong), consent: 'consent' } }
}

function byReference({ reference = '' }: Form): TypedCard {
  const isName = /^[\x21-\x7e]{1,255}$/.test(reference) && !mayBeCardNumber(reference)
  return isName ? { card: { reference } } : { wrong: { reference: 'reference' } }
}

function byNumber({ number = '', expiry = '', cvc = '' }: Form, now: Date): TypedCard {
  const digits = number.replace(/[\s-]/g, '')
  const isNumber = /^[0-9]{12,19}$/.test(digits) && passesLuhn(digits)
  const until = typedExpiry(expiry)
  const code = cvc.trim()
  const wrong: WrongFields = {
    ...(!isNumber && { number: 'number' }),
    ...(until === null ? { expiry: 'expiry' } : cardHasExpired(until, now) && { expiry: 'expired' }),
    ...(!/^[0-9]{3,4}$/.test(code) && { cvc: 'cvc' }),
  }
  return until === null || Object.keys(wrong).length > 0 ? { wrong } : { card: { number: digits, cvc: code, ...until } }
}

/** `08/29`, `8/2029`, `0829`; null: none of them. */
function typedExpiry(text: string): Pick<CardDetails, 'expiryMonth' | 'expiryYear'> | null {
  const [, month, year] = /^\s*([0-9]{1,2})\s*\/?\s*((?:20)?[0-9]{2})\s*$/.exec(text) ?? []
  const expiryMonth = Number(month ?? 0)
  return expiryMonth >= 1 && expiryMonth <= 12 ? { expiryMonth, expiryYear: 2000 + (Number(year) % 100) } : null
}
