// Joins what an owner decides about doubt at the dashboard to the same rules as the command line's.

import type { DoubtPorts } from './console/doubt.ts'
import { resolveDoubt } from './core/resolve.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import { resolvePorts } from './join-doubt.ts'
import { findOwnDoubt, listOwnDoubt } from './store/doubt.ts'
import { findGateway } from './store/gateways.ts'

export function doubtPorts(foundation: Foundation, joined: Joined): DoubtPorts {
  const { sql } = foundation
  return {
    doubt: {
      list: (merchantId, page) => listOwnDoubt(sql, merchantId, page),
      async find(merchantId, id) {
        const found = await findOwnDoubt(sql, merchantId, id)
        if (found === null) return null
        const { transactionId, gatewayId, kind } = found.operation
        const [sale, gateway] = await Promise.all([
          joined.ports.store.load(merchantId, transactionId),
          findGateway(sql, merchantId, gatewayId),
        ])
        const charge = sale?.operations.find(each => each.kind === 'charge' && each.outcome === 'succeeded')
        return {
          ...found,
          gatewayType: gateway?.type ?? null,
          chargeRef: kind === 'charge' ? null : (charge?.gatewayRef ?? null),
          cardMask: sale?.card?.mask ?? null,
        }
      },
      async resolve(place, decision) {
        const resolved = await resolveDoubt(resolvePorts(foundation, joined.ports), place, decision)
        if (resolved.kind === 'refused') return resolved.sentence
        // Nobody need hear it: workers look by themselves, only a little later.
        await joined.wakeWorkers().catch(() => {})
        return null
      },
    },
  }
}
