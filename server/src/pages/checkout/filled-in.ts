// What stands in the form before anything is typed: what this very browser typed for a try that failed, and what is known of
// who has proven to be a customer. Nothing else.

import { type AddressKind, askedAddresses, type Offer } from '../../core/offer.ts'
import type { Address } from '../../core/people.ts'
import { buyerOf, type Sale } from '../../core/sale.ts'
import type { Visit } from './ports.ts'
import { addressFieldName, addressParts } from './typed-address.ts'
import type { Form } from './typed-line.ts'
import { answerField } from './typed-order.ts'

type Person = Pick<ReturnType<typeof buyerOf>, 'email' | 'firstName' | 'lastName' | 'billing' | 'shipping'>

/** `emailAsked`: as the page's address says it. */
export function filledIn(offer: Offer, { standing, proven }: Visit, emailAsked: string | null): Form {
  const known = proven === null || proven.customer === null ? {} : ofPerson(offer, proven.customer)
  const email = proven?.email ?? emailAsked
  // One or the other: the lines of two addresses make none.
  return { ...(ofTry(offer, standing) ?? known), ...(email !== null && { email }) }
}

/** Of the card nothing. A browser that knows the checkout's secret has typed all of it. */
function ofTry(offer: Offer, sale: Sale | null): Form | null {
  const entered = sale?.transaction.entered ?? null
  if (sale === null || entered === null) return null
  const answers = offer.customFields.flatMap(({ name }, index) => {
    const answer = Object.hasOwn(entered.answers, name) ? entered.answers[name] : undefined
    return answer === undefined ? [] : [[answerField(index), answer] as const]
  })
  return { ...ofPerson(offer, buyerOf(sale)), ...Object.fromEntries(answers) }
}

function ofPerson(offer: Offer, person: Person): Form {
  const { email, firstName, lastName } = person
  const lines = { email, first_name: firstName, last_name: lastName }
  const given = Object.entries(lines).filter((line): line is [string, string] => line[1] !== null)
  const addresses = askedAddresses(offer).map(kind => ofAddress(offer, kind, person[kind]))
  return Object.assign(Object.fromEntries(given), ...addresses)
}

function ofAddress(offer: Offer, kind: AddressKind, address: Address | null): Form {
  const parts = addressParts.flatMap(part => {
    const line = address?.[part]
    return line === undefined ? [] : [[addressFieldName(offer, kind, part), line] as const]
  })
  return Object.fromEntries(parts)
}
