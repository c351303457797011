// Who is mailed about what. Everybody chooses for oneself.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type AlertKind, alertKinds } from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { mayDo, type Role } from '../core/login.ts'
import { flagField, flagFrom } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type { Alerts } from './contract/alerts.ts'
import { loginOf } from './guard.ts'
import type { SignedIn } from './ports.ts'

export interface AlertedLogin {
  readonly email: string
  readonly role: Role
  readonly alerts: readonly AlertKind[]
}

export interface AlertPorts {
  readonly alerts: {
    /** Of all of the merchant's people. */
    list(merchantId: MerchantId): Promise<readonly AlertedLogin[]>
    change(
      who: { readonly merchantId: MerchantId; readonly email: string },
      to: { readonly add: readonly AlertKind[]; readonly remove: readonly AlertKind[] },
    ): Promise<void>
    goOut(merchantId: MerchantId): Promise<boolean>
  }
}

const alertsBody = Type.Object({
  hook_dropped: Type.Optional(flagField('When a notification was dropped.')),
  endpoint_paused: Type.Optional(flagField('When an endpoint was paused for failing.')),
  in_doubt: Type.Optional(flagField('When a payment is in doubt.')),
})

export function alertRoutes(app: FastifyInstance, ports: AlertPorts): void {
  app.get('/alerts', { config: { needs: 'viewer' } }, async (request, reply) =>
    reply.send(answerText({ alerts: { ...(await alertsOf(ports, loginOf(request))) } })),
  )

  app.patch<{ Body: Static<typeof alertsBody> }>(
    '/alerts',
    {
      config: { needs: 'viewer', action: 'alerts_changed', keeps: alertKinds },
      schema: { body: alertsBody },
    },
    async (request, reply) => {
      const who = loginOf(request)
      const asked = (flag: boolean) => alertKinds.filter(kind => flagFrom(request.body[kind]) === flag)
      await ports.alerts.change(who, { add: asked(true), remove: asked(false) })
      return reply.send(answerText({ alerts: { ...(await alertsOf(ports, who)) } }))
    },
  )
}

async function alertsOf({ alerts }: AlertPorts, { merchantId, email, role }: SignedIn): Promise<Alerts> {
  const [team, goOut] = await Promise.all([alerts.list(merchantId), alerts.goOut(merchantId)])
  const mine = team.find(login => login.email === email)?.alerts ?? []
  return { mine, team: mayDo(role, 'owner') ? team : null, mails_go_out: goOut }
}
