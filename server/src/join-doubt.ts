// Joins what a person decides about doubt to the rules and the rows.

import type { Ports } from './core/ports.ts'
import type { ResolvePorts } from './core/resolution.ts'
import type { Foundation } from './foundation.ts'
import { findNamesake } from './store/doubt.ts'
import { findTokenUser } from './store/token-uses.ts'

export function resolvePorts({ sql }: Foundation, ports: Ports): ResolvePorts {
  return {
    ...ports,
    findNamesake: operation => findNamesake(sql, operation),
    findTokenUser: (merchantId, use) => findTokenUser(sql, merchantId, use),
  }
}
