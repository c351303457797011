// What a link for one customer came to when it was asked for.

import type { TransactionId } from './ids.ts'

export type KeptLink =
  | { readonly kind: 'kept'; readonly token: string }
  /** The offer is for sale no more, or its customer was erased. */
  | { readonly kind: 'ended' }
  /** A payment with an earlier token, which can be used for nothing else any more. */
  | { readonly kind: 'payment_open'; readonly id: TransactionId }

export const openPaymentSays = (id: TransactionId) =>
  `Transaction ${id}, paid with an earlier link of this customer, is still open. Make a new link when it has failed or was voided.`
