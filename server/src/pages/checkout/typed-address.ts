// The addresses that an offer asks for.

import { type AddressKind, askedAddresses, type Offer } from '../../core/offer.ts'
import type { Address } from '../../core/people.ts'
import { isCountry } from './countries.ts'
import { type Form, type Found, typedLine } from './typed-line.ts'

export const addressParts = ['street', 'street2', 'city', 'state', 'zip', 'country', 'phone'] as const
export type AddressPart = (typeof addressParts)[number]

export const addressCharsMax: { readonly [part in AddressPart]: number } = {
  street: 200,
  street2: 200,
  city: 100,
  state: 100,
  zip: 20,
  country: 2,
  phone: 40,
}

/** Where mail does not arrive without a state and a ZIP code. Elsewhere many addresses have neither. */
export const needsStateAndZip = 'US'

export function isRequired(part: AddressPart, country: string | null): boolean {
  if (part === 'state' || part === 'zip') return country === needsStateAndZip
  return part !== 'street2' && part !== 'phone'
}

/** The name of its field. Where the page asks for one address, it is that of its part. */
export function addressFieldName(offer: Pick<Offer, 'address'>, kind: AddressKind, part: AddressPart): string {
  return askedAddresses(offer).length > 1 ? `${kind}_${part}` : part
}

/** The part of an address that a field is for, or the field's name where it is for none. */
export function partOfField(name: string): string {
  return name.replace(/^(?:shipping|billing)_(?=(?:street2?|city|state|zip|country|phone)$)/, '')
}

type TypedAddresses = { readonly [kind in AddressKind]: Address | null }

/** Null where the offer does not ask for it. */
export function typedAddresses(offer: Offer, form: Form, found: Found): TypedAddresses {
  const typed = askedAddresses(offer).map(kind => {
    return [kind, typedAddress(part => addressFieldName(offer, kind, part), form, found)] as const
  })
  return { shipping: null, billing: null, ...Object.fromEntries(typed) }
}

/** Without its parts that were left empty. */
function typedAddress(nameOf: (part: AddressPart) => string, form: Form, found: Found): Address {
  const country = form[nameOf('country')] ?? ''
  const parts = addressParts.map(part => {
    const rule = { charsMax: addressCharsMax[part], required: isRequired(part, country) }
    return [part, typedLine(form, nameOf(part), rule, found)] as const
  })
  if (!isCountry(country)) found[nameOf('country')] = 'country'
  return Object.fromEntries(parts.filter(([, line]) => line !== null))
}
