// Guesses why a signature does not verify: each guess is tried, and only one that verifies is told. Only the merchant and the service can
// make a signature that does, so a guess that fits tells a stranger nothing; and the signature that was expected is never told.

import { hmac, isSameText } from '#platform'
import { fromBase64, toBase64 } from './base64.ts'
import { verifyHook } from './sign.ts'

interface Given {
  readonly details: string
  readonly signature: string
}

/** No hook has more. Strangers are not to make us hash a lot. */
const detailsCharsMax = 65_536

export function whyNotSigned(given: Given, keys: readonly string[]): string | null {
  if (given.details.length > detailsCharsMax) return 'details is longer than those of any hook.'
  return aboutSignature(given.signature) ?? aboutDetails(given, keys) ?? aboutKeys(given, keys)
}

function aboutSignature(signature: string): string | null {
  if (/^[0-9a-f]{40}$/.test(signature)) return null
  if (/^[0-9A-F]{40}$/.test(signature.trim().toUpperCase())) {
    return 'The signature was changed on its way: it is 40 lower-case hexadecimal digits, without blanks.'
  }
  return 'The signature is not 40 hexadecimal digits.'
}

const detailsGuesses: readonly { readonly says: string; readonly undo: (details: string) => string }[] = [
  { says: 'details has white space around it that was not sent.', undo: details => details.trim() },
  {
    says: 'details was parsed and written again: the same JSON in another spelling. Give the text as it came, before any JSON parsing.',
    undo: details => JSON.stringify(JSON.parse(details)),
  },
  { says: 'details is still URL-encoded: decode it once.', undo: details => decodeURIComponent(details) },
  { says: 'details was read as Latin-1, but is UTF-8.', undo: details => asUtf8(details) },
]

function aboutDetails({ details, signature }: Given, keys: readonly string[]): string | null {
  const fits = (text: string | null) =>
    text !== null && text !== details && keys.some(key => verifyHook(text, signature, key))
  return detailsGuesses.find(({ undo }) => fits(undone(undo, details)))?.says ?? null
}

function undone(undo: (details: string) => string, details: string): string | null {
  try {
    return undo(details)
  } catch {
    return null
  }
}

function asUtf8(latin1: string): string {
  const bytes = Uint8Array.from(latin1, char => char.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

const notPrivateKeys: readonly { readonly shape: RegExp; readonly says: string }[] = [
  { shape: /^sk_/, says: 'The key begins with sk_: that is the API secret. Hooks are signed with the Private Key.' },
  { shape: /^pk_/, says: 'The key begins with pk_: that is the API key. Hooks are signed with the Private Key.' },
  {
    shape: /^whsec_/,
    says: 'The key begins with whsec_: that is an endpoint’s Standard Webhooks secret, for verifyStandardWebhook. Here the Private Key is needed.',
  },
]

function aboutKeys({ details, signature }: Given, keys: readonly string[]): string | null {
  for (const key of keys) {
    const spelt = respelt(key).some(other => verifyHook(details, signature, other))
    if (spelt) return 'The key is the right one in another spelling. Give its text exactly as the service shows it.'
    if (isSignedWithBytes({ details, signature }, key)) {
      return 'It was signed with the bytes that the Private Key encodes. A Tillbell service signs with the key’s text.'
    }
  }
  const shape = notPrivateKeys.find(({ shape }) => keys.some(key => shape.test(key)))
  if (shape !== undefined) return shape.says
  if (keys.some(key => /^[A-Za-z0-9+/]{43}=$/.test(key))) return null
  return 'The key is not the text of a Private Key: 44 characters of base64, the last one "=". Was it decoded, cut or quoted?'
}

/** With blanks or quotes around it, without its padding, for URLs, in hex, or decoded into a string of bytes. */
function respelt(key: string): readonly string[] {
  const bare = key.trim().replace(/^(["'])(.*)\1$/, '$2')
  const standard = bare.replaceAll('-', '+').replaceAll('_', '/')
  const fromHex = /^([0-9a-f]{2}){32}$/i.test(bare)
    ? bare.match(/../g)?.map(pair => Number.parseInt(pair, 16))
    : undefined
  const fromBinary = key.length === 32 ? Array.from(key, char => char.charCodeAt(0)) : undefined
  const bytes = fromHex ?? fromBinary ?? fromBase64(standard)
  const encoded = bytes === null ? [] : [toBase64(Uint8Array.from(bytes))]
  return [bare, ...encoded].filter(other => other !== key && other.trim() !== '')
}

function isSignedWithBytes({ details, signature }: Given, key: string): boolean {
  const bytes = fromBase64(key)
  return bytes !== null && isSameText(signature, hmac('sha1', bytes, details, 'hex'))
}
