// From a merchant's gateway account to the adapter that speaks to it. A new gateway is a line here and a folder beside.

import type { Gateway } from '../core/gateway.ts'
import type { GatewayId } from '../core/ids.ts'
import { nearest } from '../core/nearest.ts'
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
  return whyNot(known, credentials as Credentials, world)
}

function whyNot(type: GatewayType, credentials: Credentials, world: GatewayWorld): WrongAccount | null {
  return unknownMember(type, credentials) ?? type.whyNot(credentials, world)
}

/** A member that no credentials of this type have; null: all are known. */
export function unknownCredential(type: string, credentials: object): WrongAccount | null {
  const known = types[type]
  return known === undefined ? null : unknownMember(known, credentials)
}

function unknownMember({ members }: GatewayType, credentials: object): WrongAccount | null {
  const member = Object.keys(credentials).find(name => !members.includes(name))
  if (member === undefined) return null
  const meant = nearest(member, members)
  return {
    field: 'credentials',
    member,
    says: meant === null ? 'is not known.' : `is not known. Did you mean ${meant}?`,
  }
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
  const wrong = known === undefined ? 'is not known' : whyNot(known, credentials, world)?.says
  if (known === undefined || wrong !== undefined)
    throw new Error(`gateway ${id} of type ${type} cannot be opened: it ${wrong}`)
  return known.open(id, credentials, world)
}
