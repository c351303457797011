// Makes a token offline: it stands for an offer in a mail, and needs nothing but the merchant's Private Key.
//
//   "@" [ base64url(uint64 version) "~" ] base64url( nonce[24] | uint64 partner_id | box ) "@"
//   box = NaCl box from the merchant's key pair to the service's public key, of
//         target ":" group "/" float32 amount int32 expires "/" user_data
//   target = "email<" address ">" | "card<" service_token ">" | "url<" page, or nothing for the service's own ">"
//
// Numbers are big-endian, base64url keeps its padding. The service makes its own with the same code.

import nacl from 'tweetnacl'
import { randomBytes } from '#platform'
import { fromBase64, toBase64 } from './base64.ts'
import { joined } from './bytes.ts'
import { whyNotUserData } from './token-user-data.ts'

export type TokenTarget = { readonly url: string } | { readonly email: string } | { readonly card: string }

export interface TokenContents {
  readonly target: TokenTarget
  readonly group: string
  readonly amount: number
  readonly expiresS: number
  readonly authorizationOnly: boolean
  readonly userData: { readonly [name: string]: unknown }
}

export interface TokenKeys {
  readonly partnerId: number
  readonly privateKey: string
  readonly servicePublicKey: string
}

export interface AskedToken extends TokenKeys {
  /** Who may pay with it: this address, this card's owner, or anybody who comes from this page. */
  readonly target: TokenTarget
  /** More than nothing, and below 10,000,000 of the currency's smallest unit: 99,999.99 USD. */
  readonly amount: number | string
  /** ISO 4217. Without it the token is in the currency that its merchant had when the Private Key was created. */
  readonly currency?: string
  /** Free text of the merchant's own. */
  readonly group?: string
  /** Without it the token never expires. */
  readonly expires?: Date
  readonly authorizationOnly?: boolean
  /** What the offer says and asks for: `item_name`, `item_details`, `ref_id`, `custom_data` and so on. */
  readonly userData?: { readonly [name: string]: unknown }
}

/** A float32 has 24 bits: it cannot hold an amount of more minor units. */
const amountMinorMax = 9_999_999
export const neverExpiresS = 2_147_483_647
export const authorizeOnlyVersion = 2n
const keyBytes = 32
const userDataBytesMax = 8_192
const utf8 = new TextEncoder()

/** A token as it stands in a mail. Throws where the service would not open it, with a sentence that says why. */
export function createToken(asked: AskedToken): string {
  const { partnerId, privateKey, servicePublicKey, target, group = '', authorizationOnly = false } = asked
  if (!Number.isSafeInteger(partnerId) || partnerId < 0) throw new RangeError('partnerId must be a whole number.')
  if (group.includes('/')) throw new RangeError('group must not contain "/": it ends there.')
  const contents = {
    target: checkedTarget(target),
    group,
    amount: checkedAmount(asked.amount, currencyOf(asked)),
    expiresS: checkedExpiry(asked.expires),
    authorizationOnly,
    userData: checkedUserData(asked, authorizationOnly),
  }
  checkKey('privateKey', privateKey)
  checkKey('servicePublicKey', servicePublicKey)
  return sealToken(contents, { partnerId, privateKey, servicePublicKey })
}

/** Seals what was checked before. A nonce of one's own is for test vectors alone. */
export function sealToken(
  contents: TokenContents,
  { partnerId, privateKey, servicePublicKey }: TokenKeys,
  nonce: Uint8Array = randomBytes(nacl.box.nonceLength),
): string {
  const box = nacl.box(tokenBytes(contents), nonce, keyOf(servicePublicKey), keyOf(privateKey))
  const body = joined([nonce, uint64(BigInt(partnerId)), box])
  const version = contents.authorizationOnly ? `${paddedBase64Url(uint64(authorizeOnlyVersion))}~` : ''
  return `@${version}${paddedBase64Url(body)}@`
}

export function paddedBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')
}

function tokenBytes({ target, group, amount, expiresS, userData }: TokenContents): Uint8Array {
  const [name, value] = Object.entries(target)[0] ?? []
  const numbers = new DataView(new ArrayBuffer(8))
  numbers.setFloat32(0, amount)
  numbers.setInt32(4, expiresS)
  const head = utf8.encode(`${name}<${value}>:${group}/`)
  return joined([head, new Uint8Array(numbers.buffer), utf8.encode(`/${JSON.stringify(userData)}`)])
}

function uint64(value: bigint): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setBigUint64(0, value)
  return new Uint8Array(bytes.buffer)
}

function keyOf(text: string): Uint8Array {
  return fromBase64(text) ?? new Uint8Array()
}

const targetShapes: { readonly [kind: string]: { readonly shape: RegExp; readonly says: string } } = {
  email: { shape: /^[^\s<>@]+@[^\s<>@]+$/, says: 'an email address' },
  card: { shape: /^[A-Za-z0-9_-]{24}$/, says: 'the service_token of a stored card, 24 characters' },
  url: {
    shape: /^(?:https?:\/\/[^\s<>"]+)?$/i,
    says: "an http or https URL, or empty text for the service's own page",
  },
}

function checkedTarget(target: TokenTarget): TokenTarget {
  const [[kind, value] = ['', ''], another] = Object.entries(target)
  const known = Object.hasOwn(targetShapes, kind) ? targetShapes[kind] : undefined
  if (known === undefined || another !== undefined) {
    throw new TypeError('target must be one of { email }, { card } and { url }.')
  }
  if (value.includes('>')) throw new RangeError(`target.${kind} must not contain ">": it ends there.`)
  if (!known.shape.test(value)) throw new RangeError(`target.${kind} must be ${known.says}.`)
  return target
}

const withoutDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')
const withThreeDecimals = 'BHD IQD JOD KWD LYD OMR TND'.split(' ')

function decimalsOf(currency: string): number {
  if (withoutDecimals.includes(currency)) return 0
  return withThreeDecimals.includes(currency) ? 3 : 2
}

/** Empty text: it names none. */
function currencyOf({ currency, userData: { currency: named = currency } = {} }: AskedToken): string {
  if (currency !== undefined && named !== currency) throw new RangeError('userData.currency must agree with currency.')
  return String(named ?? '')
}

function checkedAmount(given: number | string, currency: string): number {
  const text = String(given)
  const decimals = decimalsOf(currency)
  const [, whole, fraction = ''] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text) ?? []
  if (whole === undefined) throw new RangeError('amount must be a decimal number such as "20.55".')
  if (fraction.length > decimals) throw new RangeError(`amount must have at most ${decimals} decimals.`)
  const amount = Number(text)
  if (amount === 0) throw new RangeError('amount must be more than zero.')
  const amountMax = amountMinorMax / 10 ** decimals
  if (amount > amountMax) throw new RangeError(`amount must be at most ${amountMax}: a token cannot hold more exactly.`)
  return amount
}

function checkedExpiry(expires: Date | undefined): number {
  if (expires === undefined) return neverExpiresS
  const expiresS = Math.floor(expires.getTime() / 1_000)
  if (!(expiresS > 0 && expiresS < neverExpiresS)) {
    throw new RangeError('expires must be a time from 1970 to 2038; without it the token never expires.')
  }
  if (expires.getTime() <= Date.now()) throw new RangeError('expires must be in the future.')
  return expiresS
}

/** The version stands outside the box, where anybody could change it. What is written here must agree with it. */
function checkedUserData(asked: AskedToken, authorizationOnly: boolean) {
  const { authorization_only: given = authorizationOnly } = asked.userData ?? {}
  if (given !== authorizationOnly)
    throw new RangeError('userData.authorization_only must agree with authorizationOnly.')
  const currency = currencyOf(asked)
  const userData = { ...asked.userData, ...(currency !== '' && { currency }) }
  const why = whyNotUserData(userData)
  if (why !== null) throw new RangeError(why)
  const whole = { ...userData, authorization_only: authorizationOnly }
  if (utf8.encode(JSON.stringify(whole)).length > userDataBytesMax) {
    throw new RangeError(`userData must have at most ${userDataBytesMax} bytes as JSON.`)
  }
  return whole
}

function checkKey(name: string, text: string): void {
  const bytes = keyOf(text)
  if (bytes.length === keyBytes && toBase64(bytes) === text) return
  throw new TypeError(`${name} must be the base64 text of a key, as the service shows it.`)
}
