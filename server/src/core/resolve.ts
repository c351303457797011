// A person settles what no proof did, on record. What is in doubt is claimed first, so that nobody asks about it meanwhile;
// then it ends as if the gateway had said so, with the event and the answer that it owes. A success that came too late is
// the business of accept-late.ts.

import { acceptLate } from './accept-late.ts'
import { whyNotAsAsked } from './another-amount.ts'
import { commitMs } from './call-gateway.ts'
import { keptLine } from './kept-text.ts'
import { isOfAnotherAmount, isOpen, type Operation, settled } from './operation.ts'
import type { Ports } from './ports.ts'
import { ifNotMade } from './recover.ts'
import {
  type Decision,
  type OperationPlace,
  type Resolved,
  type ResolvePorts,
  refused,
  resolutionOf,
} from './resolution.ts'
import type { Sale } from './sale.ts'
import { changeBy, isStillOpen, type Learned, reload } from './settle.ts'

const byCharsMax = 100
const noteCharsMax = 2_000
const gatewayRefCharsMax = 255
/** Somebody may be faster, and it is decided anew on how it stands then; somebody always is where something is wrong. */
const triesMax = 5

export async function resolveDoubt(ports: ResolvePorts, place: OperationPlace, given: Decision): Promise<Resolved> {
  const decision = { ...given, by: keptLine(given.by, byCharsMax), note: keptLine(given.note, noteCharsMax) }
  const wrong = whyNotDecision(decision)
  if (wrong !== null) return refused(wrong)
  for (let tries = 0; tries < triesMax; tries++) {
    const sale = await ports.store.load(place.merchantId, place.transactionId)
    const operation = sale?.operations.find(({ id }) => id === place.operationId)
    if (sale === null || operation === undefined) throw new Error(`operation ${place.operationId} is gone`)
    const resolved = await resolveOnce(ports, sale, operation, decision)
    if (resolved !== 'again') return resolved
  }
  return refused(busy)
}

const busy = 'It is under way or being asked about just now; try again in a moment.'

function whyNotDecision({ by, note, gatewayRef }: Decision): string | null {
  if (by === '') return 'The record needs a name: who settles it.'
  if (note === '') return 'The record needs a note: why it is settled so.'
  const isName = gatewayRef === null || (/^[\x21-\x7e]+$/.test(gatewayRef) && gatewayRef.length <= gatewayRefCharsMax)
  return isName ? null : "The gateway's reference must be visible characters, at most 255, and no blanks."
}

async function resolveOnce(
  ports: ResolvePorts,
  sale: Sale,
  operation: Operation,
  decision: Decision,
): Promise<Resolved | 'again'> {
  const { verdict } = decision
  const wrong =
    whyNotVerdict(sale, operation, verdict) ??
    (verdict === 'succeeded' ? await whyNotAsAsked(ports, sale, operation) : null)
  if (wrong !== null) return refused(wrong)
  const named = await underItsName(ports, sale, operation, decision)
  if (typeof named === 'string') return refused(named)
  return isOpen(operation) ? settleOpen(ports, sale, named, decision) : acceptLate(ports, sale, named, decision)
}

function whyNotVerdict(sale: Sale, operation: Operation, verdict: Decision['verdict']): string | null {
  const { kind, outcome, forPerson } = operation
  if (waitsForCustomer(sale, operation)) return `The ${kind} waits for its customer: it is not in doubt.`
  if (outcome === 'succeeded') return `The ${kind} is settled already: it succeeded.`
  // Also one that was sent and never asked about: whether somebody is still at it, the claim will tell.
  if (isOpen(operation)) {
    return verdict === 'dismissed' ? `The ${kind} is still in doubt: it either succeeded or was not made.` : null
  }
  const ended = outcome === 'declined' ? 'declined' : 'not made'
  if (forPerson === null) return `The ${kind} is settled already: it was ${ended}.`
  if (verdict !== 'not_made') return null
  return `The ${kind} is settled as ${ended} already. Its late success can be accepted, or dismissed when the money was given back.`
}

function waitsForCustomer({ transaction }: Sale, { outcome }: Operation): boolean {
  return outcome === 'pending' && transaction.status === 'Further Action Required'
}

/** The operation with the gateway's name for it, which later refunds need; or why it cannot have one. */
async function underItsName(
  ports: ResolvePorts,
  sale: Sale,
  operation: Operation,
  { verdict, gatewayRef: given }: Decision,
): Promise<Operation | string> {
  if (verdict !== 'succeeded') return operation
  const { kind } = operation
  // What is done to an authorisation mostly has no name of its own.
  const isPartOfCharge = kind === 'capture' || kind === 'void'
  const charge = sale.operations.find(each => each.kind === 'charge' && each.outcome === 'succeeded')
  const known = operation.gatewayRef ?? (isPartOfCharge ? (charge?.gatewayRef ?? null) : null)
  const gatewayRef = given ?? known
  if (gatewayRef === null) return `A ${kind} that succeeded needs the gateway's own reference to it (--gateway-ref).`
  const named = { ...operation, gatewayRef }
  const namesake = isPartOfCharge ? null : await ports.findNamesake(named)
  if (namesake === null) return named
  return `The gateway's reference ${gatewayRef} is that of a ${kind} of transaction ${namesake.transactionId} already.`
}

async function settleOpen(
  ports: ResolvePorts,
  sale: Sale,
  operation: Operation,
  decision: Decision,
): Promise<Resolved | 'again'> {
  const held = await ports.store.claimOperation(operation, commitMs)
  let current = await reload(ports, sale)
  if (held === null) return isStillOpen(current, operation) ? refused(busy) : 'again'
  // The gateway has reported another amount since this was weighed.
  if (isOfAnotherAmount(held) && !isOfAnotherAmount(operation)) return refused(busy)
  const learned = learnedFromPerson(ports, current, { ...held, gatewayRef: operation.gatewayRef }, decision)
  const resolution = resolutionOf(ports, operation, decision)
  // The lease keeps others from asking, but a success settles whoever brings it.
  while (isStillOpen(current, operation) && !waitsForCustomer(current, held)) {
    const { change, after } = changeBy(ports, current, held, learned)
    const committed = await ports.store.commit({ ...change, resolution })
    if (committed === 'committed') return { kind: 'resolved', sale: after, operation: learned.operation }
    if (committed !== 'stale') return 'again'
    current = await reload(ports, current)
  }
  return 'again'
}

function learnedFromPerson(ports: Ports, sale: Sale, operation: Operation, { verdict, by }: Decision): Learned {
  const isDone = verdict === 'succeeded'
  const cause = `Settled by ${by}: ${isDone ? 'it succeeded' : 'it was not made'}.`
  return {
    operation: settled(operation, isDone ? 'succeeded' : 'not_sent', ports.now(), { cause }),
    feeMinor: null,
    customerMustAct: false,
    reportsSuccess: false,
    ifNotMade: ifNotMade(sale),
  }
}
