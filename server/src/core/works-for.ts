// For which merchant something is done, where that decides whose share of the service it uses.

import type { MerchantId } from './ids.ts'

/** Null: for none, or not known yet. Of a request it becomes known while it is under way. */
export interface WorksFor {
  readonly merchantId: MerchantId | null
}

/** What goes on beside requests, for all merchants, also where a request has begun it. */
export const nobody: WorksFor = { merchantId: null }
