// Details that a JSON library parsed and wrote again. The service writes them without spaces, with nothing escaped that need not
// be, and with keys in one order: so they can be written back.

import type { CauseCode } from './verify-causes.ts'

interface Json {
  readonly [name: string]: unknown
}

/** The order in which the service writes keys; a test holds it. Others, such as a merchant's own, keep their places behind. */
const orders: { readonly [of: string]: readonly string[] } = {
  details: [
    ...['type', 'transaction', 'partner', 'partner_id', 'amount', 'balance', 'unit_price', 'quantity', 'date'],
    ...['payment_method', 'payment_method_mask', 'card', 'name', 'email', 'authorization', 'capture'],
    ...['referrer_context', 'error', 'errors', 'token', 'user_data', 'further_action', 'refund', 'dispute'],
  ],
  token: ['amount', 'site', 'url', 'active', 'content', 'user_data'],
  user_data: [
    ...['item_name', 'item_details', 'details', 'ref_id', 'signup_url', 'custom_fields', 'custom_data'],
    ...['custom_user_data', 'address', 'fulfillment', 'quantity', 'billing', 'shipping'],
  ],
  custom_fields: ['name', 'required'],
  billing: ['street', 'city', 'state', 'zip', 'street2', 'country', 'phone'],
  shipping: ['street', 'city', 'state', 'zip', 'street2', 'country', 'phone'],
  further_action: ['amount', 'email', 'signup_url', 'mail_to'],
  refund: ['status', 'refunded_at', 'refunded_by', 'refunded_reason', 'refunded_token', 'refunded_amount'],
  dispute: ['status', 'amount', 'reason', 'opened_at'],
}
const objects = new Set(['errors', 'custom_data'])

export function writtenAgain(text: string): { readonly text: string; readonly causes: readonly CauseCode[] }[] {
  const parsed = objectIn(text)
  if (parsed === null) return []
  const plain = JSON.stringify(parsed)
  const causes = plain === text ? [] : signsIn(text, plain)
  const withObjects = objectsBack(parsed, 'details')
  const turned: CauseCode[] = JSON.stringify(withObjects) === plain ? [] : ['json_empty_objects']
  const ordered = inOrder(withObjects, 'details')
  return [
    { text: plain, causes },
    { text: JSON.stringify(withObjects), causes: [...causes, ...turned] },
    { text: JSON.stringify(ordered), causes: [...causes, ...turned, 'json_key_order' as const] },
  ].filter(each => each.text !== text)
}

/** Each by what is seen of it; one of them at least. */
function signsIn(text: string, plain: string): CauseCode[] {
  const outside = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""')
  const signs: [CauseCode, boolean][] = [
    ['json_spacing', /\s/.test(outside)],
    ['json_slashes', text.includes('\\/')],
    ['json_unicode', /\\u(?!00[01])[0-9a-f]{4}/i.test(text) && !/\\u(?!00[01]|d[89a-f])/i.test(plain)],
  ]
  const seen = signs.filter(([, isSeen]) => isSeen).map(([cause]) => cause)
  return seen.length > 0 ? seen : ['json_otherwise']
}

function objectIn(text: string): Json | null {
  try {
    const value = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectsBack(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.length === 0 && objects.has(name) ? {} : value
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, objectsBack(member, key)]))
}

function inOrder(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map(each => inOrder(each, name))
  if (!isObject(value)) return value
  const order = orderOf(name, value)
  const known = order.filter(key => Object.hasOwn(value, key))
  const others = Object.keys(value).filter(key => !order.includes(key))
  return Object.fromEntries([...known, ...others].map(key => [key, inOrder(value[key], key)]))
}

/** A billing address that has no country says so last. */
function orderOf(name: string, { country }: Json): readonly string[] {
  const order = (Object.hasOwn(orders, name) ? orders[name] : null) ?? []
  return name === 'billing' && country === '' ? [...order.filter(key => key !== 'country'), 'country'] : order
}
