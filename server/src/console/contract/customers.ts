// The merchant's customers, as the dashboard lists them, and one with what is known of them.

import type { AddressRecord, CardType, TransactionStatus } from './records.ts'
import type { TransactionRow } from './transactions.ts'

/** GET /console/customers */
export interface CustomerRow {
  readonly id: string
  /** Null once they are erased. */
  readonly email: string | null
  readonly name: string | null
  readonly created_at: string
  readonly erased: boolean
  /** How many are stored. */
  readonly cards: number
  readonly newest: {
    readonly id: string
    readonly created_at: string
    readonly status: TransactionStatus
    readonly amount: string
    readonly currency: string
  } | null
}

/** GET /console/customers/:id */
export interface WholeCustomer {
  readonly id: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly sms_number: string | null
  readonly billing: Partial<AddressRecord> | null
  readonly shipping: Partial<AddressRecord> | null
  readonly created_at: string
  readonly erased_at: string | null
  /** Newest first. */
  readonly cards: readonly CustomerCard[]
  /** The newest of them; `transactions?customer=` has all. */
  readonly payments: readonly TransactionRow[]
  /** The newest of what they wrote. */
  readonly letters: readonly CustomerLetter[]
}

export interface CustomerCard {
  readonly service_token: string
  readonly card_mask: string
  readonly card_type: CardType
  readonly expiration_date: string
  readonly expired: boolean
  readonly gateway: string
  readonly created_at: string
  /** False: entered under this address by somebody who has not proven that it is theirs. */
  readonly confirmed: boolean
  /** The one that a mail of theirs is paid with. */
  readonly by_mail: boolean
}

export interface CustomerLetter {
  readonly id: string
  readonly received_at: string
  readonly proven: boolean
  readonly state: 'waiting' | 'done'
  readonly transaction: string | null
  readonly closed_because: string | null
}
