// A charge that was declined, or never left, goes on to the next gateway that has the same card. Only in the request
// itself: the sweeper settles what it finds and begins nothing, because by then the buyer is gone.
//
// The end of one charge and the beginning of the next are one commit. So the rows say at every moment what may be on its
// way: never two charges of one sale, and never none while it is Processing. After silence nothing is tried: the first
// gateway may have the money.

import { learnedFrom, operationLeaseMs, requestFor, type Settled, settled } from './call-gateway.ts'
import type { DeclineCode, Gateway } from './gateway.ts'
import { held, newCharge, prepared } from './new-operation.ts'
import type { HeldOperation, Operation } from './operation.ts'
import type { CardVault } from './people.ts'
import type { Ports } from './ports.ts'
import { type Sale, withOperation } from './sale.ts'
import { reload } from './settle.ts'

/** A sale whose charge is committed, and may be sent until the deadline. */
export interface Chargeable {
  readonly sale: Sale
  readonly operation: HeldOperation
}

/** Sends the charge, and those that follow from its failure, until one of them does not fail or none is left. */
export async function chargeInTurn(
  ports: Ports,
  gateway: Gateway,
  { sale, operation }: Chargeable,
  fallbacks: readonly CardVault[],
  deadline: AbortSignal,
): Promise<Settled> {
  if (deadline.aborted) return { sale: await reload(ports, sale) }
  const outcome = await gateway.send(requestFor(sale, operation), deadline)
  const learned = learnedFrom(ports, gateway, operation, outcome)
  const [next, ...others] = fallbacks
  if (next === undefined || !mayGoElsewhere(learned.operation) || deadline.aborted) {
    return settled(ports, sale, operation, learned, outcome)
  }
  // Opened before the commit: a gateway that cannot be opened must not leave a charge that nobody can send.
  const nextGateway = await openNext(ports, operation, next)
  const begun = nextGateway === null ? null : await goOn(ports, nextGateway, sale, operation, learned.operation, next)
  // No way on, or somebody else has changed the sale meanwhile: the failure stands, if it is still ours to tell.
  if (nextGateway === null || begun === null) return settled(ports, sale, operation, learned, outcome)
  return chargeInTurn(ports, nextGateway, begun, others, deadline)
}

/** Null: it cannot be opened. That is no reason to leave the one that failed without its end. */
async function openNext(ports: Ports, { merchantId, transactionId }: Operation, { gatewayId }: CardVault) {
  try {
    return await ports.openGateway(merchantId, gatewayId)
  } catch (error) {
    const sentence = 'The gateway to be tried next cannot be opened.'
    ports.alert(sentence, { transaction: transactionId, gateway: gatewayId, err: error })
    return null
  }
}

/** The card networks forbid to ask around with a card that is reported, and a merchant who does is taken for a thief. */
const finalDeclines: readonly DeclineCode[] = ['lost_card', 'stolen_card', 'fraud_suspected']

function mayGoElsewhere({ outcome, declineCode }: Operation): boolean {
  if (outcome === 'not_sent') return true
  return outcome === 'declined' && declineCode !== null && !finalDeclines.includes(declineCode)
}

async function goOn(
  ports: Ports,
  nextGateway: Gateway,
  sale: Sale,
  failing: HeldOperation,
  failed: Operation,
  next: CardVault,
): Promise<Chargeable | null> {
  const before = sale.transaction
  const after = { ...before, gatewayId: next.gatewayId }
  const operation = prepared(nextGateway, sale, newCharge(ports, after, next.cardRef))
  const committed = await ports.store.commit({
    before,
    after,
    settles: { held: failing, operation: failed },
    begins: { operation, leaseMs: operationLeaseMs, repetition: null },
  })
  if (committed !== 'committed') return null
  const moved = { ...sale, transaction: { ...after, version: after.version + 1 } }
  return { sale: withOperation(withOperation(moved, failed), operation), operation: held(operation) }
}
