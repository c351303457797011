// Whether a form was sent from our own page. These pages have no login that a stranger's page could borrow; still nobody
// but the page itself sends its form.

import type { IncomingHttpHeaders } from 'node:http'

/**
 * Our pages tell nobody where one came from, so browsers send their forms with `Origin: null`: what says the origin is
 * Sec-Fetch-Site. A browser that has neither is left to the form's own token.
 */
export function isFromOurselves(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  return origin === undefined || origin === 'null' || origin === URL.parse(baseUrl)?.origin
}

export const formType = 'application/x-www-form-urlencoded'

export function isForm(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === formType
}

/** No form of ours has a quarter of them. */
const fieldsMax = 200

/** Null: it has more fields than any form of ours. They are counted first: to read 30,000 of them takes 20 ms. */
export function fieldsOf(body: string): URLSearchParams | null {
  let count = 1
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1)) {
    count += 1
    if (count > fieldsMax) return null
  }
  return new URLSearchParams(body)
}

/** Null: not a form, one that names a field twice, or one of too many fields. */
export function readForm(contentType: string | undefined, body: unknown): { readonly [name: string]: string } | null {
  const read = isForm(contentType) && typeof body === 'string' ? fieldsOf(body) : null
  if (read === null) return null
  const form = Object.fromEntries(read)
  return Object.keys(form).length === read.size ? form : null
}
