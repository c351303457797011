// A decline of a charge that waits for its customer is not its end: whoever has the bank's page, or the gateway's secret of
// the payment, may confirm it once more. So the gateway is made to refuse that first (fenced), and is then asked again. For
// everybody who hears of a decline: the sweeper, the customer's page, the gateway's notices.

import { requestFor } from './call-gateway.ts'
import type { Gateway, LookupOutcome, Note, Unknown } from './gateway.ts'
import type { HeldOperation } from './operation.ts'
import type { Sale } from './sale.ts'

const stillConfirmable: Unknown = {
  kind: 'unknown',
  cause: 'The gateway declined the charge, but could not be kept from taking a later confirmation.',
}

/** What the gateway's word is worth, if the customer could still confirm. Without a fence there will never be a better one. */
export async function provenWhileWaiting(
  gateway: Gateway,
  sale: Sale,
  held: HeldOperation,
  said: LookupOutcome,
  signal: AbortSignal,
  note?: Note,
): Promise<LookupOutcome> {
  const isWaiting = sale.transaction.status === 'Further Action Required'
  if (said.kind !== 'declined' || !isWaiting || !gateway.promises.fence) return said
  const request = requestFor(sale, held)
  if (!(await gateway.fence(request, signal, note))) return stillConfirmable
  const found = await gateway.lookup(request, signal, note)
  // The first word says why it was declined: what was called off may say no more than that.
  return found.kind === 'declined' || found.kind === 'absent' ? said : found
}
