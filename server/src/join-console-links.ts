// Joins mailed links that set a password to the mail, the database and the audit log.

import type { LinkPorts } from './console/links.ts'
import type { From } from './console/ports.ts'
import { type MerchantId, parseMerchantId } from './core/ids.ts'
import { passwordFault } from './core/password-rules.ts'
import { networkOf } from './core/tries.ts'
import type { PeopleWorld } from './join-console-people.ts'
import { linkUrl, newResetLink } from './join-login-links.ts'
import { secretHash } from './keys/new-ids.ts'
import type { Mail } from './mail/mailer.ts'
import type { MailLetterhead, WrittenMail } from './pages/mails/mail.ts'
import { resetMail } from './pages/mails/people.ts'
import { wordsFor } from './pages/words/words.ts'
import { endSessionsOf } from './store/console-sessions.ts'
import { dropLinks, findLink, type LinkPlace, type LoginLink, useLink } from './store/login-links.ts'
import { changePassword, findLogin, insertLogin, readLogin } from './store/logins.ts'
import { findMerchant } from './store/merchants.ts'
import { undoable } from './store/undoable.ts'

export function linkPorts(world: PeopleWorld): LinkPorts {
  const { foundation, proving, browsers } = world
  const { sql, clock } = foundation
  return {
    links: {
      async forgotten({ email, language }, from) {
        const buckets = [proving.bucket('mail', email), proving.bucket('asks', networkOf(from.address))]
        const tooOften = await proving.take(buckets)
        if (tooOften !== null) return tooOften
        world.later(() => mailReset(world, email, language, from))
        return { kind: 'asked' }
      },
      async find(text) {
        const found = await linkIn(world, text)
        if (found === null) return null
        const { kind, email, role } = found
        return { kind, email, role, merchantName: await merchantName(world, found.merchantId) }
      },
      async reset({ link: text, password }, from) {
        const chosen = await chosenPassword(world, text, 'reset', password)
        if (chosen.kind !== 'chosen') return chosen
        const { link, hash } = chosen
        const isDone = await sql.begin(async scope => {
          if (!(await useLink(scope, link))) return false
          await changePassword(scope, link, { hash, instead: null })
          await endSessionsOf(scope, link)
          await dropLinks(scope, link)
          await world.note(scope, { ...link, role: null }, { action: 'password_reset', status: 204 }, from)
          return true
        })
        if (!isDone) return { kind: 'gone' }
        // Who reads the mailbox is not who holds the authenticator: that browser guesses codes as a stranger's does.
        const hasSecondFactor = (await readLogin(sql, link))?.totpSince !== null
        return { kind: 'done', browser: hasSecondFactor ? null : browsers.newFor(link.email) }
      },
      async accept({ link: text, password, language }, from) {
        const chosen = await chosenPassword(world, text, 'invitation', password)
        if (chosen.kind !== 'chosen') return chosen
        const { link, hash } = chosen
        const { merchantId, email, role } = link
        if (role === null) throw new Error('an invitation without a role')
        const login = { merchantId, email, role, passwordHash: hash, language, createdAt: clock.now() }
        const ended = await undoable<'ok' | 'gone' | 'has login'>(sql, async (scope, undo) => {
          if (!(await useLink(scope, link))) return 'gone'
          if (!(await insertLogin(scope, login))) return undo('has login')
          await world.note(scope, login, { action: 'invitation_accepted', status: 200 }, from)
          return 'ok'
        })
        if (ended !== 'ok') return { kind: ended }
        const proven = { passwordHash: hash, totpSince: null }
        return { kind: 'ok', merchantId, email, proven, browser: browsers.newFor(email) }
      },
    },
  }
}

/** Looks, and hashes, before anything is changed: a link is not used up by a password that is not taken. */
async function chosenPassword(world: PeopleWorld, text: string, kind: LoginLink['kind'], password: string) {
  const link = await linkIn(world, text)
  if (link === null || link.kind !== kind) return { kind: 'gone' } as const
  const fault = passwordFault(password, link.email)
  if (fault !== null) return { kind: 'faulty', fault } as const
  const hash = await world.proving.hash(password)
  return typeof hash === 'string' ? ({ kind: 'chosen', link, hash } as const) : hash
}

async function mailReset(world: PeopleWorld, email: string, language: string, from: From): Promise<void> {
  const { foundation, service } = world
  const login = await findLogin(foundation.sql, email)
  if (login === null) return
  await world.note(foundation.sql, { ...login, role: null }, { action: 'reset_asked', status: 204 }, from)
  const link = await newResetLink(world.foundation, login)
  const head = await headOf(world, login.merchantId)
  const words = wordsFor(login.language ?? language)
  world.post.send(
    personMail(world, login, head, resetMail(words, { head, email, link: linkUrl(service.baseUrl, link) })),
  )
}

async function linkIn({ foundation }: PeopleWorld, text: string): Promise<LoginLink | null> {
  const [, merchant, secret] = /^(m_[\w-]{22})\.([\w-]{43})$/.exec(text) ?? []
  const merchantId = merchant === undefined ? null : parseMerchantId(merchant)
  if (merchantId === null || secret === undefined) return null
  const place: LinkPlace = { merchantId, secretSha256: secretHash(secret) }
  return findLink(foundation.sql, place)
}

async function merchantName({ foundation }: PeopleWorld, merchantId: MerchantId): Promise<string> {
  const merchant = await findMerchant(foundation.sql, merchantId)
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  return merchant.name
}

/** Without the merchant's colours, which are for its customers. */
export async function headOf(world: PeopleWorld, merchantId: MerchantId): Promise<MailLetterhead> {
  return {
    merchant: await merchantName(world, merchantId),
    colors: { buttonColor: null, backgroundColor: null },
    logoUrl: null,
    supportEmail: null,
    isSandbox: world.service.mode === 'sandbox',
  }
}

export function personMail(
  { foundation }: PeopleWorld,
  to: { readonly merchantId: MerchantId; readonly email: string },
  head: MailLetterhead,
  written: WrittenMail,
): Mail {
  return {
    about: `person-${foundation.newUuid()}`,
    to: { name: '', address: to.email },
    ...written,
    merchant: { id: to.merchantId, name: head.merchant, supportEmail: null },
    isPrivate: true,
  }
}
