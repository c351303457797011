// How a hook is signed: HMAC-SHA1 over the exact text of `details`, keyed with the text of the merchant's Private Key,
// as 40 lower-case hex digits. The service signs with the same code that a merchant verifies with.

import { createHmac, timingSafeEqual } from 'node:crypto'

export function signDetails(details: string, privateKey: string): string {
  return createHmac('sha1', privateKey).update(details, 'utf8').digest('hex')
}

/** Compares in constant time. False: the notification is not authentic, and must not be believed. */
export function verifyHook(details: string, signature: string, privateKey: string): boolean {
  const expected = Buffer.from(signDetails(details, privateKey))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The body of a hook: exactly two parameters, `details` then `signature`. */
export function hookBody(details: string, privateKey: string): string {
  return `details=${encodeURIComponent(details)}&signature=${signDetails(details, privateKey)}`
}
