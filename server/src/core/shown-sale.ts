// Sales as a list shows them: a row for each, with what a person looks for.

import type { CustomerId, OfferId, TransactionId } from './ids.ts'
import type { Currency } from './money.ts'
import type { Card } from './people.ts'
import type { Source, TransactionStatus } from './transaction.ts'

/** Whether the merchant's endpoints know all that they were owed: the worst of it. `none`: nothing was owed. */
export const toldStates = ['none', 'delivered', 'pending', 'dropped'] as const
export type Told = (typeof toldStates)[number]

export interface ShownSale {
  readonly id: TransactionId
  readonly createdAt: Date
  readonly status: TransactionStatus
  readonly source: Source
  readonly inDoubt: boolean
  readonly amountMinor: bigint
  /** Less than the amount where an authorisation was captured in part, and nothing until then. */
  readonly capturedMinor: bigint
  readonly refundedMinor: bigint
  readonly currency: Currency
  readonly customerId: CustomerId
  /** These three are null where they are not known, and once the customer is erased. */
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly cardMask: string | null
  readonly cardType: Card['type'] | null
  readonly offerId: OfferId
  readonly offerTitle: string
  readonly offerRefId: string | null
  readonly told: Told
}

/**
 * What somebody may have to see to. `in_doubt`: nobody knows yet what a gateway did. `disputed`: a dispute is open. `untold`: paid, and
 * no endpoint has taken word of it. `dropped`: some endpoint was not told, and is not tried any more.
 */
export const saleNeeds = ['in_doubt', 'disputed', 'untold', 'dropped'] as const
export type SaleNeed = (typeof saleNeeds)[number]

/** Which sales. All that is said must hold. */
export interface SaleChoice {
  /** Empty: any. */
  readonly statuses: readonly TransactionStatus[]
  readonly source: Source | null
  readonly offer: OfferId | null
  readonly customer: CustomerId | null
  readonly needs: SaleNeed | null
  readonly createdAfter: Date | null
  readonly createdBefore: Date | null
  /** One of these; null: nothing was searched for. */
  readonly oneOf: SalesFound | null
}

/** What a search may mean: ids that begin so, of one of these customers, for one of these offers. */
export interface SalesFound {
  readonly ids: { readonly first: string; readonly last: string } | null
  readonly customers: readonly CustomerId[]
  readonly offers: readonly OfferId[]
}

/** A page of a list that is read in both directions, newest first. At most one of the two is given. */
export interface TwoWayPage<Id> {
  readonly limit: number
  /** Those older than this one. */
  readonly after: Id | null
  /** Those newer than this one, and of them the oldest. */
  readonly before: Id | null
}

const idStart = /^[0-9a-f]{8,32}$/

/** The ids that begin with what somebody typed; null: no id does, or it is too short to mean one. */
export function idsThatBegin(text: string): { readonly first: string; readonly last: string } | null {
  const hex = text.toLowerCase().replaceAll('-', '')
  if (!idStart.test(hex)) return null
  return { first: asUuid(hex.padEnd(32, '0')), last: asUuid(hex.padEnd(32, 'f')) }
}

function asUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
