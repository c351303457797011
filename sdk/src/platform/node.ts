// What the sdk asks of the machine, where there is `node:crypto`: Node, Bun and Deno. web.ts is the same for all others;
// platform.test.ts holds the two to the same answers. Which one is loaded, package.json's `imports` says.

import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes as nodeRandomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** Of the text's UTF-8 bytes. */
export function hmac(
  algorithm: 'sha1' | 'sha256',
  key: string | Uint8Array,
  text: string,
  as: 'hex' | 'base64',
): string {
  return createHmac(algorithm, typeof key === 'string' ? prepared(key) : key)
    .update(text, 'utf8')
    .digest(as)
}

const keysMax = 10_000
const keys = new Map<string, KeyObject>()

/** As the library wants it: to make that of a text takes as long as to sign a hook. */
function prepared(key: string): KeyObject {
  const known = keys.get(key)
  if (known !== undefined) return known
  if (keys.size >= keysMax) keys.clear()
  const made = createSecretKey(key, 'utf8')
  keys.set(key, made)
  return made
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
