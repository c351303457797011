// Joins one's own account to the database: password, language, second factor.

import { beginAs } from './begin-as.ts'
import type { AccountPorts } from './console/account.ts'
import type { SignedIn } from './console/ports.ts'
import type { SecondFactorPorts } from './console/second-factor.ts'
import type { Actor } from './core/actor.ts'
import { passwordFault } from './core/password-rules.ts'
import type { PeopleWorld } from './join-console-people.ts'
import { newConsoleSecret, secretHash } from './keys/new-ids.ts'
import { fittingPeriod, newRecoveryCodes, newTotpSecret, parseRecoveryCode, totpUri } from './keys/totp.ts'
import { qrPicture } from './pages/qr.ts'
import { belongsTo } from './setup/merchant.ts'
import { keepThisSessionAlone } from './store/console-sessions.ts'
import { dropLinks } from './store/login-links.ts'
import { changePassword, type Login, readLogin, setLanguage } from './store/logins.ts'
import { findMerchant } from './store/merchants.ts'
import { beginSecondFactor, confirmSecondFactor, countRecoveryCodes, endSecondFactor } from './store/second-factors.ts'
import { undoable } from './store/undoable.ts'

export function accountPorts(world: PeopleWorld): AccountPorts & SecondFactorPorts {
  const { foundation, proving } = world
  const { sql } = foundation
  return {
    account: {
      async read(who) {
        const { passwordChangedAt, totpSince } = await ownLogin(world, who)
        const recoveryCodesLeft = await countRecoveryCodes(sql, who)
        return { passwordChangedAt, secondFactor: totpSince && { since: totpSince, recoveryCodesLeft } }
      },
      setLanguage: (who, language) => setLanguage(sql, who, language),
      async changePassword(who, { password, newPassword }) {
        const login = await ownLogin(world, who)
        const proven = await provenBy(world, login, who, password)
        if (proven.kind !== 'ok') return proven
        const fault = passwordFault(newPassword, who.email)
        if (fault !== null) return { kind: 'faulty', fault }
        const hash = await proving.hash(newPassword)
        if (typeof hash !== 'string') return hash
        const secret = newConsoleSecret()
        const isDone = await undoable(sql, async (scope, undo) => {
          if (!(await changePassword(scope, who, { hash, instead: login.passwordHash }))) return false
          if (!(await keepThisSessionAlone(scope, sessionOf(who), secretHash(secret)))) undo(false)
          await dropLinks(scope, { ...who, kind: 'reset' })
          return true
        })
        return isDone ? { kind: 'done', secret } : { kind: 'wrong' }
      },
    },
    secondFactor: secondFactorPorts(world),
  }
}

function secondFactorPorts(world: PeopleWorld): SecondFactorPorts['secondFactor'] {
  const { foundation, proving } = world
  const { sql, sealer, clock } = foundation
  return {
    async begin(who, password) {
      const proven = await provenBy(world, await ownLogin(world, who), who, password)
      if (proven.kind !== 'ok') return proven
      const secret = newTotpSecret()
      const sealed = sealer.seal(secret, belongsTo.totp(who.merchantId, who.email))
      const isBegun = await beginAs(sql, actorOf(who), scope => beginSecondFactor(scope, who, sealed))
      if (!isBegun) return { kind: 'in force' }
      const merchant = await findMerchant(sql, who.merchantId)
      const uri = totpUri(secret, { issuer: `Tillbell ${merchant?.name ?? ''}`.trim(), account: who.email })
      return { kind: 'begun', made: { secret, uri, qr_svg: qrPicture(uri, 'QR') } }
    },
    async confirm(who, code) {
      const { totpSealed: sealed, totpSince } = await ownLogin(world, who)
      if (sealed === null || totpSince !== null) return { kind: 'none' }
      const period = fittingPeriod(
        sealer.open(sealed, belongsTo.totp(who.merchantId, who.email)),
        code,
        clock.worldNow().getTime(),
        null,
      )
      if (period === null) return { kind: 'wrong code' }
      const recoveryCodes = newRecoveryCodes()
      const codesSha256 = recoveryCodes.map(each => secretHash(parseRecoveryCode(each) ?? ''))
      const secret = newConsoleSecret()
      const isOn = await undoable(sql, async (scope, undo) => {
        if (!(await confirmSecondFactor(scope, who, { sealed, period, codesSha256 }))) return false
        return (await keepThisSessionAlone(scope, sessionOf(who), secretHash(secret))) || undo(false)
      })
      return isOn ? { kind: 'on', recoveryCodes, secret } : { kind: 'none' }
    },
    async end(who, { password, code }) {
      const login = await ownLogin(world, who)
      if (login.totpSince === null) return { kind: 'none' }
      const proven = await provenBy(world, login, who, password)
      if (proven.kind !== 'ok') return proven
      const fits = await proving.code(login, code, proving.bucket('code', who.email, who.sessionId))
      if (fits.kind !== 'ok') return fits.kind === 'wrong' ? { kind: 'wrong code' } : fits
      const isEnded = await beginAs(sql, actorOf(who), scope => endSecondFactor(scope, login))
      return { kind: isEnded ? 'done' : 'wrong' }
    },
  }
}

/** By the password alone: a session has shown a code before, where there is one. */
async function provenBy({ proving }: PeopleWorld, login: Login, who: SignedIn, password: string) {
  return proving.password(login, password, [proving.bucket('browser', who.email, who.sessionId)])
}

/** Everybody may change their own account, for as long as they are signed in. */
function actorOf({ merchantId, email, sessionId, shownSha256 }: SignedIn): Actor {
  return { merchantId, name: email, session: { id: sessionId, shownSha256, needs: 'viewer' } }
}

export function sessionOf({ merchantId, sessionId, email, shownSha256 }: SignedIn) {
  return { merchantId, id: sessionId, email, shown: shownSha256 }
}

async function ownLogin({ foundation }: PeopleWorld, who: SignedIn): Promise<Login> {
  const login = await readLogin(foundation.sql, who)
  if (login === null) throw new Error('the login of a session is gone')
  return login
}
