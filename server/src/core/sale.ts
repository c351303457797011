// sale: a transaction together with everything that a record, a hook or an answer says about it.

import type { ReportedDispute } from './gateway.ts'
import type { Json, Offer } from './offer.ts'
import type { Operation } from './operation.ts'
import type { Card, Customer, Merchant } from './people.ts'
import type { Transaction } from './transaction.ts'

export interface Sale {
  readonly merchant: Merchant
  readonly offer: Offer
  readonly customer: Customer
  /** Null: none is at hand, and nothing was charged. */
  readonly card: Card | null
  readonly transaction: Transaction
  /** Everything asked of a gateway for it, oldest first. */
  readonly operations: readonly Operation[]
  /** What the card's bank took back, or tries to; oldest first. */
  readonly disputes: readonly ReportedDispute[]
}

/** Who bought: the customer, as they described themselves for this very payment where they did. */
export function buyerOf({ customer, transaction: { entered } }: Sale): Customer {
  if (entered === null) return customer
  const { firstName, lastName, billing, shipping } = entered
  return { ...customer, firstName, lastName, billing, shipping }
}

/** When the charge succeeded: where a payment waited for its customer, days after it was asked for. */
export function paidAt({ transaction, operations }: Sale): Date {
  const made = operations.find(({ kind, outcome }) => kind === 'charge' && outcome === 'succeeded')
  return made?.settledAt ?? transaction.createdAt
}

/** The offer's own data with the customer's answers, by name. */
export function customDataOf({ offer, transaction: { entered } }: Sale): { [key: string]: Json } {
  return { ...offer.customData, ...entered?.answers }
}

/** The sale with this operation written over its earlier state, or added. */
export function withOperation(sale: Sale, operation: Operation): Sale {
  const others = sale.operations.filter(({ id }) => id !== operation.id)
  const all = [...others, operation].sort((a, b) => (a.id < b.id ? -1 : 1)) // ids grow with time
  return { ...sale, operations: all }
}

/** What is the same for every merchant of one installation. */
export interface ServiceFacts {
  readonly mode: 'sandbox' | 'live'
  readonly baseUrl: string
}

/** ISO 8601 with milliseconds and a numeric offset: the interface does not write `Z`. */
export function isoTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00')
}
