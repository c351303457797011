// Check my endpoint: tests, sent straight to it and not as deliveries, so that nothing is kept or tried again.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { HookEndpoint } from '../core/hook-endpoint.ts'
import { type EndpointId, type MerchantId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { Type } from '../http/schema.ts'
import { type Answered, checkPlan, judged, notSent, type Planned } from './check-plan.ts'
import type { CheckedStep, CheckRecord } from './contract/endpoint-check.ts'

export interface EndpointCheckPorts {
  readonly endpointChecks: {
    find(merchantId: MerchantId, id: EndpointId): Promise<HookEndpoint | null>
    /** Sends what is planned; one sender is for one check, whose requests are of the same moment. */
    sender(endpoint: HookEndpoint): Promise<(planned: Planned) => Promise<Answered>>
  }
}

const pathId = Type.Object({ id: Type.String() })
/** Nobody waits for longer: what was not begun by then is not sent. */
const wholeMaxMs = 60_000
const underWay = 'A check is under way: wait until it has ended.'

export function endpointCheckRoutes(app: FastifyInstance, { endpointChecks }: EndpointCheckPorts): void {
  const checking = new Set<MerchantId>()

  app.post<{ Params: Static<typeof pathId> }>(
    '/endpoints/:id/check',
    { config: { needs: 'developer', action: 'endpoint_checked' }, schema: { params: pathId } },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const id = parseUuid<EndpointId>(request.params.id)
      const endpoint = id === null ? null : await endpointChecks.find(merchantId, id)
      if (endpoint === null) throw ApiError.notKnown('hook_endpoint')
      if (checking.has(merchantId)) throw new ApiError(409, { general: underWay })
      checking.add(merchantId)
      try {
        const steps = await check(checkPlan(endpoint.kind), await endpointChecks.sender(endpoint))
        return reply.send(answerText({ check: record(endpoint, steps) }))
      } finally {
        checking.delete(merchantId)
      }
    },
  )
}

/** One after the other: what is out of order is so by our doing alone. Where the good one gets no answer, no other will. */
export async function check(
  plan: readonly Planned[],
  send: (planned: Planned) => Promise<Answered>,
): Promise<readonly CheckedStep[]> {
  const untilMs = performance.now() + wholeMaxMs
  const steps: CheckedStep[] = []
  for (const planned of plan) {
    const [first] = steps
    const isInVain = first !== undefined && first.status === null
    if (isInVain || performance.now() > untilMs) {
      steps.push(notSent(planned))
      continue
    }
    const answered = await send(planned)
    if (answered.isOurs) steps.push(notSent(planned))
    else steps.push(judged(planned, answered, first === undefined ? answered.status : first.status))
  }
  return steps
}

function record({ id, kind, url }: HookEndpoint, steps: readonly CheckedStep[]): CheckRecord {
  const count = (verdict: CheckedStep['verdict']) => steps.filter(step => step.verdict === verdict).length
  return { endpoint: id, kind, url, right: count('right'), wrong: count('wrong'), steps }
}
