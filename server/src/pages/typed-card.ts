// What a customer typed about a card: its number, or the name that the gateway's own fields gave it. Nothing of it is repeated.

import type { CardDetails, CardFields, EnteredCard, StripeCardFields } from '../core/gateway.ts'
import { cardHasExpired } from '../core/people.ts'
import { brandOf, isPlausible } from './brands.ts'

type Form = { readonly [name: string]: string }

/** What is wrong, by the name of its field. */
export interface WrongCard {
  readonly number?: 'number'
  readonly expiry?: 'expiry' | 'expired'
  readonly cvc?: 'cvc'
  readonly reference?: 'reference'
}

export type TypedCard = { readonly card: EnteredCard } | { readonly wrong: WrongCard }

export function typedCard(fields: Exclude<CardFields, { kind: 'none' }>, form: Form, now: Date): TypedCard {
  return fields.kind === 'number' ? byNumber(form, now) : byFieldsToken(fields, form)
}

function byFieldsToken({ tokenPattern }: StripeCardFields, { reference = '' }: Form): TypedCard {
  return tokenPattern.test(reference) ? { card: { fieldsToken: reference } } : { wrong: { reference: 'reference' } }
}

function byNumber({ number = '', expiry = '', cvc = '' }: Form, now: Date): TypedCard {
  const digits = number.replace(/[\s-]/g, '')
  const code = cvc.trim()
  const until = parseExpiry(expiry)
  const isNumber = isPlausible(digits)
  const wrong: WrongCard = {
    ...(!isNumber && { number: 'number' }),
    ...(until === null ? { expiry: 'expiry' } : cardHasExpired(until, now) && { expiry: 'expired' }),
    ...(!isCode(code, isNumber ? digits : '') && { cvc: 'cvc' }),
  }
  return until === null || Object.keys(wrong).length > 0 ? { wrong } : { card: { number: digits, cvc: code, ...until } }
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
