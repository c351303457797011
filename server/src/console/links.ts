// Mailed links that set a password: for who has forgotten theirs, and for who is invited. The secret is in the part of the
// address that browsers keep to themselves, and comes here in a body.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { lowerCaseEmail } from '../core/email.ts'
import { answerText } from '../core/json.ts'
import { type Language, languages, type Role } from '../core/login.ts'
import { ApiError } from '../http/errors.ts'
import { emailField, oneOfField, requiredTextField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { setBrowserCookie } from './cookie.ts'
import { fromOf } from './guard.ts'
import type { ConsolePorts, From } from './ports.ts'
import { type FaultyPassword, isNotNow, type NotNow, notNow, sendFaulty } from './refusals.ts'
import { type Entering, enter, type SessionPorts } from './session.ts'

export interface FoundLink {
  readonly kind: 'reset' | 'invitation'
  readonly email: string
  readonly merchantName: string
  readonly role: Role | null
}

export interface LinkPorts {
  readonly links: {
    /** The same for everybody, and no slower for who has a login. `language` is an Accept-Language. */
    forgotten(
      asked: { readonly email: string; readonly language: string },
      from: From,
    ): Promise<NotNow | { kind: 'asked' }>
    /** Null: it was used, has expired or never was. */
    find(link: string): Promise<FoundLink | null>
    /** Every session of theirs ends. `browser`: what it is to keep; null: it is to be known by a code first. */
    reset(
      given: { readonly link: string; readonly password: string },
      from: From,
    ): Promise<NotNow | FaultyPassword | { kind: 'gone' } | { kind: 'done'; readonly browser: string | null }>
    accept(
      given: { readonly link: string; readonly password: string; readonly language: Language | null },
      from: From,
    ): Promise<NotNow | FaultyPassword | Entering | { kind: 'gone' } | { kind: 'has login' }>
  }
}

const linkField = requiredTextField(200, 'What stands in the address behind the #.')
const newPasswordField = requiredTextField(1_000, 'At least 12 characters.')
const forgottenBody = Type.Object({ email: emailField('Of the login.') })
const linkBody = Type.Object({ link: linkField })
const resetBody = Type.Object({ link: linkField, password: newPasswordField })
const acceptBody = Type.Object({
  link: linkField,
  password: newPasswordField,
  language: Type.Optional(oneOfField(languages, 'Which the dashboard and mails speak.')),
})

const gone = () => new ApiError(404, { link: 'This link was used before, has expired or is not whole.' })
const hasLogin = () => new ApiError(409, { link: 'This email address has a login already: sign in with it.' })

export function linkRoutes(app: FastifyInstance, ports: ConsolePorts & SessionPorts & LinkPorts): void {
  const { links, service } = ports

  app.post<{ Body: Static<typeof forgottenBody> }>(
    '/password/forgotten',
    { config: { needs: 'anybody', action: 'reset_asked' }, schema: { body: forgottenBody } },
    async (request, reply) => {
      const asked = { email: lowerCaseEmail(request.body.email), language: request.headers['accept-language'] ?? '' }
      const outcome = await links.forgotten(asked, fromOf(request))
      if (isNotNow(outcome)) throw notNow(outcome)
      return reply.code(204).send()
    },
  )

  app.post<{ Body: Static<typeof linkBody> }>(
    '/links',
    { config: { needs: 'anybody', action: 'link_opened' }, schema: { body: linkBody } },
    async (request, reply) => {
      const found = await links.find(request.body.link)
      if (found === null) throw gone()
      const { kind, email, merchantName, role } = found
      return reply.send(answerText({ link: { kind, email, merchant_name: merchantName, role } }))
    },
  )

  app.post<{ Body: Static<typeof resetBody> }>(
    '/password/reset',
    { config: { needs: 'anybody', action: 'password_reset' }, schema: { body: resetBody } },
    async (request, reply) => {
      const outcome = await links.reset(request.body, fromOf(request))
      if (isNotNow(outcome)) throw notNow(outcome)
      if (outcome.kind === 'gone') throw gone()
      if (outcome.kind === 'faulty') return sendFaulty(reply, 'password', outcome)
      if (outcome.browser !== null) reply.header('Set-Cookie', setBrowserCookie(service.baseUrl, outcome.browser))
      return reply.code(204).send()
    },
  )

  app.post<{ Body: Static<typeof acceptBody> }>(
    '/invitations/acceptance',
    { config: { needs: 'anybody', action: 'invitation_accepted' }, schema: { body: acceptBody } },
    async (request, reply) => {
      const { link, password, language = null } = request.body
      const outcome = await links.accept({ link, password, language }, fromOf(request))
      if (isNotNow(outcome)) throw notNow(outcome)
      if (outcome.kind === 'gone') throw gone()
      if (outcome.kind === 'has login') throw hasLogin()
      if (outcome.kind === 'faulty') return sendFaulty(reply, 'password', outcome)
      return enter(ports, outcome, request, reply)
    },
  )
}
