// What proves that a form was sent from our own page about one thing: known to nobody who has not seen that page.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Derived } from './sealing.ts'

export interface FormTokens {
  /** The same for every rendering of the page. */
  of(thing: string): string
  fits(thing: string, given: string): boolean
}

export function formTokens(keys: Derived): FormTokens {
  const ofKey = (key: Buffer, thing: string) => createHmac('sha256', key).update(thing).digest('base64url')
  return {
    of: thing => ofKey(keys[0], thing),
    fits: (thing, given) => keys.some(key => isEqual(ofKey(key, thing), given)),
  }
}

function isEqual(expected: string, given: string): boolean {
  const [bytes, text] = [Buffer.from(expected), Buffer.from(given)]
  return bytes.length === text.length && timingSafeEqual(bytes, text)
}
