// What is in doubt or waits for a person: GET /console/doubt, /console/doubt/:id, POST /console/doubt/:id/resolve.

export type Verdict = 'succeeded' | 'not_made' | 'dismissed'

export interface DoubtRecord {
  readonly operation: string
  readonly merchant: string
  readonly transaction: string
  readonly transaction_status: string
  readonly kind: 'charge' | 'capture' | 'void' | 'refund'
  readonly amount: string
  readonly currency: string
  readonly gateway: string
  /** The gateway's own name for it, where it is known. */
  readonly gateway_ref: string | null
  readonly since: string
  readonly outcome: 'pending' | 'succeeded' | 'declined' | 'not_sent' | 'unknown'
  readonly sendings: number
  readonly asks: number
  /** Null: it is not asked about by itself any more. */
  readonly next_ask_at: string | null
  readonly code: string | null
  readonly last_heard: string | null
  /** What a person has to look into; of several sentences the oldest. */
  readonly for_person: string | null
  /** The others, each of which is dismissed by itself. */
  readonly more_for_person: readonly string[]
  readonly settled_at: string | null
}

export interface WholeDoubtRecord extends DoubtRecord {
  readonly asked: readonly {
    readonly number: number
    readonly at: string
    readonly step: 'send_again' | 'fence_and_look_up' | 'look_up' | 'leave_to_a_person'
    readonly heard: readonly string[]
  }[]
  readonly resolutions: readonly {
    readonly at: string
    readonly verdict: Verdict
    readonly by: string
    readonly note: string
    /** The sentence that was dismissed. */
    readonly answers: string | null
  }[]
  readonly gateway_type: string | null
  /** The charge that a refund, capture or void belongs to, as the gateway calls it. */
  readonly charge_ref: string | null
  readonly card_mask: string | null
  /** What may be decided now; empty: it is settled. */
  readonly verdicts: readonly Verdict[]
  readonly needs_gateway_ref: boolean
}

export interface Resolve {
  readonly verdict: Verdict
  readonly note: string
  readonly gateway_ref?: string
  /** Of a dismissal: `for_person` or one of `more_for_person`, as it was read. */
  readonly answers?: string
}
