// Whether a gateway still takes the credentials that it was connected with: asked when somebody wants to know.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type GatewayId, type MerchantId, parseGatewayId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { Type } from '../http/schema.ts'
import type { GatewayTest } from './contract/selling.ts'

export interface GatewayTestPorts {
  /** Null: the merchant has no such gateway. */
  readonly testGateway: (merchantId: MerchantId, id: GatewayId) => Promise<TestedGateway | null>
}

export type TestedGateway =
  | { readonly kind: 'opens' | 'other account' }
  /** The rest of a sentence that begins with `credentials`. */
  | { readonly kind: 'refused'; readonly says: string }
  | { readonly kind: 'no answer'; readonly sentence: string }

const pathId = Type.Object({ id: Type.String() })

export function gatewayTestRoutes(app: FastifyInstance, { testGateway }: GatewayTestPorts): void {
  app.post<{ Params: Static<typeof pathId> }>(
    '/gateways/:id/test',
    { config: { needs: 'developer', action: 'gateway_tested' }, schema: { params: pathId } },
    async (request, reply) => {
      const id = parseGatewayId(request.params.id)
      const tested = id === null ? null : await testGateway(callerOf(request).merchantId, id)
      if (id === null || tested === null) throw ApiError.notKnown('gateway')
      return reply.send(answerText({ gateway_test: { id, ...testView(tested) } }))
    },
  )
}

function testView(tested: TestedGateway): GatewayTest {
  switch (tested.kind) {
    case 'opens':
      return { result: 'opens', says: 'The gateway accepts the credentials.' }
    case 'other account':
      return { result: 'other_account', says: 'The credentials lead to another account than the one connected.' }
    case 'refused':
      return { result: 'refused', says: `The gateway refuses them: credentials ${tested.says}` }
    case 'no answer':
      return { result: 'no_answer', says: tested.sentence }
  }
}
