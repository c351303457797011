// What a token may say of its offer. The service takes what `POST offers` takes; a token that says anything else would not open
// there, and so is not made here.

interface Member {
  readonly fits: (value: unknown) => boolean
  readonly says: string
}

const fulfillmentMax = 2_147_483_647
const stockMax = 1_000_000_000
const fieldsMax = 20

const text = (charsMax: number): Member => ({
  fits: value => typeof value === 'string' && [...value].length <= charsMax,
  says: `must be text of at most ${charsMax} characters`,
})

const members: { readonly [name: string]: Member } = {
  item_name: text(255),
  item_details: text(2_500),
  details: text(2_500),
  ref_id: text(255),
  custom_user_data: text(2_500),
  custom_data: { fits: isObject, says: 'must be an object' },
  custom_fields: { fits: isFieldList, says: `must be a list of at most ${fieldsMax} { name, required }` },
  address: {
    fits: value => value === 'shipping' || value === 'billing' || value === 'shipping,billing',
    says: 'must be "shipping", "billing" or "shipping,billing"',
  },
  item_quantity: {
    fits: value => isWholeNumber(value, stockMax),
    says: `must be a whole number from 0 to ${stockMax}`,
  },
  url: { fits: isWebAddress, says: 'must be an http or https URL of at most 2048 characters' },
  currency: { fits: isCurrencyCode, says: 'must be three letters such as "USD"' },
  fulfillment: {
    fits: value => isWholeNumber(value, fulfillmentMax),
    says: `must be a whole number from 0 to ${fulfillmentMax}`,
  },
}

/** Why the service would not take it, as a sentence; null: it would. What is null or empty says nothing. */
export function whyNotUserData(userData: { readonly [name: string]: unknown }): string | null {
  for (const [name, { fits, says }] of Object.entries(members)) {
    const value = userData[name] ?? ''
    if (value !== '' && !fits(value)) return `userData.${name} ${says}.`
  }
  return null
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isFieldList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= fieldsMax && value.every(isField)
}

function isField(value: unknown): boolean {
  if (!isObject(value)) return false
  const { name, required = false } = value
  return typeof name === 'string' && name !== '' && name.length <= 100 && typeof required === 'boolean'
}

function isWholeNumber(value: unknown, max: number): boolean {
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : /^(0|[1-9][0-9]{0,9})$/.test(String(value))
  return isWhole && Number(value) >= 0 && Number(value) <= max
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 2_048 && /^https?:\/\/[^\s<>"]+$/i.test(value)
}

function isCurrencyCode(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Z]{3}$/.test(value)
}
