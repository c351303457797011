// Customers as their merchant sees them.

import type { CustomerId } from './ids.ts'
import type { Card, Customer } from './people.ts'
import type { ShownLetter } from './shown-letter.ts'
import type { ShownSale } from './shown-sale.ts'

export interface ListedCustomer extends Pick<Customer, 'email' | 'firstName' | 'lastName'> {
  readonly id: CustomerId
  readonly createdAt: Date
  readonly erasedAt: Date | null
  readonly cards: number
  readonly newest: Pick<ShownSale, 'id' | 'createdAt' | 'status' | 'amountMinor' | 'currency'> | null
}

export interface ShownCustomer extends Customer {
  readonly createdAt: Date
  readonly erasedAt: Date | null
  /** Those that are kept, newest first. */
  readonly cards: readonly Card[]
  readonly payments: readonly ShownSale[]
  readonly letters: readonly Omit<ShownLetter, 'mails' | 'verdict' | 'offerId'>[]
}
