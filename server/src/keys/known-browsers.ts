// What a browser keeps after somebody signed in with it: it proves no more than that, and lasts longer than a session. Strangers'
// failures do not keep such a browser waiting.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Derived } from './sealing.ts'

export interface KnownBrowsers {
  /** For a browser that was not known. */
  newFor(email: string): string
  /** How the browser is known; null: it has not signed in as this one. */
  idOf(email: string, given: string | null): string | null
}

export function knownBrowsers(keys: Derived): KnownBrowsers {
  const macOf = (key: Buffer, email: string, id: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([email, id]))
      .digest()
  return {
    newFor(email) {
      const id = randomBytes(16).toString('base64url')
      return `${id}.${macOf(keys[0], email, id).toString('base64url')}`
    },
    idOf(email, given) {
      const [, id, text] = /^([\w-]{22})\.([\w-]{43})$/.exec(given ?? '') ?? []
      if (id === undefined || text === undefined) return null
      const mac = Buffer.from(text, 'base64url')
      return keys.some(key => timingSafeEqual(macOf(key, email, id), mac)) ? id : null
    },
  }
}
