// Lists: one page each, newest first. Ids grow with time, so the last id seen says where to go on.

import type { OfferId, TransactionId } from './ids.ts'
import type { Source, TransactionStatus } from './transaction.ts'

export interface Page<Id> {
  readonly limit: number
  readonly after: Id | null
}

export interface SaleFilter extends Page<TransactionId> {
  readonly status: TransactionStatus | null
  readonly source: Source | null
  readonly offer: OfferId | null
  readonly email: string | null
  readonly createdAfter: Date | null
  readonly createdBefore: Date | null
}
