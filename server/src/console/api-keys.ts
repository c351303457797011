// The merchant's API keys. A secret is shown by the answer that made it, and never again.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { isoTime } from '../core/sale.ts'
import {
  type Caller,
  callerOf,
  type GivenAnswer,
  type KeyedAnswer,
  keyedAnswer,
  keyOf,
  notOther,
  sendReply,
} from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { requiredTextField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type { ApiKeyRecord, NewApiKeyRecord } from './contract/api-settings.ts'
import { loginOf } from './guard.ts'

export interface ShownApiKey {
  readonly id: string
  readonly name: string | null
  readonly createdBy: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

export interface ApiKeyPorts {
  readonly apiKeys: {
    list(merchantId: MerchantId): Promise<readonly ShownApiKey[]>
    /** `work` is done in one commit, and once for a key. Throws, as all that changes something, where the caller may not any more. */
    doOnce(
      caller: Caller,
      key: ReturnType<typeof keyOf>,
      work: (make: MakeKey) => Promise<KeyedAnswer>,
    ): Promise<(GivenAnswer & { replayed: boolean }) | 'otherArguments'>
    /** Null: there is no such key. */
    revoke(caller: Caller, id: string): Promise<ShownApiKey | null>
  }
}

export type MakeKey = (named: {
  readonly name: string
  readonly createdBy: string
}) => Promise<{ readonly key: ShownApiKey; readonly secret: string } | 'too many'>

export const apiKeysMax = 50
const tooMany = `A merchant has at most ${apiKeysMax} API keys in force. Revoke one first.`
const createBody = Type.Object({ name: requiredTextField(100, 'What it is for.') })
const pathId = Type.Object({ id: Type.String() })

export function apiKeyRoutes(app: FastifyInstance, { apiKeys }: ApiKeyPorts): void {
  app.get('/api_keys', { config: { needs: 'viewer' } }, async (request, reply) =>
    reply.send(answerText((await apiKeys.list(callerOf(request).merchantId)).map(view))),
  )

  app.post<{ Body: Static<typeof createBody> }>(
    '/api_keys',
    {
      config: { needs: 'developer', action: 'api_key_created', keeps: ['name'] },
      schema: { body: createBody },
    },
    async (request, reply) => {
      const { name } = request.body
      const { email: createdBy } = loginOf(request)
      const answer = await apiKeys.doOnce(callerOf(request), keyOf(request, 'api_keys', { name }), async make => {
        const made = await make({ name, createdBy })
        if (made === 'too many') throw new ApiError(422, { general: tooMany })
        const record: NewApiKeyRecord = { ...view(made.key), secret: made.secret }
        return { ...keyedAnswer({ api_key: { ...record } }, null), showsSecret: true }
      })
      return sendReply(reply, notOther(answer))
    },
  )

  app.delete<{ Params: Static<typeof pathId> }>(
    '/api_keys/:id',
    { config: { needs: 'developer', action: 'api_key_revoked' }, schema: { params: pathId } },
    async (request, reply) => {
      const revoked = await apiKeys.revoke(callerOf(request), request.params.id)
      if (revoked === null) throw ApiError.notKnown('api_key')
      return reply.send(answerText({ api_key: view(revoked) }))
    },
  )
}

function view({ id, name, createdBy, createdAt, lastUsedAt, revokedAt }: ShownApiKey): ApiKeyRecord {
  return {
    id,
    name,
    created_by: createdBy,
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
    revoked_at: revokedAt === null ? null : isoTime(revokedAt),
  }
}
