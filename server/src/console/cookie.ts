// The session's cookie. It goes to the console alone, and only with what our own pages ask: the dashboard's files need none, so
// that also whoever comes by a link in a mail is still signed in.

import type { MerchantId } from '../core/ids.ts'
import type { SessionKey } from './ports.ts'

export const consolePath = '/console'

/** A browser takes a cookie named so by TLS alone. */
export function cookieName(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Secure-tillbell_session' : 'tillbell_session'
}

export function setCookie(baseUrl: string, { merchantId, sessionId, secret }: SessionKey, maxAgeS: number): string {
  return written(baseUrl, `${merchantId}.${sessionId}.${secret}`, maxAgeS)
}

export function clearCookie(baseUrl: string): string {
  return written(baseUrl, '', 0)
}

function written(baseUrl: string, value: string, maxAgeS: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(baseUrl)}=${value}; Path=${consolePath}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`
}

const value = /^(m_[\w-]{22})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/

/** Null: there is none that could be one of ours. */
export function sessionKeyIn(baseUrl: string, header: string | undefined): SessionKey | null {
  const start = `${cookieName(baseUrl)}=`
  const found = (header ?? '').split(/; ?/).find(each => each.startsWith(start))
  const [, merchantId, sessionId, secret] = value.exec(found?.slice(start.length) ?? '') ?? []
  if (merchantId === undefined || sessionId === undefined || secret === undefined) return null
  return { merchantId: merchantId as MerchantId, sessionId, secret }
}
