// What a person decides about an operation that no proof settled, and how that ends.

import type { MerchantId, OperationId, TransactionId } from './ids.ts'
import type { Operation } from './operation.ts'
import type { Ports, Resolution, TokenUse } from './ports.ts'
import type { Sale } from './sale.ts'

export interface ResolvePorts extends Ports {
  /** Another operation of its kind that has the same name at its gateway; null: none has. */
  readonly findNamesake: (operation: Operation) => Promise<Pick<Operation, 'id' | 'transactionId'> | null>
  /** The payment that has used it, so that this use does not count; null: none has. */
  readonly findTokenUser: (merchantId: MerchantId, use: TokenUse) => Promise<TransactionId | null>
}

export interface OperationPlace {
  readonly merchantId: MerchantId
  readonly transactionId: TransactionId
  readonly operationId: OperationId
}

export interface Decision {
  readonly verdict: Resolution['verdict']
  readonly by: string
  readonly note: string
  /** The gateway's own name for what it did; null: as far as we know it. */
  readonly gatewayRef: string | null
  /** What the person has read and dismisses; null: nothing is dismissed. */
  readonly answers: string | null
}

export type Resolved =
  | { readonly kind: 'resolved'; readonly sale: Sale; readonly operation: Operation }
  | { readonly kind: 'refused'; readonly sentence: string }

export function refused(sentence: string): Resolved {
  return { kind: 'refused', sentence }
}

export function resolutionOf(ports: Ports, { id }: Operation, { verdict, by, note, answers }: Decision): Resolution {
  return { operationId: id, at: ports.now(), verdict, by, note, answers: verdict === 'dismissed' ? answers : null }
}
