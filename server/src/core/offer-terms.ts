// What an offer may say, whichever way it is made: by REST, or from a token that was made offline.

import type { Errors } from './answer.ts'
import { isWhollyCardNumber } from './card-number.ts'
import { memberNameCharsMax, shownName, whyNotKept } from './kept-json.ts'
import type { CustomField, Json, OfferAddress } from './offer.ts'

export const offerCharsMax = { title: 255, details: 2500, refId: 255, label: 255, customUserData: 2500 } as const
export const fulfillmentMax = 2_147_483_647
export const offerAddresses = ['shipping', 'billing', 'shipping,billing'] as const satisfies readonly OfferAddress[]
export const stockMax = 1_000_000_000
export const customFieldsMax = 20
export const customFieldCharsMax = 100
export const customFieldsSays = `must be a list of at most ${customFieldsMax} {name, required}, each name once and none named "test".`

type CustomData = { readonly [name: string]: Json }

/** In `custom_data` of a hook it says that nothing was sold. */
const testMark = 'test'

/** A sentence for each member that cannot be kept, by its name as a form has it. */
export function wrongCustomData(customData: CustomData): Errors {
  const wrong = Object.entries(customData).flatMap(([name, value]) => {
    const says = whyNotCustomData(name, value)
    if (says === null) return []
    const field = shownName(`custom_data[${name}]`)
    return [[field, `${field} ${says}`]]
  })
  return Object.fromEntries(wrong)
}

function whyNotCustomData(name: string, value: Json): string | null {
  if (name === testMark) return 'must not be given: in a hook it marks a test notification.'
  if (name.length > memberNameCharsMax) return `must have a name of at most ${memberNameCharsMax} characters.`
  if (isWhollyCardNumber(name)) return 'is a card number, and no name for an argument.'
  const why = whyNotKept(name, value)
  return why ?? (hasCardNumber(value) ? 'must not be a card number.' : null)
}

/** Null: that is no list of them. */
export function customFieldsFrom(list: Json, customData: CustomData): CustomField[] | null {
  if (!Array.isArray(list) || list.length > customFieldsMax) return null
  const fields = list.map(customFieldFrom).filter(field => field !== null)
  const names = new Set(fields.map(({ name }) => name))
  const clashes = [...names].some(name => name === testMark || Object.hasOwn(customData, name))
  return fields.length === list.length && names.size === list.length && !clashes ? fields : null
}

function customFieldFrom(item: Json): CustomField | null {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return null
  const { name, required = false } = item
  return typeof name === 'string' && isFieldName(name) && typeof required === 'boolean' ? { name, required } : null
}

/** A form's JSON text, or a token, can hide what a body's arguments may not contain. */
function isFieldName(name: string): boolean {
  const isText = name !== '' && !name.includes('\0') && name.isWellFormed()
  return isText && name.length <= customFieldCharsMax && !isWhollyCardNumber(name)
}

/** What the merchant gives to get back is kept as given, so a card number in it is refused, not masked. */
export function cardNumbersIn(values: { readonly [name: string]: unknown }): Errors {
  const found = Object.entries(values).filter(([, value]) => hasCardNumber(value))
  return Object.fromEntries(found.map(([field]) => [field, `${field} must not be a card number.`]))
}

/** Also as a JSON number, and anywhere inside a list or an object. */
function hasCardNumber(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'number') return isWhollyCardNumber(String(value))
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, inner]) => isWhollyCardNumber(name) || hasCardNumber(inner))
}
