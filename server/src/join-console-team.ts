// Joins the merchant's team to the database, and invitations to the mail.

import { beginAs } from './begin-as.ts'
import type { Invited, Inviting, TeamPorts } from './console/team.ts'
import type { Role } from './core/login.ts'
import type { Caller } from './http/answering.ts'
import { headOf, personMail } from './join-console-links.ts'
import type { PeopleWorld } from './join-console-people.ts'
import { linkUrl } from './join-login-links.ts'
import { newConsoleSecret, secretHash } from './keys/new-ids.ts'
import { invitationMail } from './pages/mails/people.ts'
import { wordsFor } from './pages/words/words.ts'
import { dropLinks, listInvitations, putInvitation } from './store/login-links.ts'
import { findLogin } from './store/logins.ts'
import { changeRole, listTeam, removeMember } from './store/team.ts'

/** The words of the mail say it too. */
const invitationLifeS = 7 * 86_400
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

/** An earlier link to the same address is of no use from now on. */
async function send(world: PeopleWorld, by: Inviting, { email, role, language }: Asked): Promise<Invited> {
  const { foundation, proving, post, service } = world
  const { merchantId } = by
  const tooOften = await proving.take([proving.bucket('mail', email)])
  if (tooOften !== null) return tooOften
  const secret = newConsoleSecret()
  const link = {
    merchantId,
    secretSha256: secretHash(secret),
    kind: 'invitation',
    email,
    role,
    madeBy: by.name,
  } as const
  await beginAs(foundation.sql, by, scope => putInvitation(scope, link, invitationLifeS))
  const url = linkUrl(service.baseUrl, { kind: 'invitation', merchantId, secret })
  if (!(await post.reaches(merchantId))) return { kind: 'sent', invitation: { email, role, link: url } }
  const head = await headOf(world, merchantId)
  const words = wordsFor(by.language ?? language)
  post.send(
    personMail(world, { merchantId, email }, head, invitationMail(words, { head, by: by.name, role, link: url })),
  )
  return { kind: 'sent', invitation: { email, role, link: null } }
}
