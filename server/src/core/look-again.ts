// What differs between a gateway's list and our rows is looked at again, payment by payment, as if the gateway had just told
// of it: the list only says where to look, and what is there is asked anew.

import type { Gateway } from './gateway.ts'
import { type At, type Heard, hearNotice, type NoticePorts } from './notice.ts'
import type { Difference } from './reconcile-entry.ts'

export interface LookedAt {
  readonly chargeRef: string
  /** not_now: it can be looked at again later. */
  readonly heard: Heard
}

export async function lookAgainAt(
  ports: NoticePorts,
  at: At,
  gateway: Gateway,
  differences: readonly Difference[],
): Promise<LookedAt[]> {
  const looked: LookedAt[] = []
  for (const chargeRef of new Set(differences.flatMap(paymentOf))) {
    // A refund's notice is followed up also where the charge itself is all known.
    const heard = await hearNotice(ports, at, gateway, { kind: 'payment', chargeRef, news: 'refund' })
    looked.push({ chargeRef, heard })
  }
  return looked
}

function paymentOf({ ours, theirs }: Difference): string[] {
  if (theirs?.kind === 'refund') return theirs.chargeRef === undefined ? [] : [theirs.chargeRef]
  const chargeRef = theirs?.gatewayRef ?? (ours?.kind === 'charge' ? ours.gatewayRef : null)
  return chargeRef === null ? [] : [chargeRef]
}
