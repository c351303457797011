// From a merchant's gateway account to the adapter that speaks to it. A new gateway is a line here and a folder beside.

import type { Gateway } from '../core/gateway.ts'
import type { GatewayId } from '../core/ids.ts'
import { braintreeType } from './braintree/type.ts'
import { testType } from './sandbox/type.ts'
import { stripeType } from './stripe/type.ts'
import type { Credentials, GatewayType, GatewayWorld, Identified, WrongAccount } from './type.ts'

export type { GatewayWorld, Identified, WrongAccount } from './type.ts'

const types: { readonly [type: string]: GatewayType } = {
  test: testType,
  stripe: stripeType,
  braintree: braintreeType,
}

export function whyNotGateway(type: string, credentials: unknown, world: GatewayWorld): WrongAccount | null {
  const known = Object.hasOwn(types, type) ? types[type] : undefined
  if (known === undefined) return { field: 'type', says: `must be one of: ${Object.keys(types).join(', ')}.` }
  if (credentials === null || typeof credentials !== 'object' || Array.isArray(credentials)) {
    return { field: 'credentials', says: 'must be an object.' }
  }
  return known.whyNot(credentials as Credentials, world)
}

/** New credentials may open the same account only: what is in doubt is asked about where it was sent. */
export async function identifyGateway(
  id: GatewayId,
  type: string,
  credentials: Credentials,
  world: GatewayWorld,
  signal: AbortSignal,
): Promise<Identified> {
  const known = types[type]
  if (known === undefined) throw new Error(`no gateway is of type ${type}`)
  return known.identify(credentials, world, signal, id)
}

/** Whether a gateway of this type tells by itself what is new there. */
export function hasNotices(type: string): boolean {
  return types[type]?.hasNotices ?? false
}

export async function openGateway(
  id: GatewayId,
  type: string,
  credentials: Credentials,
  world: GatewayWorld,
): Promise<Gateway> {
  const known = types[type]
  const wrong = known === undefined ? 'is not known' : known.whyNot(credentials, world)?.says
  if (known === undefined || wrong !== undefined)
    throw new Error(`gateway ${id} of type ${type} cannot be opened: it ${wrong}`)
  return known.open(id, credentials, world)
}
