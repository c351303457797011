// What a kind of gateway has to say for itself, before and when an account of it is opened.

import type { Gateway } from '../core/gateway.ts'
import type { GatewayId, OperationId } from '../core/ids.ts'
import type { SandboxBooks } from './sandbox/books.ts'

export interface GatewayWorld {
  readonly mode: 'sandbox' | 'live'
  readonly books: SandboxBooks
  /** Keys the cards' fingerprints. */
  readonly fingerprintKey: Buffer
  /** The ports that this service listens on: nothing that stands in for a gateway is there. */
  readonly ownPorts: () => readonly number[]
  /** The page that plays the card's bank for a gateway that has none. It leads back to `returnUrl`. */
  readonly challengeUrl: (gatewayId: GatewayId, operationId: OperationId, returnUrl: string) => string
}

export interface Credentials {
  readonly [name: string]: unknown
}

export interface WrongAccount {
  readonly field: 'type' | 'credentials'
  /** Of the credentials, where one is to blame. */
  readonly member?: string
  /** The rest of a sentence that begins with the field. */
  readonly says: string
}

/** Which account at the gateway credentials lead to: cards and charges live there, and nowhere else. */
export type Identified =
  | { readonly kind: 'account'; readonly account: string }
  /** The gateway does not accept them; the rest of a sentence that begins with `credentials`. */
  | { readonly kind: 'refused'; readonly says: string }
  /** It could not be asked. */
  | { readonly kind: 'unknown'; readonly sentence: string }

export interface GatewayType {
  /** All that its credentials may have. */
  readonly members: readonly string[]
  /** By their form alone. */
  readonly whyNot: (credentials: Credentials, world: GatewayWorld) => WrongAccount | null
  /** `id` is ours: where accounts are named by it, each gateway is one of its own. */
  readonly identify: (
    credentials: Credentials,
    world: GatewayWorld,
    signal: AbortSignal,
    id: GatewayId,
  ) => Promise<Identified>
  /** It posts notices to an address of ours, which the merchant enters there. */
  readonly hasNotices: boolean
  /** Loads what speaks to it, which is large: whoever has no such gateway does without. */
  readonly open: (id: GatewayId, credentials: Credentials, world: GatewayWorld) => Promise<Gateway>
}

/** A merchant names the address, and what stands in for a gateway in a sandbox has no business elsewhere. */
export function isOnThisMachine(url: URL | null): boolean {
  return /^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(url?.hostname ?? '')
}

/** Of an http address on this machine. */
export function isThisService({ port }: URL, { ownPorts }: GatewayWorld): boolean {
  return ownPorts().includes(port === '' ? 80 : Number(port))
}
