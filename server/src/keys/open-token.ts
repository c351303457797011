// Opens a token that somebody made with a merchant's Private Key. What it says, and how it is sealed, is in the sdk. Whatever
// the bytes are, the answer is a value: null says that it does not open, and not why.

import { createHash } from 'node:crypto'
import { authorizeOnlyVersion, neverExpiresS, paddedBase64Url, tokenAmountMax } from '@tillbell/sdk/token'
import nacl from 'tweetnacl'
import type { Json } from '../core/offer.ts'
import { type OpenedToken, tokenCharsMax } from '../core/token.ts'
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
  const [, versionText, bodyText = ''] = (text.length <= tokenCharsMax && shape.exec(text)) || []
  const body = canonicalBytes(bodyText)
  const version = versionText === undefined ? 0n : (canonicalBytes(versionText)?.readBigUInt64BE() ?? null)
  if (body === null || body.length < headBytes + overheadLength) return null
  if (version !== 0n && version !== authorizeOnlyVersion) return null
  const box = body.subarray(headBytes)
  return {
    authorizationOnly: version === authorizeOnlyVersion,
    partnerId: body.readBigUInt64BE(nonceLength),
    nonce: body.subarray(0, nonceLength),
    box,
    boxSha256: createHash('sha256').update(box).digest(),
  }
}

/** What an offer's own token is known by; null: it has none. */
export function boxHashIn(tokenContent: string): Buffer | null {
  return readToken(tokenContent)?.boxSha256 ?? null
}

/** Decoders take several spellings for the same bytes; we take the one that an encoder writes. */
function canonicalBytes(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return paddedBase64Url(bytes) === text ? bytes : null
}

export type OpenBox = (closed: ClosedToken, publicKeys: readonly string[]) => OpenedToken | null

/** Some two thousand merchants with two keys each; less than a megabyte. */
const sharedSecretsMax = 4_096

export function boxOpener(servicePrivateKey: string, secretsMax = sharedSecretsMax): OpenBox {
  const shared = new SharedSecrets(servicePrivateKey, secretsMax)
  return (closed, publicKeys) => {
    // Each key is tried, also after one that matches: the time it takes says nothing.
    const opened = shared
      .with(closed.partnerId, publicKeys)
      .map(secret => nacl.secretbox.open(closed.box, closed.nonce, secret))
    const plain = opened.find(each => each !== null) ?? null
    return plain === null ? null : contentsOf(Buffer.from(plain), closed.authorizationOnly)
  }
}

/** Parsed forward: the target ends at the first `>:`, the group at the next `/`, then eight bytes of numbers, `/`, the rest. */
function contentsOf(plain: Buffer, authorizationOnly: boolean): OpenedToken | null {
  const targetEnd = plain.indexOf('>:')
  const groupEnd = targetEnd === -1 ? -1 : plain.indexOf('/', targetEnd + 2)
  const numbersEnd = groupEnd + 9
  if (groupEnd === -1 || plain[numbersEnd] !== slash) return null
  const target = targetFrom(textOf(plain.subarray(0, targetEnd)))
  const group = textOf(plain.subarray(targetEnd + 2, groupEnd))
  const amount = plain.readFloatBE(groupEnd + 1)
  const userData = userDataFrom(textOf(plain.subarray(numbersEnd + 1)), authorizationOnly)
  const isAmount = amount > 0 && amount < tokenAmountMax
  if (target === null || group === null || userData === null || !isAmount) return null
  const expiresS = plain.readInt32BE(groupEnd + 5)
  const expiresAt = expiresS === neverExpiresS ? null : new Date(expiresS * 1_000)
  return { target, group, amount, expiresAt, authorizationOnly, userData }
}

const slash = '/'.charCodeAt(0)
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

/** The version lies outside the box: where this says what it must be, somebody may have changed it on the way. */
function userDataFrom(text: string | null, authorizationOnly: boolean): OpenedToken['userData'] | null {
  const data = parsedJson(text)
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return null
  const agrees = !Object.hasOwn(data, 'authorization_only') || data.authorization_only === authorizationOnly
  return agrees ? data : null
}

function parsedJson(text: string | null): Json {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}
