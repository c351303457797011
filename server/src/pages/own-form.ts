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

const formType = 'application/x-www-form-urlencoded'

/** Null: not a form, or one that names a field twice. */
export function readForm(contentType: string | undefined, body: unknown): { readonly [name: string]: string } | null {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== formType || typeof body !== 'string') return null
  const fields = [...new URLSearchParams(body)]
  const form = Object.fromEntries(fields)
  return Object.keys(form).length === fields.length ? form : null
}
