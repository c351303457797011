// What is typed into the form of an offer, and the arguments of REST that it makes.

import { typedAmount } from '../../words/typed-amount.ts'

export interface OfferForm {
  readonly texts: { readonly [name in TextName]: string }
  /** As a field of the browser's has it: in the zone of whoever types. */
  readonly expiresAt: string
  readonly authorizationOnly: boolean
  readonly customFields: readonly { readonly name: string; readonly required: boolean }[]
  /** Comes back in every hook. */
  readonly customData: readonly { readonly name: string; readonly value: string }[]
}

const textNames = [
  'amount',
  'title',
  'details',
  'currency',
  'stock',
  'ref_id',
  'campaign',
  'tag',
  'form',
  'gateway',
  'page_url',
  'address',
  'custom_user_data',
  'fulfillment',
  'email',
] as const
export type TextName = (typeof textNames)[number]

export function emptyForm(currency: string): OfferForm {
  const none = Object.fromEntries(textNames.map(name => [name, ''])) as { [name in TextName]: string }
  const texts = { ...none, currency }
  return { texts, expiresAt: '', authorizationOnly: false, customFields: [], customData: [] }
}

/** What is empty is left out: REST has its own default for it. */
export function argumentsOf(form: OfferForm, locale: string): { readonly [name: string]: unknown } {
  const { texts, expiresAt, authorizationOnly, customFields, customData } = form
  const given = Object.entries(texts)
    .map(([name, text]) => [name, argumentOf(name, text, locale)] as const)
    .filter(([, text]) => text !== '')
  const fields = customFields
    .map(({ name, required }) => ({ name: name.trim(), required }))
    .filter(({ name }) => name !== '')
  const data = customData.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value])
  return {
    ...Object.fromEntries(given),
    ...(expiresAt !== '' && { expires_at: new Date(expiresAt).toISOString() }),
    ...(authorizationOnly && { authorization_only: true }),
    ...(fields.length > 0 && { custom_fields: fields }),
    ...(data.length > 0 && { custom_data: Object.fromEntries(data) }),
  }
}

function argumentOf(name: string, text: string, locale: string): string {
  if (name === 'amount') return typedAmount(text, locale)
  return name === 'currency' ? text.trim().toUpperCase() : text.trim()
}

/** What is sold must have a price before there is anything to look at. */
export function canBeShown({ texts }: OfferForm, locale: string): boolean {
  return /^\d+(\.\d+)?$/.test(typedAmount(texts.amount, locale))
}
