// What no proof has settled: an owner looks at the gateway, and decides on record.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { mayBeCardNumber } from '../core/card-number.ts'
import { type MerchantId, type OperationId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Page } from '../core/lists.ts'
import type { Decision, OperationPlace } from '../core/resolution.ts'
import {
  type Doubt,
  doubtView,
  needsGatewayRef,
  verdictsFor,
  type WholeDoubt,
  wholeDoubtView,
} from '../core/shown-doubt.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField, requiredTextField, textField } from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import type { WholeDoubtRecord } from './contract/doubt.ts'
import { loginOf } from './guard.ts'
import type { ConsolePorts } from './ports.ts'

export interface ConsoleDoubt extends WholeDoubt {
  readonly gatewayType: string | null
  readonly chargeRef: string | null
  readonly cardMask: string | null
}

export interface DoubtPorts {
  readonly doubt: {
    list(
      merchantId: MerchantId,
      page: Page<OperationId> & { readonly state: 'open' | 'settled' },
    ): Promise<readonly Doubt[]>
    find(merchantId: MerchantId, id: OperationId): Promise<ConsoleDoubt | null>
    /** Why it cannot be settled so; null: it is. */
    resolve(place: OperationPlace, decision: Decision): Promise<string | null>
  }
}

const listQuery = Type.Object({
  ...pageFields,
  state: Type.Optional(oneOfField(['open', 'settled'], 'What is open, or what people have settled; open by default.')),
})

const resolveBody = Type.Object({
  verdict: oneOfField(['succeeded', 'not_made', 'dismissed'], 'What became of it.'),
  note: requiredTextField(2_000, 'Why: what was seen at the gateway. Kept.'),
  answers: Type.Optional(textField(2_000, 'What is dismissed: for_person, or one of more_for_person, as it was read.')),
  gateway_ref: Type.Optional(textField(255, "The gateway's own reference to what succeeded, where it is not known.")),
})

export function doubtRoutes(app: FastifyInstance, { doubt, service }: DoubtPorts & ConsolePorts): void {
  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/doubt',
    { config: { needs: 'viewer' }, schema: { querystring: listQuery } },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const page = { ...pageFrom(request.query, parseUuid<OperationId>), state: request.query.state ?? 'open' } as const
      return sendPage(request, reply, service.baseUrl, {
        page,
        read: part => doubt.list(merchantId, { ...page, ...part }),
        idOf: ({ id }) => id,
        render: row => ({ ...doubtView(row) }),
      })
    },
  )

  app.get('/doubt/:id', { config: { needs: 'viewer' } }, async (request, reply) =>
    reply.send(answerText({ doubt: { ...viewOf(await known(request)) } })),
  )

  app.post<{ Body: Static<typeof resolveBody> }>(
    '/doubt/:id/resolve',
    {
      config: { needs: 'owner', action: 'doubt_settled', keeps: ['verdict'] },
      schema: { body: resolveBody },
    },
    async (request, reply) => {
      const { operation } = await known(request)
      const { merchantId, transactionId, id: operationId } = operation
      const decision = decisionIn(request.body, operation, loginOf(request).email)
      const refused = await doubt.resolve({ merchantId, transactionId, operationId }, decision)
      if (refused !== null) throw new ApiError(409, { general: refused })
      return reply.send(answerText({ doubt: { ...viewOf(await known(request)) } }))
    },
  )

  async function known(request: FastifyRequest): Promise<ConsoleDoubt> {
    const id = parseUuid<OperationId>((request.params as { readonly id: string }).id)
    const found = id === null ? null : await doubt.find(callerOf(request).merchantId, id)
    if (found === null) throw ApiError.notKnown('id')
    return found
  }
}

function viewOf(found: ConsoleDoubt): WholeDoubtRecord {
  return {
    ...wholeDoubtView(found),
    gateway_type: found.gatewayType,
    charge_ref: found.chargeRef,
    card_mask: found.cardMask,
    verdicts: verdictsFor(found.operation),
    needs_gateway_ref: needsGatewayRef(found.operation),
  }
}

/** The reference is kept for ever, and goes back to the gateway with every refund. */
function decisionIn(body: Static<typeof resolveBody>, operation: Doubt, by: string): Decision {
  const { verdict, note } = body
  const given = body.gateway_ref?.trim() ?? ''
  const gatewayRef = given === '' ? null : given
  const wrong = (sentence: string) => new ApiError(422, { gateway_ref: sentence })
  if (note.trim() === '') throw new ApiError(422, { note: 'note must say why it is settled so.' })
  if (gatewayRef !== null && verdict !== 'succeeded') throw wrong('gateway_ref is for what succeeded.')
  if (gatewayRef !== null && mayBeCardNumber(gatewayRef)) {
    throw wrong("gateway_ref may be a card number: it must be the gateway's own reference.")
  }
  if (gatewayRef !== null && !/^[\x21-\x7e]+$/.test(gatewayRef)) {
    throw wrong('gateway_ref must be visible characters without blanks.')
  }
  if (gatewayRef === null && verdict === 'succeeded' && needsGatewayRef(operation)) {
    throw wrong(`gateway_ref is required: a ${operation.kind} that succeeded has a reference at the gateway.`)
  }
  const answers = body.answers ?? null
  if (answers === null && verdict === 'dismissed') {
    throw new ApiError(422, { answers: 'answers is required: the sentence that is dismissed.' })
  }
  return { verdict, by, note, gatewayRef, answers }
}
