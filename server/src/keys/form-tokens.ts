// What proves that a form was sent from our own page about one thing: known to nobody who has not seen that page.

import { createHmac, timingSafeEqual } from 'node:crypto'

export interface FormTokens {
  /** The same for every rendering of the page. */
  of(thing: string): string
  fits(thing: string, given: string): boolean
}

export function formTokens(key: Buffer): FormTokens {
  const of = (thing: string) => createHmac('sha256', key).update(thing).digest('base64url')
  return {
    of,
    fits(thing, given) {
      const [expected, text] = [Buffer.from(of(thing)), Buffer.from(given)]
      return expected.length === text.length && timingSafeEqual(expected, text)
    },
  }
}
