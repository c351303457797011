// What a customer sent from the page of a card: its name at the gateway, or in the sandbox its number.

import { mayBeCardNumber } from '../core/card-number.ts'
import type { CardDetails, CardFields, CardReference } from '../core/gateway.ts'

type Form = { readonly [name: string]: string }
/** `wrong`: a sentence for the customer, which repeats nothing of what was typed. */
export type TypedCard = { readonly card: CardDetails | CardReference } | { readonly wrong: string }

export function typedCard(fields: CardFields, form: Form): TypedCard {
  if (form.consent !== 'yes') return { wrong: 'Tick the box: without your consent the card is not stored.' }
  return fields.kind === 'number' ? byNumber(form) : byReference(form.reference ?? '')
}

function byReference(reference: string): TypedCard {
  const isName = /^[\x21-\x7e]{1,255}$/.test(reference) && !mayBeCardNumber(reference)
  return isName ? { card: { reference } } : { wrong: 'The card was not read. Enter it again.' }
}

function byNumber({ number = '', expiry = '', cvc = '' }: Form): TypedCard {
  const digits = number.replace(/[\s-]/g, '')
  if (!/^[0-9]{12,19}$/.test(digits)) return { wrong: 'Enter the number as it stands on the card.' }
  const [, month, year] = /^\s*([0-9]{1,2})\s*\/?\s*((?:20)?[0-9]{2})\s*$/.exec(expiry) ?? []
  const expiryMonth = Number(month ?? 0)
  if (expiryMonth < 1 || expiryMonth > 12) {
    return { wrong: 'Enter the expiry as month and year, such as 08/29.' }
  }
  if (!/^[0-9]{3,4}$/.test(cvc)) return { wrong: 'Enter the security code: three or four digits.' }
  return { card: { number: digits, cvc, expiryMonth, expiryYear: 2000 + (Number(year) % 100) } }
}
