// How somebody proves to be a login: by its password, and by a code where it has a second factor. Every try counts before it is
// known to be a failure, and as much is done for an address that nobody has as for one with a login.

import { createHmac } from 'node:crypto'
import type { SignInTryKind } from './core/sign-in-tries.ts'
import { networkOf } from './core/tries.ts'
import type { Foundation } from './foundation.ts'
import { fewAtOnce } from './keys/few-at-once.ts'
import { secretHash } from './keys/new-ids.ts'
import { fitsPassword, hashPassword, newPassword } from './keys/passwords.ts'
import { fittingPeriod, parseRecoveryCode } from './keys/totp.ts'
import { belongsTo } from './setup/merchant.ts'
import type { Login } from './store/logins.ts'
import { takeRecoveryCode, takeTotpPeriod } from './store/second-factors.ts'
import { forgetSignInTries, giveSignInTryBack, type SignInBucket, takeSignInTry } from './store/sign-in-tries.ts'

type TooOften = { readonly kind: 'too often'; readonly retryAfterS: number }

export interface Proving {
  bucket(kind: SignInTryKind, ...names: readonly string[]): SignInBucket
  /** Where one from this address, with this browser if it is a known one, is counted; the closest first. */
  bucketsOf(email: string, from: { readonly address: string; readonly browser: string | null }): readonly SignInBucket[]
  take(buckets: readonly SignInBucket[]): Promise<TooOften | null>
  password(
    login: Login | null,
    given: string,
    buckets: readonly SignInBucket[],
  ): Promise<TooOften | { kind: 'ok' } | { kind: 'wrong' }>
  code(login: Login, given: string, bucket: SignInBucket): Promise<TooOften | { kind: 'ok' } | { kind: 'wrong' }>
  /** Of a password that somebody chose. */
  hash(password: string): Promise<string | TooOften>
}

/** They take a thread each, of the four that also read files and look up names. */
const hashedAtOnce = 2
const waitingMax = 50
const busy: TooOften = { kind: 'too often', retryAfterS: 2 }

export function proving(foundation: Foundation): Proving {
  const { sql } = foundation
  const key = foundation.lastingKeys['sign-in tries']
  const few = fewAtOnce(hashedAtOnce, waitingMax)
  const hashOfNobody = once(() => hashPassword(newPassword()))

  const bucket = (kind: SignInTryKind, ...names: readonly string[]): SignInBucket => {
    const named = JSON.stringify([kind, ...names])
    return { kind, who: createHmac('sha256', key).update(named).digest() }
  }

  const take = async (buckets: readonly SignInBucket[]): Promise<TooOften | null> => {
    const retryAfterS = await takeSignInTry(sql, buckets)
    return retryAfterS === 0 ? null : { kind: 'too often', retryAfterS }
  }

  return {
    bucket,
    bucketsOf(email, { address, browser }) {
      if (browser !== null) return [bucket('browser', email, browser)]
      const network = networkOf(address)
      return [bucket('here', email, network), bucket('everywhere', email), bucket('network', network)]
    },
    take,
    async password(login, given, buckets) {
      const tooOften = await take(buckets)
      if (tooOften !== null) return tooOften
      const nobodys = await hashOfNobody()
      const fits = await few(() => fitsPassword(login?.passwordHash ?? nobodys, given))
      if (fits === true && login !== null) {
        const [closest, ...others] = buckets
        await Promise.all([
          closest !== undefined && forgetSignInTries(sql, [closest]),
          others.length > 0 && giveSignInTryBack(sql, others),
        ])
        return { kind: 'ok' }
      }
      if (fits !== 'busy') return { kind: 'wrong' }
      await giveSignInTryBack(sql, buckets)
      return busy
    },
    async code(login, given, counted) {
      const tooOften = await take([counted])
      if (tooOften !== null) return tooOften
      if (!(await takesCode(foundation, login, given))) return { kind: 'wrong' }
      await forgetSignInTries(sql, [counted])
      return { kind: 'ok' }
    },
    async hash(password) {
      const hash = await few(() => hashPassword(password))
      return hash === 'busy' ? busy : hash
    },
  }
}

/** Authenticators go by the world's clock, also where the sandbox has moved ours. */
async function takesCode({ sql, sealer, clock }: Foundation, login: Login, given: string): Promise<boolean> {
  const recovery = parseRecoveryCode(given)
  if (recovery !== null) return takeRecoveryCode(sql, login, secretHash(recovery))
  if (login.totpSealed === null) return false
  const used = login.totpUsedPeriod === null ? null : Number(login.totpUsedPeriod)
  const period = fittingPeriod(
    sealer.open(login.totpSealed, belongsTo.totp(login.merchantId, login.email)),
    given,
    clock.worldNow().getTime(),
    used,
  )
  return period !== null && (await takeTotpPeriod(sql, login, period))
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make().catch(error => {
      made = null
      throw error
    })
    return made
  }
}
