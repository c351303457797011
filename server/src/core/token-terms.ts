// What user_data of a token says of its offer. Older clients write the same in several ways.

import { memberNameCharsMax, whyNotKept } from './kept-json.ts'
import type { CustomField, Json, Offer, OfferAddress } from './offer.ts'
import {
  cardNumbersIn,
  customFieldsFrom,
  customFieldsSays,
  fulfillmentMax,
  offerAddresses,
  offerCharsMax,
  stockMax,
  wrongCustomData,
} from './offer-terms.ts'

type Members = { readonly [name: string]: Json }

type TermNames = 'details' | 'refId' | 'customFields' | 'address' | 'customUserData' | 'fulfillment' | 'customData'

interface TokenTerms {
  readonly terms: Pick<Offer, TermNames> & { readonly title: string | null }
  readonly stock: number | null
  /** Sentences; where there are any, the rest means nothing. */
  readonly wrong: readonly string[]
}

export function termsFrom(userData: Members): TokenTerms {
  const wrong: string[] = []
  const { customData, customUserData } = customDataFrom(userData, wrong)
  const texts = {
    title: textFrom(userData, ['item_name', 'name'], offerCharsMax.title, wrong),
    details: textFrom(userData, ['item_details', 'details'], offerCharsMax.details, wrong),
    refId: textFrom(userData, ['ref_id'], offerCharsMax.refId, wrong),
    customUserData,
  }
  const stock = wholeNumberFrom(userData, ['item_quantity', 'quantity'], stockMax, wrong)
  const fulfillment = wholeNumberFrom(userData, ['fulfillment'], fulfillmentMax, wrong)
  const address = addressFrom(userData.address, wrong)
  const customFields = fieldsFrom(userData.custom_fields, customData, wrong)
  wrong.push(...whyNotKeptIn(userData))
  const refused = { ...wrongCustomData(customData), ...cardNumbersIn(texts) }
  wrong.push(...Object.values(refused).map(sentence => `user_data: ${sentence}`))
  return { terms: { ...texts, customData, customFields, address, fulfillment }, stock, wrong }
}

/** The interface's own samples leave a member empty where there is nothing to say. */
export function isNothing(value: Json | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

/** The first of these names that says anything. */
function memberNamed(
  userData: Members,
  names: readonly string[],
): { readonly name: string; readonly value: Json } | null {
  const name = names.find(each => !isNothing(userData[each]))
  return name === undefined ? null : { name, value: userData[name] ?? null }
}

function textFrom(userData: Members, names: readonly string[], charsMax: number, wrong: string[]): string | null {
  const member = memberNamed(userData, names)
  if (member === null) return null
  const { name, value } = member
  if (typeof value === 'string' && [...value].length <= charsMax) return value
  wrong.push(`user_data.${name} must be text of at most ${charsMax} characters.`)
  return null
}

function wholeNumberFrom(userData: Members, names: readonly string[], max: number, wrong: string[]): number | null {
  const member = memberNamed(userData, names)
  if (member === null) return null
  const { name, value } = member
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : /^(0|[1-9][0-9]{0,9})$/.test(String(value))
  const number = Number(value)
  if (isWhole && number >= 0 && number <= max) return number
  wrong.push(`user_data.${name} must be a whole number from 0 to ${max}.`)
  return null
}

type KeptData = Pick<Offer, 'customData' | 'customUserData'>

/** Text in `custom_data` is no data with names, and is kept as the other text. */
function customDataFrom(userData: Members, wrong: string[]): KeptData {
  const { custom_data: data } = userData
  const own = textFrom(userData, ['custom_user_data'], offerCharsMax.customUserData, wrong)
  if (isNothing(data)) return { customData: {}, customUserData: own }
  if (typeof data === 'string') {
    if (own !== null && own !== data)
      wrong.push('user_data.custom_data is text, and there is another custom_user_data.')
    return { customData: {}, customUserData: textFrom(userData, ['custom_data'], offerCharsMax.customUserData, wrong) }
  }
  if (typeof data === 'object' && !Array.isArray(data)) return { customData: data, customUserData: own }
  wrong.push('user_data.custom_data must be an object or text.')
  return { customData: {}, customUserData: own }
}

/** One of them, both with a comma between, or a list. */
function addressFrom(value: Json | undefined, wrong: string[]): OfferAddress | null {
  if (isNothing(value)) return null
  const named = typeof value === 'string' ? value.split(',').map(name => name.trim()) : value
  if (Array.isArray(named) && named.length === 0) return null
  const known = ['shipping', 'billing']
  const isKnown = Array.isArray(named) && named.every(name => known.includes(String(name)))
  const address = isKnown ? known.filter(name => named.includes(name)).join(',') : ''
  const found = offerAddresses.find(each => each === address)
  if (found === undefined)
    wrong.push('user_data.address must be "shipping", "billing", both with a comma between, or a list of them.')
  return found ?? null
}

function fieldsFrom(value: Json | undefined, customData: Members, wrong: string[]): CustomField[] {
  const fields = isNothing(value) ? [] : customFieldsFrom(value, customData)
  if (fields === null) wrong.push(`user_data.custom_fields ${customFieldsSays}`)
  return fields ?? []
}

function whyNotKeptIn(members: Members): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const why = name.length > memberNameCharsMax ? 'is too long a name.' : whyNotKept(name, value)
    return why === null ? [] : [`user_data: ${name.slice(0, 40)} ${why}`]
  })
}
