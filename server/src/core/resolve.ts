// A person settles what no proof did, on record. What is in doubt is claimed first, so that nobody asks about it meanwhile.
// Then the gateway is made to refuse the operation's id, and asked once more, where it can be: if that proves what became of
// the operation, the proof counts, whatever the person says. Only then the operation ends as the person says, with the event
// and the answer that it owes. A success that came too late is the business of accept-late.ts.

import { acceptLate } from './accept-late.ts'
import { saysAnotherAmount, whyNotAsAsked } from './another-amount.ts'
import { commitMs, learnedFrom, requestFor } from './call-gateway.ts'
import { nextRecheckAt } from './doubt.ts'
import type { Gateway, LookupOutcome } from './gateway.ts'
import { keptLine } from './kept-text.ts'
import {
  type HeldOperation,
  isOfAnotherAmount,
  isOpen,
  type Operation,
  provenAbsent,
  provenBy,
  settled,
} from './operation.ts'
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
import { changeBy, isStillOpen, type Learned, nothingLearned, reload, settle } from './settle.ts'
import { storableAnswer } from './storable-answer.ts'

const byCharsMax = 100
const noteCharsMax = 2_000
const gatewayRefCharsMax = 255
/** Somebody may be faster, and it is decided anew on how it stands then; somebody always is where something is wrong. */
const triesMax = 5
/** A person waits for it, mostly before a gateway that does not answer. */
const askMs = 10_000

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
    (verdict === 'succeeded' && !isOpen(operation) ? await whyNotAsAsked(ports, sale, operation) : null)
  if (wrong !== null) return refused(wrong)
  const named = await underItsName(ports, sale, operation, decision)
  if (typeof named === 'string') return refused(named)
  return isOpen(operation) ? settleOpen(ports, sale, named, decision) : acceptLate(ports, sale, named, decision)
}

function whyNotVerdict(sale: Sale, operation: Operation, verdict: Decision['verdict']): string | null {
  const { kind, outcome, forPerson } = operation
  if (waitsForCustomer(sale, operation)) return `The ${kind} waits for its customer: it is not in doubt.`
  if (outcome === 'succeeded') {
    if (forPerson !== null && verdict === 'dismissed') return null
    if (forPerson === null) return `The ${kind} is settled already: it succeeded.`
    return `The ${kind} is settled already: it succeeded. What the gateway said since can be dismissed.`
  }
  // Also one that was sent and never asked about: whether somebody is still at it, the claim will tell.
  if (isOpen(operation)) {
    return verdict === 'dismissed' ? `The ${kind} is still in doubt: it either succeeded or was not made.` : null
  }
  const ended = outcome === 'declined' ? 'declined' : 'not made'
  if (forPerson === null) return `The ${kind} is settled already: it was ${ended}.`
  if (verdict !== 'not_made') return null
  return `The ${kind} is settled as ${ended} already. Its late success can be accepted, or dismissed when the money was given back.`
}

function waitsForCustomer({ transaction }: Sale, { outcome, isOverdue }: Operation): boolean {
  return outcome === 'pending' && !isOverdue && transaction.status === 'Further Action Required'
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
  const held = await ports.store.claimOperation(operation, askMs + commitMs)
  let current = await reload(ports, sale)
  if (held === null) return isStillOpen(current, operation) ? refused(busy) : 'again'
  // The gateway has reported another amount since this was weighed.
  if (isOfAnotherAmount(held) && !isOfAnotherAmount(operation)) return refused(busy)
  if (!isStillOpen(current, operation)) return 'again'
  const said = await askGateway(ports, current, held)
  const against = whyAgainst(operation, said.proven, decision)
  if (against !== null) {
    // That it is of another amount may be known already: nobody is told twice.
    const isKnown = isOfAnotherAmount(operation) && isOpen(said.proven)
    await settle(ports, current, held, isKnown ? nothingLearned(held) : said.learn())
    return refused(against)
  }
  const gatewayRef = said.proven.outcome === 'succeeded' ? said.proven.gatewayRef : operation.gatewayRef
  const learned = learnedFromPerson(ports, current, { ...held, gatewayRef }, decision, !isOpen(said.proven))
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

interface GatewaySaid {
  /** The operation as the gateway's word leaves it: settled where that is proof. */
  readonly proven: Operation
  /** The same, to be committed. */
  readonly learn: () => Learned
}

const silent: LookupOutcome = { kind: 'unknown', cause: 'The gateway could not be asked.' }

/** Behind a fence "not found" is proof: nothing can still be on its way. */
async function askGateway(ports: Ports, sale: Sale, held: HeldOperation): Promise<GatewaySaid> {
  // One whose credentials cannot be read any more has nothing to say.
  const gateway = await ports.openGateway(held.merchantId, held.gatewayId).catch(() => null)
  if (gateway === null) return { proven: held, learn: () => nothingLearned(held) }
  const { isFenced, found } = await fencedAndFound(gateway, sale, held)
  if (isFenced && found.kind === 'absent') {
    const proven = provenAbsent(held, ports.now())
    return { proven, learn: () => ({ ...nothingLearned(held), operation: proven, ifNotMade: ifNotMade(sale) }) }
  }
  const isNews = found.kind === 'succeeded' || found.kind === 'declined'
  return {
    proven: isNews ? provenBy(held, found, ports.now()) : held,
    learn: () => (isNews ? learnedFrom(ports, gateway, held, found) : nothingLearned(held)),
  }
}

async function fencedAndFound(gateway: Gateway, sale: Sale, held: HeldOperation) {
  const { fence, lookup } = gateway.promises
  const signal = AbortSignal.timeout(askMs)
  try {
    const request = requestFor(sale, held)
    const isFenced = fence && (await gateway.fence(request, signal))
    const found = lookup ? await gateway.lookup(request, signal) : silent
    return { isFenced, found: storableAnswer(found, held.id) }
  } catch {
    return { isFenced: false, found: silent } // a bug of an adapter must not keep a person from settling it
  } finally {
    gateway.close() // a command ends after this, and must not wait for idle connections
  }
}

/** What the gateway has just proven against what the person says; null: nothing. */
function whyAgainst(operation: Operation, proven: Operation, { verdict }: Decision): string | null {
  const { kind } = operation
  if (verdict === 'succeeded') {
    const isNotMade = proven.outcome === 'declined' || proven.outcome === 'not_sent'
    if (isNotMade) return `The gateway says that the ${kind} was not made: it is settled so.`
    return saysAnotherAmount(operation, proven)
  }
  if (proven.outcome === 'succeeded') return `The gateway says that the ${kind} succeeded: it is settled so.`
  // Known before, the person has put it right at the gateway, as they were told to.
  return isOfAnotherAmount(proven) && !isOfAnotherAmount(operation) ? saysAnotherAmount(operation, proven) : null
}

/** A person may be wrong: unless the gateway has proven that it was not made, it is asked again after the decision (recheck.ts). */
function learnedFromPerson(
  ports: Ports,
  sale: Sale,
  operation: Operation,
  { verdict, by }: Decision,
  isProven: boolean,
): Learned {
  const isDone = verdict === 'succeeded'
  const cause = `Settled by ${by}: ${isDone ? 'it succeeded' : 'it was not made'}.`
  const now = ports.now()
  const nextAskAt = isDone ? now : isProven ? null : nextRecheckAt(now, 0, now)
  return {
    operation: { ...settled(operation, isDone ? 'succeeded' : 'not_sent', now, { cause }), nextAskAt },
    feeMinor: null,
    customerMustAct: false,
    reportsSuccess: false,
    ifNotMade: ifNotMade(sale),
  }
}
