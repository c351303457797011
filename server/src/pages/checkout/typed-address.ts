// The address that an offer asks for.

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

/** Without its parts that were left empty. */
export function typedAddress(form: Form, found: Found): Address {
  const country = form.country ?? ''
  const parts = addressParts.map(part => {
    const rule = { charsMax: addressCharsMax[part], required: isRequired(part, country) }
    return [part, typedLine(form, part, rule, found)] as const
  })
  if (!isCountry(country)) found.country = 'country'
  return Object.fromEntries(parts.filter(([, line]) => line !== null))
}
