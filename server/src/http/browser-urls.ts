// Addresses that a merchant gives for its customers' browsers: where one goes on from a page of ours, and who may frame it.

import { maskCardNumbers } from '../core/card-number.ts'
import type { ServiceFacts } from '../core/sale.ts'
import { parsedUrl } from '../core/web-address.ts'

/**
 * A browser goes there from a page of ours: only where nobody listens in, or to this very machine in the sandbox. The rest of a
 * sentence that begins with the field; null: it may.
 */
export function whyNotReturnUrl(given: string, service: ServiceFacts): string | null {
  const url = new URL(given) // its schema has seen that it is one
  if (!isSafe(url, service)) return 'must be an https URL.'
  const isClean = url.username === '' && url.password === '' && maskCardNumbers(given) === given
  return isClean ? null : 'must have no credentials and no card number.'
}

/** As browsers write it; null: no origin that may frame a page. */
export function originFrom(given: string, service: ServiceFacts): string | null {
  const url = parsedUrl(given)
  if (url === null || !isSafe(url, service)) return null
  // It becomes part of a header: letters that separate things there, and names with stars, are no part of it.
  const isPlain = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(url.hostname)
  return isPlain && url.href === `${url.origin}/` ? url.origin : null
}

function isSafe(url: URL, { mode }: ServiceFacts): boolean {
  const isHere = mode === 'sandbox' && /^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
}
