// A hook endpoint: a URL of the merchant's for one kind of hook.

import type { HookKind } from '@tillbell/sdk'
import type { EndpointId, MerchantId } from './ids.ts'

export const hookKinds = [
  'pre_sale',
  'transaction',
  'far',
  'error',
  'generic',
  'update',
] as const satisfies readonly HookKind[]

export const endpointStatuses = ['enabled', 'paused'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

/** By hand, or by itself after days of nothing but failures. */
export const pauseCauses = ['asked', 'failing'] as const
export type PauseCause = (typeof pauseCauses)[number]

export interface HookEndpoint {
  readonly merchantId: MerchantId
  readonly id: EndpointId
  readonly kind: HookKind
  readonly url: string
  readonly status: EndpointStatus
  readonly timeoutS: number
  readonly standardWebhooks: boolean
  /** With Standard Webhooks: a JSON body instead of the form. */
  readonly sendsJson: boolean
  readonly createdAt: Date
  /** Null: it is not paused. */
  readonly pausedBecause: PauseCause | null
}

/** What is left out stays as it is. */
export interface EndpointChange {
  readonly url?: string
  readonly timeoutS?: number
  readonly status?: EndpointStatus
  readonly standardWebhooks?: boolean
  readonly sendsJson?: boolean
}

/** `standard_webhooks` as it is given and shown: off, headers beside the form, or a JSON body. */
export type StandardWebhooks = boolean | 'json'

export function standardWebhooksOf(endpoint: Pick<HookEndpoint, 'standardWebhooks' | 'sendsJson'>): StandardWebhooks {
  return endpoint.sendsJson ? 'json' : endpoint.standardWebhooks
}

export function withStandardWebhooks(given: StandardWebhooks): Pick<HookEndpoint, 'standardWebhooks' | 'sendsJson'> {
  return { standardWebhooks: given !== false, sendsJson: given === 'json' }
}

export const endpointsMax = 50
/** Of these, paused or not: each payment asks all of them, and waits for the slowest. */
export const preSaleEndpointsMax = 5

/** A customer waits while Pre-Sale is asked, and nobody for a notification. */
export function defaultTimeoutS(kind: HookKind): number {
  return kind === 'pre_sale' ? 10 : 15
}

/** How long a Standard Webhooks secret that was replaced signs beside the new one. */
export const secretOverlapMs = 24 * 3_600_000
/** Each is a signature in a header of every attempt. */
export const secretsMax = 5
