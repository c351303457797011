// How a hook is signed: HMAC-SHA1 over the exact text of `details`, keyed with the text of the merchant's Private Key,
// as 40 lower-case hex digits. The service signs with the same code that a merchant verifies with.

import { hmac, isSameText } from '#platform'
import { privateKeyOf } from './private-keys.ts'

/** Throws a TypeError where the key is empty: what is signed with it, anybody could have signed. */
export function signDetails(details: string, privateKey: string): string {
  return hmac('sha1', privateKeyOf(privateKey), details, 'hex')
}

/**
 * Compares in constant time. False: the notification is not authentic, and must not be believed. Throws a TypeError where there is no
 * key to verify with.
 */
export function verifyHook(details: string, signature: string, privateKey: string): boolean {
  return isSameText(signature, signDetails(details, privateKey))
}

/** The body of a hook: exactly two parameters, `details` then `signature`. */
export function hookBody(details: string, privateKey: string): string {
  return `details=${encodeURIComponent(details)}&signature=${signDetails(details, privateKey)}`
}
