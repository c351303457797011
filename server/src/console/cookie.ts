// Our cookies. They go to the console alone, and only with what our own pages ask: the dashboard's files need none, so that
// also whoever comes by a link in a mail is still signed in.

import type { MerchantId } from '../core/ids.ts'
import { rootOf } from '../core/root-path.ts'
import type { SessionKey } from './ports.ts'

export const consolePath = '/console'

/** session: who one is. browser: that somebody signed in here before. */
type Named = 'session' | 'browser'

/** A browser takes a cookie named so by TLS alone. */
export function cookieName(baseUrl: string, name: Named = 'session'): string {
  return `${baseUrl.startsWith('https:') ? '__Secure-' : ''}tillbell_${name}`
}

export function setCookie(baseUrl: string, { merchantId, sessionId, secret }: SessionKey, maxAgeS: number): string {
  return written(baseUrl, 'session', `${merchantId}.${sessionId}.${secret}`, maxAgeS)
}

export function clearCookie(baseUrl: string): string {
  return written(baseUrl, 'session', '', 0)
}

const browserMaxAgeS = 365 * 86_400

export function setBrowserCookie(baseUrl: string, value: string): string {
  return written(baseUrl, 'browser', value, browserMaxAgeS)
}

function written(baseUrl: string, name: Named, value: string, maxAgeS: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  const path = rootOf(baseUrl) + consolePath
  return `${cookieName(baseUrl, name)}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`
}

const value = /^(m_[\w-]{22})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/

/** Null: there is none that could be one of ours. */
export function sessionKeyIn(baseUrl: string, header: string | undefined): SessionKey | null {
  const [, merchantId, sessionId, secret] = value.exec(valueIn(baseUrl, 'session', header) ?? '') ?? []
  if (merchantId === undefined || sessionId === undefined || secret === undefined) return null
  return { merchantId: merchantId as MerchantId, sessionId, secret }
}

export function browserIn(baseUrl: string, header: string | undefined): string | null {
  return valueIn(baseUrl, 'browser', header)
}

function valueIn(baseUrl: string, name: Named, header: string | undefined): string | null {
  const start = `${cookieName(baseUrl, name)}=`
  const found = (header ?? '').split(/; ?/).find(each => each.startsWith(start))
  return found?.slice(start.length) ?? null
}
