// From a merchant's gateway account to the adapter that speaks to it. A new gateway is a line here and a folder beside.

import type { Gateway } from '../core/gateway.ts'
import type { GatewayId } from '../core/ids.ts'
import type { SandboxBooks } from './sandbox/books.ts'
import { openSandboxOverHttp, sandboxUrl } from './sandbox/http-adapter.ts'
import { openSandbox } from './sandbox/in-process.ts'

export interface GatewayWorld {
  readonly mode: 'sandbox' | 'live'
  readonly books: SandboxBooks
  readonly fingerprintKey: Buffer
}

export interface WrongAccount {
  readonly field: 'type' | 'credentials'
  readonly says: string
}

interface GatewayType {
  readonly whyNot: (credentials: { [name: string]: unknown }, world: GatewayWorld) => WrongAccount | null
  /** Which account at the gateway these lead to: cards and charges live there, and nowhere else. */
  readonly accountOf: (credentials: { [name: string]: unknown }) => string
  readonly open: (id: GatewayId, credentials: { [name: string]: unknown }, world: GatewayWorld) => Gateway
}

/** A merchant names the address, and a sandbox has no business elsewhere. */
const thisMachine = /^(localhost|127(\.[0-9]+){3}|\[::1\])$/

/** The sandbox: in this process by default, or a server over HTTP where credentials have its `url`. */
const test: GatewayType = {
  whyNot({ url, ...others }, { mode }) {
    if (mode === 'live') return { field: 'type', says: 'must not be test in live mode.' }
    const unknown = Object.keys(others)[0]
    if (unknown !== undefined) return { field: 'credentials', says: `must not have ${unknown}.` }
    const fits = url === undefined || (typeof url === 'string' && thisMachine.test(sandboxUrl(url)?.hostname ?? ''))
    return fits ? null : { field: 'credentials', says: 'must have a url such as "http://127.0.0.1:9900", or none.' }
  },
  accountOf: ({ url }) => (url === undefined ? 'in process' : String(url)),
  open(id, { url }, { books, fingerprintKey }) {
    if (typeof url === 'string') return openSandboxOverHttp({ url, account: id })
    return openSandbox({ books, account: id, fingerprintKey })
  },
}

const types: { readonly [type: string]: GatewayType } = { test }

export function whyNotGateway(type: string, credentials: unknown, world: GatewayWorld): WrongAccount | null {
  const known = Object.hasOwn(types, type) ? types[type] : undefined
  if (known === undefined) return { field: 'type', says: `must be one of: ${Object.keys(types).join(', ')}.` }
  if (credentials === null || typeof credentials !== 'object' || Array.isArray(credentials)) {
    return { field: 'credentials', says: 'must be an object.' }
  }
  return known.whyNot(credentials as { [name: string]: unknown }, world)
}

/** New credentials may open the same account only: what is in doubt is asked about where it was sent. */
export function isSameAccount(
  type: string,
  before: { [name: string]: unknown },
  after: { [name: string]: unknown },
): boolean {
  const known = types[type]
  return known !== undefined && known.accountOf(before) === known.accountOf(after)
}

export function openGateway(
  id: GatewayId,
  type: string,
  credentials: { [name: string]: unknown },
  world: GatewayWorld,
): Gateway {
  const known = types[type]
  const wrong = known === undefined ? 'is not known' : known.whyNot(credentials, world)?.says
  if (known === undefined || wrong !== undefined)
    throw new Error(`gateway ${id} of type ${type} cannot be opened: it ${wrong}`)
  return known.open(id, credentials, world)
}
