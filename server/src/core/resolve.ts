// A person settles what no proof did, on record. What is in doubt is claimed first, so that nobody asks about it meanwhile.
// Then the gateway is made to refuse the operation's id, and asked once more, where it can be: if that proves what became of
// the operation, the proof counts, whatever the person says. Only then the operation ends as the person says, with the event
// and the answer that it owes. A success that came too late is the business of accept-late.ts.

import { acceptLate } from './accept-late.ts'
import { saysAnotherAmount, whyNotAsAsked } from './another-amount.ts'
import { commitMs, learnedFrom, requestFor } from './call-gateway.ts'
import { nextRecheckAt } from './doubt.ts'
import { sentencesOf } from './for-person.ts'
import type { Gateway, LookupOutcome, OperationKind, OperationRequest, ReferenceOwner } from './gateway.ts'
import { keptLine } from './kept-text.ts'
import {
  endsHold,
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

function whyNotDecision({ by, note, gatewayRef, verdict, answers }: Decision): string | null {
  if (verdict === 'dismissed' && answers === null) return 'A dismissal must say which sentence it answers.'
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
  const isLate = !isOpen(operation) && operation.outcome !== 'succeeded'
  const wrong =
    whyNotVerdict(sale, operation, decision) ??
    whyNotAnswer(operation, decision) ??
    (verdict === 'succeeded' && isLate ? await whyNotAsAsked(ports, sale, operation) : null)
  if (wrong !== null) return refused(wrong)
  const named = await underItsName(ports, sale, operation, decision)
  if (typeof named === 'string') return refused(named)
  if (isOpen(operation)) return settleOpen(ports, sale, named, decision)
  const unconfirmed = isToBeChecked(operation, named)
    ? whyNotReference(named, await askWhose(ports, sale, named))
    : null
  return unconfirmed === null ? acceptLate(ports, sale, named, decision) : refused(unconfirmed)
}

/** A dismissal is about what the person has read. The gateway may have said something else since. */
function whyNotAnswer(operation: Operation, { verdict, answers }: Decision): string | null {
  const sentences = sentencesOf(operation)
  if (verdict !== 'dismissed' || sentences.some(each => each === answers)) return null
  return `What is said of it has changed meanwhile, and nothing was dismissed. It now says: ${sentences.join(' ')}`
}

/** What a person gives for a charge or a refund may be the reference of another customer's payment. */
function isToBeChecked(known: Operation, { kind, gatewayRef }: Operation): boolean {
  return hasOwnReference(kind) && gatewayRef !== known.gatewayRef
}

/** What is done to an authorisation mostly has no name of its own. */
function hasOwnReference(kind: OperationKind): boolean {
  return kind === 'charge' || kind === 'refund'
}

/** Only a reference that the gateway has confirmed is written down. Null: it has. */
function whyNotReference({ kind, gatewayRef }: Operation, owner: ReferenceOwner): string | null {
  switch (owner.kind) {
    case 'ours':
      return null
    case 'not_ours':
      return `The gateway's reference ${gatewayRef} is not that of this ${kind}: what the gateway has there does not name it, or there is nothing.`
    case 'unknown':
      return `The gateway did not answer, so the reference ${gatewayRef} cannot be checked. Nothing has changed: try again when it answers.`
  }
}

function whyNotVerdict(sale: Sale, operation: Operation, { verdict }: Decision): string | null {
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
  if (!hasOwnReference(kind)) {
    if (given !== null) return `A ${kind} is found by the reference of its charge: leave out --gateway-ref.`
    const charge = sale.operations.find(each => each.kind === 'charge' && each.outcome === 'succeeded')
    return { ...operation, gatewayRef: operation.gatewayRef ?? charge?.gatewayRef ?? null }
  }
  const gatewayRef = given ?? operation.gatewayRef
  if (gatewayRef === null) return `A ${kind} that succeeded needs the gateway's own reference to it (--gateway-ref).`
  const named = { ...operation, gatewayRef }
  const namesake = await ports.findNamesake(named)
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
  const said = await askGateway(ports, current, held, operation)
  const against = whyAgainst(operation, said, decision)
  if (against !== null) {
    // That it is of another amount may be known already: nobody is told twice.
    const isKnown = isOfAnotherAmount(operation) && isOpen(said.proven)
    await settle(ports, current, held, isKnown ? nothingLearned(held) : said.learn())
    return refused(against)
  }
  const isByPerson = decision.verdict === 'succeeded' && said.proven.outcome !== 'succeeded'
  const { gatewayRef } = isByPerson ? operation : said.proven
  const named = { ...held, gatewayRef }
  const learned = learnedFromPerson(ports, current, named, decision, said.isFinal)
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
  /** It was not made, and cannot be any more. */
  readonly isFinal: boolean
  /** Whose the reference is that the person gave; null: they gave none that is not known. */
  readonly owner: ReferenceOwner | null
  /** The same, to be committed. */
  readonly learn: () => Learned
}

const silent = { kind: 'unknown', cause: 'The gateway could not be asked.' } as const

/** Behind a fence "not found" is proof: nothing can still be on its way. A decline may be confirmed after all, unless it is fenced. */
async function askGateway(ports: Ports, sale: Sale, held: HeldOperation, named: Operation): Promise<GatewaySaid> {
  // One whose credentials cannot be read any more has nothing to say.
  const gateway = await ports.openGateway(held.merchantId, held.gatewayId).catch(() => null)
  if (gateway === null) {
    const owner = isToBeChecked(held, named) ? silent : null
    return { proven: held, isFinal: false, owner, learn: () => nothingLearned(held) }
  }
  const { isFenced, found, owner } = await fencedAndFound(gateway, sale, held, named)
  if (isFenced && found.kind === 'absent') {
    const proven = provenAbsent(held, ports.now())
    const learn = () => ({ ...nothingLearned(held), operation: proven, ifNotMade: ifNotMade(sale) })
    return { proven, isFinal: true, owner, learn }
  }
  const isNews = found.kind === 'succeeded' || found.kind === 'declined'
  return {
    proven: isNews ? provenBy(held, found, ports.now()) : held,
    isFinal: found.kind === 'declined' && (isFenced || !gateway.promises.fence),
    owner,
    learn: () => (isNews ? learnedFrom(ports, gateway, held, found) : nothingLearned(held)),
  }
}

async function fencedAndFound(gateway: Gateway, sale: Sale, held: HeldOperation, named: Operation) {
  const { fence, lookup } = gateway.promises
  const signal = AbortSignal.timeout(askMs)
  const isChecked = isToBeChecked(held, named)
  try {
    const request = requestFor(sale, held)
    const isFenced = fence && (await gateway.fence(request, signal))
    const found: LookupOutcome = lookup ? await gateway.lookup(request, signal) : silent
    const isAsked = isChecked && found.kind !== 'succeeded'
    const owner = isAsked ? await ownerOf(gateway, request, named, signal) : null
    return { isFenced, found: storableAnswer(found, held.id), owner }
  } catch {
    // A bug of an adapter must not keep a person from settling it.
    return { isFenced: false, found: silent, owner: isChecked ? silent : null }
  } finally {
    gateway.close() // a command ends after this, and must not wait for idle connections
  }
}

/** Of an operation that is not open: nothing else is to be asked about it. */
async function askWhose(ports: Ports, sale: Sale, named: Operation): Promise<ReferenceOwner> {
  const gateway = await ports.openGateway(named.merchantId, named.gatewayId).catch(() => null)
  if (gateway === null) return silent
  return ownerOf(gateway, requestFor(sale, named), named, AbortSignal.timeout(askMs)).finally(() => gateway.close())
}

/** A bug of an adapter is no answer. */
async function ownerOf(
  gateway: Gateway,
  request: OperationRequest,
  { gatewayRef }: Operation,
  signal: AbortSignal,
): Promise<ReferenceOwner> {
  if (!gateway.promises.lookup || gatewayRef === null) return silent
  return gateway.checkReference(request, gatewayRef, signal).catch(() => silent)
}

/** What the gateway has just proven against what the person says; null: nothing. */
function whyAgainst(operation: Operation, { proven, owner }: GatewaySaid, { verdict }: Decision): string | null {
  const { kind } = operation
  if (verdict === 'succeeded') {
    const isNotMade = proven.outcome === 'declined' || proven.outcome === 'not_sent'
    if (isNotMade) return `The gateway says that the ${kind} was not made: it is settled so.`
    return saysAnotherAmount(operation, proven) ?? (owner === null ? null : whyNotReference(operation, owner))
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
  isFinal: boolean,
): Learned {
  const isDone = verdict === 'succeeded'
  const cause = `Settled by ${by}: ${isDone ? 'it succeeded' : 'it was not made'}.`
  const now = ports.now()
  // What else became of an authorisation was not written down while this was open.
  const isAskedAtOnce = isDone || endsHold(operation)
  const nextAskAt = isAskedAtOnce ? now : isFinal ? null : nextRecheckAt(now, 0, now)
  return {
    operation: { ...settled(operation, isDone ? 'succeeded' : 'not_sent', now, { cause }), nextAskAt },
    feeMinor: null,
    customerMustAct: false,
    reportsSuccess: false,
    ifNotMade: ifNotMade(sale),
  }
}
