// What a command that changes transactions needs of the service.

import { knownBaseUrl } from '../base-url.ts'
import type { Outbox } from '../core/delivery.ts'
import type { Foundation } from '../foundation.ts'
import { join } from '../join-work.ts'
import { openMetrics } from '../observe/metrics.ts'
import { saleStore } from '../store/sales.ts'
import type { Call } from './command.ts'

/** A command ends before it could send anything: what it owes is left to the workers, who are told in the end. */
const nothingInHand: Outbox = { holder: () => null, fullLanes: () => [], born() {} }

export async function joinedFor(call: Call, foundation: Foundation) {
  const service = { mode: call.config.mode, baseUrl: await knownBaseUrl(foundation) }
  const joined = join(foundation, call.log, openMetrics(), service)
  const store = saleStore(foundation.sql, nothingInHand)
  return { ...joined, ports: { ...joined.ports, store } }
}
