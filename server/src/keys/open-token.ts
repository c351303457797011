// Opens a token that somebody made with a merchant's Private Key. What it says, and how it is sealed, is in the sdk. Whatever
// the bytes are, the answer is a value. Why a token does not open is for its merchant alone.

import { createHash } from 'node:crypto'
import { authorizeOnlyVersion, neverExpiresS, paddedBase64Url } from '@tillbell/sdk/token'
import nacl from 'tweetnacl'
import type { Json } from '../core/offer.ts'
import { type NotOpened, type OpenedToken, tokenCharsMax } from '../core/token.ts'
import { SharedSecrets } from './shared-secrets.ts'

export interface ClosedToken {
  readonly authorizationOnly: boolean
  readonly partnerId: bigint
  readonly nonce: Buffer
  readonly box: Buffer
  /** What it is known by: the version and the partner's number stand outside the box. */
  readonly boxSha256: Buffer
}

const shape = /^@(?:([A-Za-z0-9_-]{11}=)~)?([A-Za-z0-9_-]+={0,2})@$/
const { nonceLength, overheadLength } = nacl.box
const headBytes = nonceLength + 8

/** Null: nobody's token looks like that, which anybody can see. */
export function readToken(text: string): ClosedToken | null {
  const read = parseToken(text)
  return 'why' in read ? null : read
}

export function parseToken(text: string): ClosedToken | NotOpened {
  if (text.length > tokenCharsMax) return { why: `It has more than ${tokenCharsMax} characters.` }
  const [, versionText, bodyText] = shape.exec(text) ?? []
  if (bodyText === undefined) return { why: notShaped }
  const body = canonicalBytes(bodyText)
  const version = versionText === undefined ? 0n : (canonicalBytes(versionText)?.readBigUInt64BE() ?? null)
  if (body === null || version === null)
    return { why: 'It is not base64url as an encoder writes it: its padding or its last character is wrong.' }
  if (body.length < headBytes + overheadLength) return { why: 'It is too short: a part of it is missing.' }
  if (version !== 0n && version !== authorizeOnlyVersion) {
    return {
      why: `Its version is ${version}. It must have none, 0 (charges) or ${authorizeOnlyVersion} (authorises only).`,
    }
  }
  const box = body.subarray(headBytes)
  return {
    authorizationOnly: version === authorizeOnlyVersion,
    partnerId: body.readBigUInt64BE(nonceLength),
    nonce: body.subarray(0, nonceLength),
    box,
    boxSha256: createHash('sha256').update(box).digest(),
  }
}

const notShaped = 'It does not look like a token: "@", base64url with its padding, "@", without blanks or line breaks.'

/** What an offer's own token is known by; null: it has none. */
export function boxHashIn(tokenContent: string): Buffer | null {
  return readToken(tokenContent)?.boxSha256 ?? null
}

/** Decoders take several spellings for the same bytes; we take the one that an encoder writes. */
function canonicalBytes(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return paddedBase64Url(bytes) === text ? bytes : null
}

export interface OpenedBox {
  /** The public half of the key that it was made with. */
  readonly publicKey: string
  readonly token: OpenedToken | NotOpened
}

/** Null: none of these keys opens it. */
export type OpenBox = (closed: ClosedToken, publicKeys: readonly string[]) => OpenedBox | null

/** Some two thousand merchants with two keys each; less than a megabyte. */
const sharedSecretsMax = 4_096

export function boxOpener(servicePrivateKey: string, secretsMax = sharedSecretsMax): OpenBox {
  const shared = new SharedSecrets(servicePrivateKey, secretsMax)
  return (closed, publicKeys) => {
    // Each key is tried, also after one that matches: the time it takes says nothing.
    const opened = shared
      .with(closed.partnerId, publicKeys)
      .map(secret => nacl.secretbox.open(closed.box, closed.nonce, secret))
    const index = opened.findIndex(each => each !== null)
    const [plain, publicKey] = [opened[index] ?? null, publicKeys[index]]
    if (plain === null || publicKey === undefined) return null
    return { publicKey, token: contentsOf(Buffer.from(plain), closed.authorizationOnly) }
  }
}

/**
 * Parsed forward: the target ends at the first `>`; `:` begins a group, which ends at the next `/`; then eight bytes of numbers,
 * `/`, the rest.
 */
function contentsOf(plain: Buffer, authorizationOnly: boolean): OpenedToken | NotOpened {
  const targetEnd = plain.indexOf('>')
  const target = targetFrom(textOf(plain.subarray(0, Math.max(targetEnd, 0))))
  if (target === null) return { why: 'The target must be email<…>, card<…> or url<…>.' }
  const hasGroup = plain[targetEnd + 1] === colon
  const groupEnd = hasGroup ? plain.indexOf('/', targetEnd + 2) : targetEnd + 1
  if (groupEnd === -1 || plain[groupEnd] !== slash)
    return { why: 'After the target must come "/", or ":", a group and "/".' }
  const group = hasGroup ? textOf(plain.subarray(targetEnd + 2, groupEnd)) : null
  if (hasGroup && group === null) return { why: 'The group is not UTF-8.' }
  const numbersEnd = groupEnd + 9
  const isWhole = plain.length === numbersEnd || plain[numbersEnd] === slash
  if (!isWhole) return { why: 'After the target must come four bytes of amount, four of expiry, and "/".' }
  const amount = plain.readFloatBE(groupEnd + 1)
  if (!(amount > 0 && Number.isFinite(amount))) return { why: `The amount (${amount}) is not more than zero.` }
  const userData = userDataFrom(textOf(plain.subarray(numbersEnd + 1)))
  if (userData === null) return { why: 'user_data is not UTF-8.' }
  if (!agrees(userData, authorizationOnly))
    return { why: `user_data.authorization_only is not ${authorizationOnly}, as the version says.` }
  const expiresS = plain.readInt32BE(groupEnd + 5)
  const expiresAt = expiresS === neverExpiresS ? null : new Date(expiresS * 1_000)
  return { target, group, amount, expiresAt, authorizationOnly, userData }
}

const [colon, slash] = [...Buffer.from(':/')]
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

function targetFrom(text: string | null): OpenedToken['target'] | null {
  const [, kind, value = ''] = /^(email|card|url)<(.*)$/s.exec(text ?? '') ?? []
  return kind === undefined ? null : { kind: kind as OpenedToken['target']['kind'], value }
}

/** Older clients write what they like: anything but an object is text, also where it is JSON, as the number of an order is. */
function userDataFrom(text: string | null): OpenedToken['userData'] | null {
  if (text === null || text === '') return text === null ? null : {}
  const data = parsedJson(text)
  return data !== null && typeof data === 'object' && !Array.isArray(data) ? data : { custom_user_data: text }
}

/** The version lies outside the box: where this says what it must be, somebody may have changed it on the way. */
function agrees(userData: OpenedToken['userData'], authorizationOnly: boolean): boolean {
  return !Object.hasOwn(userData, 'authorization_only') || userData.authorization_only === authorizationOnly
}

function parsedJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
