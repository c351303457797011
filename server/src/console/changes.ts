// The audit log, to be read.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { lowerCaseEmail } from '../core/email.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Role } from '../core/login.ts'
import type { Json } from '../core/offer.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf } from '../http/answering.ts'
import { textField, timeField, timeFrom } from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import type { ChangeRecord } from './contract/changes.ts'
import type { ConsolePorts } from './ports.ts'

export interface ShownChange {
  readonly id: string
  readonly at: Date
  readonly by: string
  readonly role: Role | null
  readonly action: string
  readonly about: string | null
  readonly detail: { readonly [name: string]: Json }
  readonly address: string
  readonly userAgent: string
  readonly status: number | null
}

export interface ChangeFilter extends Page<string> {
  readonly by: string | null
  readonly action: string | null
  readonly about: string | null
  readonly createdAfter: Date | null
  readonly createdBefore: Date | null
}

export interface ChangePorts {
  /** Newest first. */
  listChanges(merchantId: MerchantId, filter: ChangeFilter): Promise<readonly ShownChange[]>
}

const query = Type.Object({
  ...pageFields,
  by: Type.Optional(textField(255, 'Who did it: an email address, an API key, or `command line`.')),
  action: Type.Optional(textField(64, 'What was done.')),
  about: Type.Optional(textField(255, 'What it was done to.')),
  created_after: Type.Optional(timeField('Only what was done later.')),
  created_before: Type.Optional(timeField('Only what was done earlier.')),
})

export function changeRoutes(app: FastifyInstance, ports: ConsolePorts & ChangePorts): void {
  app.get<{ Querystring: Static<typeof query> }>(
    '/changes',
    { config: { needs: 'viewer' }, schema: { querystring: query } },
    async (request, reply) => {
      const filter = filterFrom(request.query)
      const { merchantId } = callerOf(request)
      return sendPage(request, reply, ports.service.baseUrl, {
        page: filter,
        read: part => ports.listChanges(merchantId, { ...filter, ...part }),
        idOf: ({ id }) => id,
        render: recordOf,
      })
    },
  )
}

function filterFrom(given: Static<typeof query>): ChangeFilter {
  const time = (text: string | undefined) => (text === undefined ? null : timeFrom(text))
  return {
    ...pageFrom(given, parseId),
    by: nameIn(given.by),
    action: given.action ?? null,
    about: given.about?.trim() ?? null,
    createdAfter: time(given.created_after),
    createdBefore: time(given.created_before),
  }
}

/** Addresses are kept in lower case; API keys are as they are. */
function nameIn(by: string | undefined): string | null {
  const name = by?.trim() ?? ''
  if (name === '') return null
  return name.includes('@') ? lowerCaseEmail(name) : name
}

function parseId(text: string): string | null {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : null
}

function recordOf(change: ShownChange) {
  const { id, by, role, action, about, detail, address, status } = change
  const [created_at, user_agent] = [isoTime(change.at), change.userAgent]
  return { id, created_at, by, role, action, about, detail, address, user_agent, status } satisfies ChangeRecord
}
