// Requests that a page of another site makes a browser send. The browser adds the credentials that it has stored for us, so
// they prove nothing about who asks. Programs send neither of these headers.

import type { IncomingHttpHeaders } from 'node:http'
import { parsedUrl } from '../core/web-address.ts'

/** A sibling domain is another site, too: only its Origin could say that it is us. */
export function isFromOtherSite(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  const isOurs = origin !== undefined && parsedUrl(origin)?.origin === new URL(baseUrl).origin
  if (origin !== undefined && !isOurs) return true
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return !(site === 'same-site' && isOurs)
}
