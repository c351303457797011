// Signing in and out, and who one is.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { lowerCaseEmail } from '../core/email.ts'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Merchant } from '../core/people.ts'
import { isoTime } from '../core/sale.ts'
import { ApiError } from '../http/errors.ts'
import { requiredTextField, textField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type { Me } from './contract/me.ts'
import { browserIn, clearCookie, setBrowserCookie } from './cookie.ts'
import { fromOf, loginOf, setSession } from './guard.ts'
import type { ConsolePorts, From, ProvenLogin, SignedIn } from './ports.ts'
import { isNotNow, type NotNow, notNow } from './refusals.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
  readonly code: string | null
  /** What the browser kept of an earlier time. */
  readonly browser: string | null
}

/** Somebody who proved to be this login. */
export interface Entering extends ProvenLogin {
  readonly kind: 'ok'
  /** What the browser is to keep. */
  readonly browser: string
}

export interface NotProven {
  readonly kind: 'wrong' | 'needs code' | 'wrong code'
}

export interface SessionPorts {
  readonly signIn: {
    /** Who may come in with these. */
    check(given: Credentials, from: From): Promise<Entering | NotNow | NotProven>
    /** Whether somebody who is signed in is still there themselves. */
    confirm(
      who: SignedIn,
      given: { readonly password: string; readonly code: string | null },
    ): Promise<NotNow | NotProven | { readonly kind: 'ok' }>
  }
  readonly about: {
    merchant(id: MerchantId): Promise<Merchant | null>
    isDemo(id: MerchantId): Promise<boolean>
    now(): Date
    offsetMs(): number
  }
}

const signInBody = Type.Object({
  email: requiredTextField(255, 'The login.'),
  password: requiredTextField(1_000, 'Its password.'),
  code: Type.Optional(textField(40, 'From the authenticator, or a recovery code.')),
})

const refusedSays = {
  wrong: 'The email address or the password is wrong.',
  'needs code': 'Enter the code from your authenticator.',
  'wrong code': 'That code is wrong or was used before.',
} as const

export function sessionRoutes(app: FastifyInstance, ports: ConsolePorts & SessionPorts): void {
  app.get('/me', { config: { needs: 'viewer' } }, async (request, reply) =>
    reply.send(answerText({ me: { ...(await meOf(ports, loginOf(request))) } })),
  )

  app.post<{ Body: Static<typeof signInBody> }>(
    '/session',
    { config: { needs: 'anybody', action: 'signed_in' }, schema: { body: signInBody } },
    async (request, reply) => {
      const { email, password, code = null } = request.body
      const browser = browserIn(ports.service.baseUrl, request.headers.cookie)
      const given = { email: lowerCaseEmail(email.trim()), password, code, browser }
      const checked = await ports.signIn.check(given, fromOf(request))
      if (isNotNow(checked)) throw notNow(checked)
      if (checked.kind !== 'ok') {
        const errors = { [checked.kind === 'wrong' ? 'general' : 'code']: refusedSays[checked.kind] }
        return reply.code(401).send(answerText({ errors, ...(checked.kind !== 'wrong' && { needs: 'code' }) }))
      }
      return enter(ports, checked, request, reply)
    },
  )

  app.delete('/session', { config: { needs: 'viewer', action: 'signed_out' } }, async (request, reply) => {
    await ports.sessions.end(loginOf(request))
    return reply.code(204).header('Set-Cookie', clearCookie(ports.service.baseUrl)).send()
  })
}

/** Begins a session, and says who one is now. */
export async function enter(
  ports: ConsolePorts & SessionPorts,
  entering: Entering,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sessions, service } = ports
  const from = fromOf(request)
  const key = await sessions.begin(entering, from)
  const found = key && (await sessions.find(key, from))
  if (key === null || found === null) throw new ApiError(401, { general: refusedSays.wrong })
  await noteSignIn(ports, found.who, request)
  setSession(reply, ports, key)
  reply.header('Set-Cookie', setBrowserCookie(service.baseUrl, entering.browser))
  return reply.send(answerText({ me: { ...(await meOf(ports, found.who)) } }))
}

async function noteSignIn({ changes }: ConsolePorts, who: SignedIn, request: FastifyRequest): Promise<void> {
  const change = await changes.begin(who, { action: 'signed_in', about: null, detail: {} }, fromOf(request))
  await changes.end(change, { status: 200, about: null })
}

async function meOf(ports: ConsolePorts & SessionPorts, who: SignedIn): Promise<Me> {
  const { about, service, csrf } = ports
  const merchant = await about.merchant(who.merchantId)
  if (merchant === null) throw new Error(`merchant ${who.merchantId} is gone`)
  const { id, name, partner, partnerId, currency } = merchant
  return {
    email: who.email,
    role: who.role,
    language: who.language,
    second_factor: who.secondFactor,
    merchant: { id, name, partner, partner_id: partnerId, currency },
    mode: service.mode,
    is_demo: await about.isDemo(who.merchantId),
    base_url: service.baseUrl,
    now: isoTime(about.now()),
    clock_offset_s: Math.round(about.offsetMs() / 1_000),
    csrf_token: csrf.of(who.sessionId),
  }
}
