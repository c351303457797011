// What happened to money, by whoever the metadata says that it belongs to: for comparing with another ledger.

import { givenBack } from './refunds.ts'
import type { State } from './state.ts'

export interface Line {
  /** Payments that hold or took money. */
  readonly charges: number
  readonly currency: string
  readonly held: number
  readonly taken: number
  readonly refunded: number
}

/** By the value of that name in the metadata. Payments that never held anything are not in it. */
export function ledgerOf(state: State, name: string): Map<string, Line> {
  const ledger = new Map<string, Line>()
  for (const intent of state.all('payment_intent')) {
    const owner = intent.metadata[name]
    const charge = state.find('charge', intent.latest_charge)
    if (owner === undefined || charge === null || !charge.paid) continue
    const before = ledger.get(owner)
    ledger.set(owner, {
      charges: (before?.charges ?? 0) + 1,
      currency: intent.currency,
      held: (before?.held ?? 0) + intent.amount_capturable,
      taken: (before?.taken ?? 0) + intent.amount_received,
      refunded: (before?.refunded ?? 0) + givenBack(state, charge),
    })
  }
  return ledger
}
