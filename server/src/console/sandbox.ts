// The sandbox: the demo merchant's clock, and what its inbox has received. Moving the clock is REST's.

import type { FastifyInstance } from 'fastify'
import type { MerchantId } from '../core/ids.ts'
import type { InboxHook } from '../core/inbox-hook.ts'
import type { InboxMail } from '../core/inbox-mail.ts'
import { answerText } from '../core/json.ts'
import { mayDo, type Role } from '../core/login.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import type { Sandbox, SandboxHook, SandboxMail } from './contract/sandbox.ts'
import { loginOf } from './guard.ts'

export interface SandboxFacts {
  readonly now: Date
  readonly offsetMs: number
  readonly nextDueAt: Date | null
  readonly inboxUrl: string | null
  readonly hooks: readonly InboxHook[]
  readonly mails: readonly InboxMail[]
}

export interface SandboxPorts {
  readonly sandbox: {
    /** Null: it is not the demo merchant. */
    facts(merchantId: MerchantId): Promise<SandboxFacts | null>
  }
}

export const shownMax = 20

export function sandboxPageRoutes(app: FastifyInstance, { sandbox }: SandboxPorts): void {
  app.get('/sandbox', { config: { needs: 'viewer' } }, async (request, reply) => {
    const facts = await sandbox.facts(callerOf(request).merchantId)
    if (facts === null) throw new ApiError(404, { general: 'Only the demo merchant of a sandbox has this.' })
    return reply.send(answerText({ sandbox: { ...viewOf(facts, loginOf(request).role) } }))
  })
}

function viewOf({ now, offsetMs, nextDueAt, inboxUrl, hooks, mails }: SandboxFacts, role: Role): Sandbox {
  return {
    now: isoTime(now),
    clock_offset_s: Math.round(offsetMs / 1_000),
    next_due_at: nextDueAt === null ? null : isoTime(nextDueAt),
    inbox_url: inboxUrl,
    hooks: hooks.slice(0, shownMax).map(hookView),
    mails: mails.slice(0, shownMax).map(mail => mailView(mail, inboxUrl, role)),
  }
}

function hookView({ id, at, path, verified, details, signature }: InboxHook): SandboxHook {
  return { id, at: isoTime(at), path, verified, details, signature }
}

/** With the link of one to a colleague, a viewer would be an owner. */
function mailView(mail: InboxMail, inboxUrl: string | null, role: Role): SandboxMail {
  const { id, at, toAddress, subject, isPrivate } = mail
  const url = inboxUrl === null || isPrivate ? null : `${inboxUrl}/mails/${id}/html`
  const text = isPrivate && !mayDo(role, 'owner') ? null : mail.text
  return { id, at: isoTime(at), to: toAddress, subject, text, url }
}
