// A listener: a developer's machine that asks for the hooks that it would be sent if it could be reached. It has an endpoint
// for each kind; what is posted to one waits for the listener, and the listener's answer is the endpoint's.

import type { HookKind } from '@tillbell/sdk'
import type { ListenerId, MerchantId, RelayId } from './ids.ts'

export interface HookListener {
  readonly merchantId: MerchantId
  readonly id: ListenerId
  /** Of the machine. */
  readonly name: string
  readonly kinds: readonly HookKind[]
  readonly createdAt: Date
}

/** A hook that waits for a listener's answer, as it would go over the wire. */
export interface RelayRequest {
  readonly id: RelayId
  readonly kind: HookKind
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly deadline: Date
  readonly leftMs: number
}

/** `status` null: the app did not answer, and `reason` says why. */
export interface RelayAnswer {
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number | null
  readonly answer: string
}

export const listenersMax = 5
export const pollMaxS = 25
/** It has not asked for so long: it is over. */
export const listenerLeaseS = 60
/** Between two polls, or while its connection is made anew. */
export const presenceS = 5
export const backfillMaxS = 86_400

/** A copy of all beside each kind's own would come twice: it has to be asked for. */
export const usualListenerKinds = [
  'pre_sale',
  'transaction',
  'far',
  'error',
  'update',
] as const satisfies readonly HookKind[]

const schemeOfListeners = 'listen://'

/** What stands in lists where an endpoint has its URL. */
export function listenerUrl(name: string): string {
  return `${schemeOfListeners}${name}`
}

/** In place of a machine's name when its time is over: it is often that of a person. */
export const nobodysMachine = 'forgotten'

export function isListenerUrl(url: string): boolean {
  return url.startsWith(schemeOfListeners)
}

export const listenerNameMax = 63

/** As it may stand in a URL; people name their machines in every way. */
export function listenerName(given: string): string {
  const plain = given
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, listenerNameMax)
    .replace(/[-.]+$/, '')
  return plain === '' ? 'somewhere' : plain
}
