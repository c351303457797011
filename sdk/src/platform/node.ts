// What the sdk asks of the machine, where there is `node:crypto`: Node, Bun and Deno. web.ts is the same for all others;
// platform.test.ts holds the two to the same answers. Which one is loaded, package.json's `imports` says.

import { createHash, createHmac, randomBytes as nodeRandomBytes, timingSafeEqual } from 'node:crypto'

/** Of the text's UTF-8 bytes. */
export function hmac(
  algorithm: 'sha1' | 'sha256',
  key: string | Uint8Array,
  text: string,
  as: 'hex' | 'base64',
): string {
  return createHmac(algorithm, key).update(text, 'utf8').digest(as)
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Takes as long wherever the two differ. */
export function isSameText(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

export function randomBytes(count: number): Uint8Array {
  return Uint8Array.from(nodeRandomBytes(count)) // not a Buffer, which in a realm of its own is no Uint8Array
}
