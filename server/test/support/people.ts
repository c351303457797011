// People who come to the dashboard from somewhere, with authenticators and mailed links.

import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { totpCode, totpPeriod } from '../../src/keys/totp.ts'
import { ConsoleClient } from './console.ts'
import type { KeptMail } from './mail-relay.ts'
import type { SignInPair } from './service.ts'

let lastHost = 0

/** In a browser that never signed in, on a network of its own. */
export function stranger(baseUrl: string): ConsoleClient {
  const client = new ConsoleClient(baseUrl)
  lastHost += 1
  client.address = `203.0.113.${lastHost}`
  return client
}

export const codeNow = (secret: string, periodsOff = 0) => totpCode(secret, totpPeriod(Date.now()) + periodsOff)

/** Turns the second factor on; returns what the authenticator knows, and the recovery codes. */
export async function withSecondFactor(
  client: ConsoleClient,
  { password }: SignInPair,
): Promise<{ readonly secret: string; readonly recoveryCodes: string[] }> {
  const begun = await client.ask('account/second_factor', { method: 'POST', json: { password } })
  assert.equal(begun.status, 200, begun.text)
  const { secret, uri, qr_svg: picture } = begun.json.second_factor
  assert.ok(uri.includes(`secret=${secret}`))
  assert.match(picture, /^<svg /)
  const json = { code: codeNow(secret) }
  const on = await client.ask('account/second_factor/confirmation', { method: 'POST', json })
  assert.equal(on.status, 200, on.text)
  return { secret, recoveryCodes: on.json.recovery_codes }
}

/** What stands behind the # of the link in a mail. */
export function linkIn(text: string): string {
  const whole = text.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
  return /\/dashboard\/(?:reset|invitation)#([\w.-]+)/.exec(whole)?.[1] ?? assert.fail(`no link in ${text}`)
}

export const linkInMail = ({ raw }: KeptMail) => linkIn(raw)

/** How many passwords are hashed while the work is done. */
export async function countHashes(work: () => Promise<unknown>): Promise<number> {
  const { argon2 } = crypto
  let count = 0
  const counting: typeof argon2 = (...given) => {
    count += 1
    return argon2(...given)
  }
  Object.assign(crypto, { argon2: counting })
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    Object.assign(crypto, { argon2 })
    syncBuiltinESMExports()
  }
  return count
}
