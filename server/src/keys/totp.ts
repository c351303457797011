// The second factor: codes of six digits by time (RFC 6238, over RFC 4226), as every authenticator makes them, and the
// codes that stand in for it where the authenticator is lost.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const periodMs = 30_000
const digits = 6
/** How far a telephone's clock may be off, either way. */
const periodsOff = 1

export function newTotpSecret(): string {
  return base32(randomBytes(20))
}

export function totpPeriod(timeMs: number): number {
  return Math.floor(timeMs / periodMs)
}

/** `secret` in base32. */
export function totpCode(secret: string, period: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(period))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const at = (mac.at(-1) ?? 0) & 0xf
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 10 ** digits).padStart(digits, '0')
}

/** The period whose code it is, later than the last one that was taken; null: none. */
export function fittingPeriod(secret: string, given: string, timeMs: number, usedPeriod: number | null): number | null {
  const code = given.replace(/\s/g, '')
  if (!/^\d{6}$/.test(code)) return null
  const now = totpPeriod(timeMs)
  for (let period = now - periodsOff; period <= now + periodsOff; period++) {
    const fits = timingSafeEqual(Buffer.from(totpCode(secret, period)), Buffer.from(code))
    if (fits && period > (usedPeriod ?? -1)) return period
  }
  return null
}

/** What an authenticator reads from a QR code. */
export function totpUri(
  secret: string,
  { issuer, account }: { readonly issuer: string; readonly account: string },
): string {
  // The colon parts the two.
  const [by, whose] = [issuer.replaceAll(':', ' '), account.replaceAll(':', ' ')].map(encodeURIComponent)
  return `otpauth://totp/${by}:${whose}?secret=${secret}&issuer=${by}`
}

const recoveryCodes = 10

/** 80 bits each, so that a plain hash of one is enough. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () =>
    base32(randomBytes(10))
      .toLowerCase()
      .replace(/.{4}(?=.)/g, '$&-'),
  )
}

/** As it is hashed, however it was typed; null: it cannot be one. */
export function parseRecoveryCode(given: string): string | null {
  const letters = given.toLowerCase().replace(/[\s-]/g, '')
  return /^[a-z2-7]{16}$/.test(letters) ? letters : null
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding: what we encode fills whole characters. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map(five => alphabet[Number.parseInt(five, 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map(letter => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map(eight => Number.parseInt(eight, 2)))
}
