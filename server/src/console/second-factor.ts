// The second factor of one's own login: codes by time, from an authenticator.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { answerText } from '../core/json.ts'
import { ApiError } from '../http/errors.ts'
import { requiredTextField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { wrongPassword } from './account.ts'
import type { SecondFactorBegun } from './contract/people.ts'
import { loginOf, setSession } from './guard.ts'
import type { ConsolePorts, SignedIn } from './ports.ts'
import { isNotNow, type NotNow, notNow } from './refusals.ts'

export interface SecondFactorPorts {
  readonly secondFactor: {
    /** A new one, in force once a code confirmed it. */
    begin(
      who: SignedIn,
      password: string,
    ): Promise<
      | NotNow
      | { readonly kind: 'wrong' }
      | { readonly kind: 'in force' }
      | { readonly kind: 'begun'; readonly made: SecondFactorBegun }
    >
    /** Every other session of theirs ends: none of them has shown a code. So does every copy of this one's cookie. */
    confirm(
      who: SignedIn,
      code: string,
    ): Promise<
      | NotNow
      | { readonly kind: 'wrong code' }
      | { readonly kind: 'none' }
      | { readonly kind: 'on'; readonly recoveryCodes: readonly string[]; readonly secret: string }
    >
    end(
      who: SignedIn,
      given: { readonly password: string; readonly code: string },
    ): Promise<NotNow | { readonly kind: 'done' | 'wrong' | 'wrong code' | 'none' }>
  }
}

const beginBody = Type.Object({ password: requiredTextField(1_000, 'Of the login.') })
const confirmBody = Type.Object({ code: requiredTextField(40, 'From the authenticator.') })
const endBody = Type.Object({
  password: requiredTextField(1_000, 'Of the login.'),
  code: requiredTextField(40, 'From the authenticator, or a recovery code.'),
})

const wrongCode = () => new ApiError(422, { code: 'That code is wrong or was used before.' })
const noneToConfirm = () => new ApiError(409, { general: 'There is no authenticator to confirm: set one up again.' })

export function secondFactorRoutes(app: FastifyInstance, ports: ConsolePorts & SecondFactorPorts): void {
  const { secondFactor } = ports
  app.post<{ Body: Static<typeof beginBody> }>(
    '/account/second_factor',
    { config: { needs: 'viewer', action: 'second_factor_begun' }, schema: { body: beginBody } },
    async (request, reply) => {
      const outcome = await secondFactor.begin(loginOf(request), request.body.password)
      if (isNotNow(outcome)) throw notNow(outcome)
      if (outcome.kind === 'wrong') throw wrongPassword()
      if (outcome.kind === 'in force') throw new ApiError(409, { general: 'A second factor is in force already.' })
      return reply.send(answerText({ second_factor: outcome.made }))
    },
  )

  app.post<{ Body: Static<typeof confirmBody> }>(
    '/account/second_factor/confirmation',
    { config: { needs: 'viewer', action: 'second_factor_turned_on' }, schema: { body: confirmBody } },
    async (request, reply) => {
      const who = loginOf(request)
      const outcome = await secondFactor.confirm(who, request.body.code)
      if (isNotNow(outcome)) throw notNow(outcome)
      if (outcome.kind === 'wrong code') throw wrongCode()
      if (outcome.kind === 'none') throw noneToConfirm()
      setSession(reply, ports, { ...who, secret: outcome.secret })
      return reply.send(answerText({ recovery_codes: outcome.recoveryCodes }))
    },
  )

  app.post<{ Body: Static<typeof endBody> }>(
    '/account/second_factor/off',
    { config: { needs: 'viewer', action: 'second_factor_turned_off' }, schema: { body: endBody } },
    async (request, reply) => {
      const outcome = await secondFactor.end(loginOf(request), request.body)
      if (isNotNow(outcome)) throw notNow(outcome)
      if (outcome.kind === 'wrong') throw wrongPassword()
      if (outcome.kind === 'wrong code') throw wrongCode()
      if (outcome.kind === 'none') throw new ApiError(409, { general: 'No second factor is in force.' })
      return reply.code(204).send()
    },
  )
}
