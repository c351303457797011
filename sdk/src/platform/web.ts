// What the sdk asks of the machine, where there is no `node:crypto`: edge runtimes and browsers. Their own `crypto.subtle` knows
// HMAC too, but only answers later, and verifying is not to be asynchronous for that.

import { hmac as hmacOf } from '@noble/hashes/hmac.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { toBase64 } from '../base64.ts'

const utf8 = new TextEncoder()

export function hmac(
  algorithm: 'sha1' | 'sha256',
  key: string | Uint8Array,
  text: string,
  as: 'hex' | 'base64',
): string {
  const keyBytes = typeof key === 'string' ? utf8.encode(key) : key
  const digest = hmacOf(algorithm === 'sha1' ? sha1 : sha256, keyBytes, utf8.encode(text))
  return as === 'hex' ? bytesToHex(digest) : toBase64(digest)
}

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8.encode(text)))
}

/** Takes as long wherever the two differ. */
export function isSameText(given: string, expected: string): boolean {
  const [one, other] = [utf8.encode(given), utf8.encode(expected)]
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0)
  return difference === 0
}

export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}
