// Joins the merchant's team to the database, and invitations to the mail.

import { beginAs } from './begin-as.ts'
import type { Invited, Inviting, TeamPorts } from './console/team.ts'
import type { MerchantId } from './core/ids.ts'
import type { Role } from './core/login.ts'
import type { Foundation } from './foundation.ts'
import type { Caller } from './http/answering.ts'
import { headOf, personMail } from './join-console-links.ts'
import type { PeopleWorld } from './join-console-people.ts'
import { linkUrl, putNewInvitation } from './join-login-links.ts'
import { invitationMail } from './pages/mails/people.ts'
import { wordsFor } from './pages/words/words.ts'
import { dropLinks, listInvitations } from './store/login-links.ts'
import { findLogin } from './store/logins.ts'
import { hasOtherMerchants } from './store/merchants.ts'
import { changeRole, listTeam, removeMember } from './store/team.ts'

const invitationsMax = 100

export function teamPorts(world: PeopleWorld): TeamPorts {
  const { proving } = world
  const { sql } = world.foundation
  return {
    team: {
      async list(merchantId) {
        const [members, invitations] = await Promise.all([listTeam(sql, merchantId), listInvitations(sql, merchantId)])
        return { members, invitations }
      },
      async invite(by, asked) {
        // Before anything is looked up: who asks for many addresses learns who has a login elsewhere.
        const tooOften = await proving.take([proving.bucket('invites', by.merchantId)])
        if (tooOften !== null) return tooOften
        const login = await findLogin(sql, asked.email)
        if (login !== null) return { kind: login.merchantId === by.merchantId ? 'in team' : 'has login' }
        const others = (await listInvitations(sql, by.merchantId)).filter(({ email }) => email !== asked.email)
        return others.length >= invitationsMax ? { kind: 'too many' } : send(world, by, asked)
      },
      async inviteAgain(by, { email, language }) {
        const open = (await listInvitations(sql, by.merchantId)).find(each => each.email === email)
        return open === undefined ? { kind: 'not known' } : send(world, by, { email, language, role: open.role })
      },
      revoke: (by, email) =>
        beginAs(sql, by, scope => dropLinks(scope, { ...loginNamed(by, email), kind: 'invitation' })),
      changeRole: (by, email, role) => beginAs(sql, by, scope => changeRole(scope, loginNamed(by, email), role)),
      remove: (by, email) => beginAs(sql, by, scope => removeMember(scope, loginNamed(by, email))),
    },
  }
}

const loginNamed = ({ merchantId }: Caller, email: string) => ({ merchantId, email })

interface Asked {
  readonly email: string
  readonly role: Role
  readonly language: string
}

/**
 * Whether the inviting one may be shown the link of somebody else. An address is one login of one merchant, so who accepts in another's name
 * takes the address away from that person's own merchant.
 */
async function mayHandOverLinks({ sql, config }: Foundation, merchantId: MerchantId): Promise<boolean> {
  return config.mode === 'sandbox' || !(await hasOtherMerchants(sql, merchantId))
}

/** An earlier link to the same address is of no use from now on. */
async function send(world: PeopleWorld, by: Inviting, { email, role, language }: Asked): Promise<Invited> {
  const { foundation, proving, post, service } = world
  const { merchantId } = by
  const isMailed = await post.reaches(merchantId)
  if (!isMailed && !(await mayHandOverLinks(foundation, merchantId))) return { kind: 'no mail' }
  const tooOften = await proving.take([proving.bucket('mail', email)])
  if (tooOften !== null) return tooOften
  const asked = { merchantId, email, role, madeBy: by.name }
  const link = await beginAs(foundation.sql, by, scope => putNewInvitation(scope, asked))
  const url = linkUrl(service.baseUrl, link)
  if (!isMailed) return { kind: 'sent', invitation: { email, role, link: url } }
  const head = await headOf(world, merchantId)
  const words = wordsFor(by.language ?? language)
  post.send(
    personMail(world, { merchantId, email }, head, invitationMail(words, { head, by: by.name, role, link: url })),
  )
  return { kind: 'sent', invitation: { email, role, link: null } }
}
