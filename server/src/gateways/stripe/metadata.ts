// Our ids in Stripe's metadata.

import { type GatewayId, type OperationId, parseUuid, type TransactionId } from '../../core/ids.ts'
import { isMembers } from './exchange.ts'

export const metadataNames = {
  gateway: 'tillbell_gateway',
  operation: 'tillbell_operation',
  transaction: 'tillbell_transaction',
  capture: 'tillbell_capture',
  fence: 'tillbell_fence',
} as const

type Name = keyof typeof metadataNames

export function idIn<Id extends OperationId | TransactionId>(metadata: unknown, name: Exclude<Name, 'gateway'>) {
  const text = textIn(metadata, name)
  return text === null ? null : parseUuid<Id>(text)
}

/** Null: it does not say. */
export function gatewayIn(metadata: unknown): string | null {
  return textIn(metadata, 'gateway')
}

function textIn(metadata: unknown, name: Name): string | null {
  const text = isMembers(metadata) ? metadata[metadataNames[name]] : undefined
  return typeof text === 'string' ? text : null
}

/**
 * The operation of ours that made a payment or a refund. Null: none. Several gateways, also of different installations, may
 * share one account at Stripe: what another of them made is foreign. What says nothing of a gateway was made before ours said it.
 */
export function ownOperation(
  made: { readonly gatewayId: string | null; readonly operationId: OperationId | null },
  own: GatewayId,
): OperationId | null {
  return made.gatewayId === null || made.gatewayId === own ? made.operationId : null
}
