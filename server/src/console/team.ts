// The merchant's people: who there are, who is invited, and what each may do.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { lowerCaseEmail } from '../core/email.ts'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { type Role, roles } from '../core/login.ts'
import { isoTime } from '../core/sale.ts'
import { type Caller, callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { emailField, oneOfField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type { InvitationRecord, InvitationSent, MemberRecord, TeamRecord } from './contract/people.ts'
import { loginOf } from './guard.ts'
import type { SignedIn } from './ports.ts'
import { isNotNow, type NotNow, notNow } from './refusals.ts'

export interface Member {
  readonly email: string
  readonly role: Role
  readonly secondFactor: boolean
  readonly createdAt: Date
  readonly seenAt: Date | null
}

export interface Invitation {
  readonly email: string
  readonly role: Role
  readonly madeBy: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly isOver: boolean
}

export type Invited =
  | NotNow
  | { readonly kind: 'sent'; readonly invitation: InvitationSent }
  | { readonly kind: 'in team' | 'has login' | 'too many' | 'not known' | 'no mail' }

/** With the language that they have chosen. */
export type Inviting = Caller & Pick<SignedIn, 'language'>

export interface TeamPorts {
  readonly team: {
    list(
      merchantId: MerchantId,
    ): Promise<{ readonly members: readonly Member[]; readonly invitations: readonly Invitation[] }>
    /** `language`: where the inviting one has chosen none, an Accept-Language. All that changes something throws where `by` may not any more. */
    invite(
      by: Inviting,
      asked: { readonly email: string; readonly role: Role; readonly language: string },
    ): Promise<Invited>
    inviteAgain(by: Inviting, asked: { readonly email: string; readonly language: string }): Promise<Invited>
    /** False: there is no such. */
    revoke(by: Caller, email: string): Promise<boolean>
    changeRole(by: Caller, email: string, role: Role): Promise<TeamChange>
    remove(by: Caller, email: string): Promise<TeamChange>
  }
}

/** There is always an owner. */
export type TeamChange = 'done' | 'not known' | 'last owner'

const roleField = oneOfField(roles, 'What they may do.')
const inviteBody = Type.Object({ email: emailField('Whom to invite.'), role: roleField })
const roleBody = Type.Object({ role: roleField })
interface ByEmail {
  readonly Params: { readonly id: string }
}

export function teamRoutes(app: FastifyInstance, { team }: TeamPorts): void {
  app.get('/team', { config: { needs: 'viewer' } }, async (request, reply) => {
    const who = loginOf(request)
    const { members, invitations } = await team.list(who.merchantId)
    const shown: TeamRecord = {
      members: members.map(member => memberRecord(member, who)),
      invitations: invitations.map(invitationRecord),
    }
    return reply.send(answerText({ team: shown }))
  })

  app.post<{ Body: Static<typeof inviteBody> }>(
    '/team/invitations',
    { config: { needs: 'owner', action: 'member_invited', keeps: ['email', 'role'] }, schema: { body: inviteBody } },
    async (request, reply) => {
      const { role } = request.body
      const [email, language] = [lowerCaseEmail(request.body.email), request.headers['accept-language'] ?? '']
      return sendInvited(reply, await team.invite(inviting(request), { email, role, language }))
    },
  )

  app.post<ByEmail>(
    '/team/invitations/:id/again',
    { config: { needs: 'owner', action: 'invitation_sent_again' } },
    async (request, reply) => {
      const [email, language] = [emailIn(request.params), request.headers['accept-language'] ?? '']
      return sendInvited(reply, await team.inviteAgain(inviting(request), { email, language }))
    },
  )

  app.delete<ByEmail>(
    '/team/invitations/:id',
    { config: { needs: 'owner', action: 'invitation_revoked' } },
    async (request, reply) => {
      if (!(await team.revoke(callerOf(request), emailIn(request.params)))) throw ApiError.notKnown('email')
      return reply.code(204).send()
    },
  )

  app.patch<ByEmail & { Body: Static<typeof roleBody> }>(
    '/team/members/:id',
    { config: { needs: 'owner', action: 'role_changed', keeps: ['role'] }, schema: { body: roleBody } },
    async (request, reply) => {
      refuse(await team.changeRole(callerOf(request), emailIn(request.params), request.body.role))
      return reply.code(204).send()
    },
  )

  app.delete<ByEmail>(
    '/team/members/:id',
    { config: { needs: 'owner', action: 'member_removed' } },
    async (request, reply) => {
      refuse(await team.remove(callerOf(request), emailIn(request.params)))
      return reply.code(204).send()
    },
  )
}

function inviting(request: FastifyRequest): Inviting {
  return { ...callerOf(request), language: loginOf(request).language }
}

function emailIn({ id }: ByEmail['Params']): string {
  return lowerCaseEmail(id)
}

function refuse(change: TeamChange): void {
  if (change === 'not known') throw ApiError.notKnown('email')
  if (change === 'last owner')
    throw new ApiError(409, { general: 'There must be an owner: make somebody else one first.' })
}

const invitedSays = {
  'in team': 'email is in your team already.',
  'has login': 'email has a login with another merchant here: a person needs another address for a second one.',
  'too many': 'There are too many open invitations: revoke some first.',
} as const

const noMail =
  'No email goes out of this service, and it has other merchants too, so the invitation cannot be handed over here. Ask whoever runs the service to use "tillbell login invite", or to set TILLBELL_MAIL_RELAY.'

function sendInvited(reply: FastifyReply, invited: Invited): FastifyReply {
  if (isNotNow(invited)) throw notNow(invited)
  if (invited.kind === 'not known') throw ApiError.notKnown('email')
  if (invited.kind === 'no mail') throw new ApiError(409, { general: noMail })
  if (invited.kind !== 'sent') throw new ApiError(422, { email: invitedSays[invited.kind] })
  return reply.send(answerText({ invitation: invited.invitation }))
}

function memberRecord({ email, role, secondFactor, createdAt, seenAt }: Member, who: SignedIn): MemberRecord {
  const times = { created_at: isoTime(createdAt), seen_at: seenAt && isoTime(seenAt) }
  return { email, role, second_factor: secondFactor, ...times, is_you: email === who.email }
}

function invitationRecord({ email, role, madeBy, createdAt, expiresAt, isOver }: Invitation): InvitationRecord {
  const times = { created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) }
  return { email, role, invited_by: madeBy, ...times, is_expired: isOver }
}
