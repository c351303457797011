// The Private Key that signs hooks, and its replacement: make the next one, make it current, delete the former. It is shown
// to an owner who enters the password again: a browser that was left open shows it to nobody.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type MerchantId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { type NoNextKey, noNextKeySays } from '../core/private-key.ts'
import { isoTime } from '../core/sale.ts'
import { type Caller, callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { flagField, flagFrom, requiredTextField, textField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type { PrivateKeyRecord, PrivateKeyState, RevokedWithKey } from './contract/api-settings.ts'
import { fromOf, loginOf } from './guard.ts'
import type { From, SignedIn } from './ports.ts'

export interface ShownPrivateKey {
  readonly id: string
  readonly state: PrivateKeyState
  readonly publicKey: string
  readonly compromised: boolean
  readonly createdAt: Date
}

export type Reentered =
  | { readonly kind: 'ok' | 'wrong' | 'needs code' | 'wrong code' }
  | { readonly kind: 'too often'; readonly retryAfterS: number }

export interface PrivateKeyPorts {
  readonly privateKeys: {
    list(merchantId: MerchantId): Promise<readonly ShownPrivateKey[]>
    /** Null: there is none, or its private half is destroyed. This and the others throw where the caller may not any more. */
    open(caller: Caller, id: string): Promise<string | null>
    createNext(caller: Caller): Promise<{ readonly id: string } | { readonly why: NoNextKey }>
    makeCurrent(caller: Caller, id: string): Promise<'current' | 'not known' | 'deleted'>
    /** How much of what was made with it ends, because it is compromised. */
    delete(caller: Caller, id: string, compromised: boolean): Promise<RevokedWithKey | 'not known' | 'current'>
  }
  /** Whether it is still the person who signed in; wrong ones count like those of signing in. */
  readonly reenter: (
    who: SignedIn,
    given: { readonly password: string; readonly code: string | null },
    from: From,
  ) => Promise<Reentered>
}

const pathId = Type.Object({ id: Type.String() })
type OfKey = { Params: Static<typeof pathId> }
const showBody = Type.Object({
  password: requiredTextField(1_000, 'Of who is signed in.'),
  code: Type.Optional(textField(40, 'From the authenticator, or a recovery code.')),
})
const deleteBody = Type.Object({ compromised: Type.Optional(flagField('Others may know it.')) })

const isDeleted = 'That key was deleted: its private half is destroyed.'
const isCurrent = 'That key is current: make another one current first.'

export function privateKeyRoutes(app: FastifyInstance, ports: PrivateKeyPorts): void {
  const { privateKeys } = ports

  app.get('/private_keys', { config: { needs: 'viewer' } }, async (request, reply) =>
    reply.send(answerText((await privateKeys.list(callerOf(request).merchantId)).map(view))),
  )

  app.post('/private_keys', { config: { needs: 'owner', action: 'private_key_created' } }, async (request, reply) => {
    const { merchantId } = callerOf(request)
    const created = await privateKeys.createNext(callerOf(request))
    if ('why' in created) throw new ApiError(409, { general: noNextKeySays[created.why] })
    return reply.send(answerText({ private_key: await viewOf(ports, merchantId, created.id) }))
  })

  app.post<OfKey & { Body: Static<typeof showBody> }>(
    '/private_keys/:id/show',
    { config: { needs: 'owner', action: 'private_key_shown' }, schema: { params: pathId, body: showBody } },
    async (request, reply) => {
      const { password, code = null } = request.body
      refuseStranger(await ports.reenter(loginOf(request), { password, code }, fromOf(request)))
      const { merchantId } = callerOf(request)
      const { id, state } = await viewOf(ports, merchantId, keyIdIn(request.params))
      const opened = await privateKeys.open(callerOf(request), id)
      if (opened === null) throw new ApiError(409, { general: isDeleted })
      return reply
        .header('Cache-Control', 'no-store')
        .send(answerText({ private_key: { id, state, private_key: opened } }))
    },
  )

  app.post<OfKey>(
    '/private_keys/:id/make_current',
    { config: { needs: 'owner', action: 'private_key_made_current' }, schema: { params: pathId } },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const id = keyIdIn(request.params)
      const made = await privateKeys.makeCurrent(callerOf(request), id)
      if (made === 'not known') throw notKnown()
      if (made === 'deleted') throw new ApiError(409, { general: isDeleted })
      return reply.send(answerText({ private_key: await viewOf(ports, merchantId, id) }))
    },
  )

  app.delete<OfKey & { Body: Static<typeof deleteBody> }>(
    '/private_keys/:id',
    {
      config: { needs: 'owner', action: 'private_key_deleted', keeps: ['compromised'] },
      schema: { params: pathId, body: deleteBody },
    },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const id = keyIdIn(request.params)
      const compromised = flagFrom(request.body.compromised) ?? false
      const deleted = await privateKeys.delete(callerOf(request), id, compromised)
      if (deleted === 'not known') throw notKnown()
      if (deleted === 'current') throw new ApiError(409, { general: isCurrent })
      return reply.send(answerText({ private_key: await viewOf(ports, merchantId, id), revoked: deleted }))
    },
  )
}

const strangerSays = {
  wrong: { password: 'The password is wrong.' },
  'needs code': { code: 'Enter the code from your authenticator.' },
  'wrong code': { code: 'That code is wrong or was used before.' },
} as const

/** Not 401: they are still signed in. */
function refuseStranger(reentered: Reentered): void {
  if (reentered.kind === 'ok') return
  if (reentered.kind === 'too often') {
    throw ApiError.tooMany('Too many tries: wait, then try again.', reentered.retryAfterS)
  }
  throw new ApiError(422, strangerSays[reentered.kind])
}

function notKnown(): ApiError {
  return ApiError.notKnown('private_key')
}

function keyIdIn({ id }: Static<typeof pathId>): string {
  const parsed = parseUuid(id)
  if (parsed === null) throw notKnown()
  return parsed
}

async function viewOf({ privateKeys }: PrivateKeyPorts, merchantId: MerchantId, id: string) {
  const found = (await privateKeys.list(merchantId)).find(key => key.id === id)
  if (found === undefined) throw notKnown()
  return view(found)
}

function view({ id, state, publicKey, compromised, createdAt }: ShownPrivateKey): PrivateKeyRecord {
  return { id, state, public_key: publicKey, compromised, created_at: isoTime(createdAt) }
}
