// Which URLs a hook may go to, and what is in them. The URL parser repairs much of what it is given (blanks, other
// slashes, 127.1); what is repaired means something else to its next reader, so here it is refused.

import { isIP, isIPv4 } from 'node:net'
import { parsedUrl } from '../../core/web-address.ts'
import { addressGuard, type Guard, type Verdict, type Whereto } from './address-guard.ts'

export interface Target {
  readonly secure: boolean
  /** Host and port as the Host header says them. */
  readonly authority: string
  /** An address without brackets, or a name. */
  readonly host: string
  readonly port: number
  /** With the query. */
  readonly path: string
  /** Known without asking anybody. Null: a name to be resolved. */
  readonly addresses: readonly string[] | null
}

const charactersMax = 2_048

/** `localhost` leads here and nowhere else: no resolver is asked, so none can say otherwise. */
export const localhostAddresses: readonly string[] = ['127.0.0.1', '::1']

/** The rest of a sentence that begins with `url`, or null: it may be configured. Also checked again at each sending. */
export function whyNotUrl(url: string, whereto: Whereto): string | null {
  const read = readTarget(url, whereto.mode, addressGuard(whereto))
  return 'why' in read ? read.why : null
}

/** What is in a URL, and whether a hook may go there as far as is known without asking anybody. */
export function readTarget(url: string, mode: Whereto['mode'], guard: Guard): Read {
  const read = parseTarget(url, mode)
  if ('why' in read) return read
  const why = whyNotTarget(read.target, guard)
  return why === null ? read : { why }
}

export type Read = { readonly target: Target } | { readonly why: string }

/** The same for the same text, for ever. */
export function parseTarget(url: string, mode: Whereto['mode']): Read {
  const whyNotGiven = whyNotText(url)
  if (whyNotGiven !== null) return { why: whyNotGiven }
  const parsed = parsedUrl(url)
  if (parsed === null) return { why: 'is not a valid URL' }
  const whyNotRead = whyNotParsed(url, parsed, mode)
  if (whyNotRead !== null) return { why: whyNotRead }
  const secure = parsed.protocol === 'https:'
  const host = parsed.hostname.replace(/^\[|\]$/g, '')
  const port = Number(parsed.port || (secure ? 443 : 80))
  const path = parsed.pathname + parsed.search
  return { target: { secure, authority: parsed.host, host, port, path, addresses: addressesOf(host) } }
}

/** Of a literal address; those of a name are judged when it is resolved. */
export function whyNotTarget({ addresses, port, path }: Target, guard: Guard): string | null {
  return addresses === null ? null : whyNotAddresses(addresses, port, path, guard)
}

/** One address that may not be reached is enough: a name with a forbidden address is not trusted for its others. */
export function whyNotAddresses(addresses: readonly string[], port: number, path: string, guard: Guard): string | null {
  for (const address of addresses) {
    const verdict = guard(address, port, path)
    if (verdict !== 'allowed') return verdictSays[verdict]
  }
  return null
}

const verdictSays: { readonly [verdict in Exclude<Verdict, 'allowed'>]: string } = {
  reserved: 'must not lead to a private or reserved address',
  'own service': 'must not lead back to this service',
}

/** What is known of a host without asking anybody. */
export function addressesOf(host: string): readonly string[] | null {
  if (isIP(host) !== 0) return [host]
  return /(?:^|\.)localhost\.?$/i.test(host) ? localhostAddresses : null
}

function whyNotText(url: string): string | null {
  if (url.length > charactersMax) return `must have at most ${charactersMax} characters`
  if (/[\s\p{C}\\]/u.test(url)) return 'must not contain blanks, control characters or backslashes'
  if (url.includes('#')) return 'must not have a fragment'
  const authority = authorityOf(url)
  if (authority === null) return 'must begin with http:// or https:// and name a host'
  return authority.includes('@') ? 'must not carry credentials' : null
}

function whyNotParsed(url: string, parsed: URL, mode: Whereto['mode']): string | null {
  if (mode === 'live' && parsed.protocol !== 'https:') return 'must be an https URL in live mode'
  if (parsed.port === '0') return 'must not name port 0'
  const isRewritten = authorityOf(url)?.replace(/:[0-9]*$/, '') !== parsed.hostname
  if (isIPv4(parsed.hostname) && isRewritten) return 'must write an IPv4 address as four decimal numbers'
  return isName(parsed.hostname) ? null : 'must name a host of at most 253 characters, with 1 to 63 between its dots'
}

/** What the DNS can hold: any other would be tried for a day and never be found. A dot may end it. */
function isName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every(label => label.length >= 1 && label.length <= 63)
}

function authorityOf(url: string): string | null {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? null
}
