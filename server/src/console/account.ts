// One's own account: language and password.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { answerText } from '../core/json.ts'
import { type Language, languages } from '../core/login.ts'
import { isoTime } from '../core/sale.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField, removableField, requiredTextField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type { AccountRecord } from './contract/people.ts'
import { loginOf, setSession } from './guard.ts'
import type { ConsolePorts, SignedIn } from './ports.ts'
import { type FaultyPassword, isNotNow, type NotNow, notNow, sendFaulty } from './refusals.ts'

export interface Account {
  readonly passwordChangedAt: Date
  readonly secondFactor: { readonly since: Date; readonly recoveryCodesLeft: number } | null
}

/** `secret`: what the session shows from now on. */
export interface Renewed {
  readonly kind: 'done'
  readonly secret: string
}

export interface AccountPorts {
  readonly account: {
    read(who: SignedIn): Promise<Account>
    setLanguage(who: SignedIn, language: Language | null): Promise<void>
    /** Every other session of theirs ends, and every copy of this one's cookie. */
    changePassword(
      who: SignedIn,
      given: { readonly password: string; readonly newPassword: string },
    ): Promise<NotNow | FaultyPassword | { readonly kind: 'wrong' } | Renewed>
  }
}

const accountBody = Type.Object({
  language: removableField(oneOfField(languages, 'Which the dashboard and mails speak; empty: as the browser says.')),
})

const passwordBody = Type.Object({
  password: requiredTextField(1_000, 'The one so far.'),
  new_password: requiredTextField(1_000, 'At least 12 characters.'),
})

export const wrongPassword = () => new ApiError(422, { password: 'That is not your password.' })

export function accountRoutes(app: FastifyInstance, ports: ConsolePorts & AccountPorts): void {
  const { account } = ports
  const recordOf = async (who: SignedIn, language: Language | null): Promise<AccountRecord> => {
    const { passwordChangedAt, secondFactor } = await account.read(who)
    return {
      email: who.email,
      role: who.role,
      language,
      password_changed_at: isoTime(passwordChangedAt),
      second_factor: secondFactor && {
        since: isoTime(secondFactor.since),
        recovery_codes_left: secondFactor.recoveryCodesLeft,
      },
    }
  }

  app.get('/account', { config: { needs: 'viewer' } }, async (request, reply) => {
    const who = loginOf(request)
    return reply.send(answerText({ account: await recordOf(who, who.language) }))
  })

  app.patch<{ Body: Static<typeof accountBody> }>(
    '/account',
    {
      config: { needs: 'viewer', action: 'account_changed', keeps: ['language'] },
      schema: { body: accountBody },
    },
    async (request, reply) => {
      const who = loginOf(request)
      const language = request.body.language || null
      await account.setLanguage(who, language)
      return reply.send(answerText({ account: await recordOf(who, language) }))
    },
  )

  app.post<{ Body: Static<typeof passwordBody> }>(
    '/account/password',
    { config: { needs: 'viewer', action: 'password_changed' }, schema: { body: passwordBody } },
    async (request, reply) => {
      const { password, new_password: newPassword } = request.body
      const who = loginOf(request)
      const outcome = await account.changePassword(who, { password, newPassword })
      if (isNotNow(outcome)) throw notNow(outcome)
      if (outcome.kind === 'wrong') throw wrongPassword()
      if (outcome.kind === 'faulty') return sendFaulty(reply, 'new_password', outcome)
      setSession(reply, ports, { ...who, secret: outcome.secret })
      return reply.code(204).send()
    },
  )
}
