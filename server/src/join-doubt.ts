// Joins what a person decides about doubt to the rules and the rows.

import type { Ports } from './core/ports.ts'
import type { ResolvePorts } from './core/resolution.ts'
import type { Foundation } from './foundation.ts'
import { findNamesake } from './store/doubt.ts'
import { claimOperation } from './store/sweeping.ts'

export function resolvePorts({ sql }: Foundation, ports: Ports): ResolvePorts {
  return {
    ...ports,
    claimOperation: ({ merchantId, id }, leaseMs) => claimOperation(sql, merchantId, id, leaseMs),
    findNamesake: operation => findNamesake(sql, operation),
  }
}
