// Asks the gateway again about an operation that is settled, where that may be wrong or is not the whole story:
//
// - A person settled it as not made, and the gateway did not prove that: a request that was on its way may still be carried
//   out. It is blocked and looked up until that is proven. A success is kept for a person, like any that comes too late.
// - A capture or void waited for a person and was not made: the authorisation may have been captured or released at the gateway
//   itself meanwhile. The whole payment is asked for as well.
// - It waited for a person and succeeded: what the gateway said about the payment meanwhile (refunds, captures, disputes) was
//   not written down. The whole payment is asked for once more.
// - A person settled it as succeeded: the gateway may have made it otherwise or not at all. The operation itself is looked up.
// - A person dismissed something that was said of it: all that the gateway has under its id is looked up once more.
//
// The schedule is the operation's own row (next_ask_at), written in the commit that settles it, so that no crash loses it.

import { type Asking, beginAsk } from './ask.ts'
import { gatewayDeadline, requestFor } from './call-gateway.ts'
import { nextRecheckAt } from './doubt.ts'
import type { Gateway, LookupOutcome, OperationRequest, Succeeded } from './gateway.ts'
import { knownByItsIds, lookAtPayment } from './notice.ts'
import { endsHold, type HeldOperation, type Operation, provenBy } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'
import { contraryIn, isMadeTwice, keepContrary, reload, reportIfLate } from './settle.ts'
import { storableAnswer } from './storable-answer.ts'

/**
 * done: nothing is left to be asked. not_proven: the gateway answered, and may say something else later. not_answered: it did
 * not tell. Or what a person has to look at.
 */
type Finding = 'done' | 'not_proven' | 'not_answered' | { readonly forPerson: string }

export async function recheck(ports: Ports, sale: Sale, held: HeldOperation): Promise<void> {
  const now = ports.now()
  const asked = { ...held, asks: held.asks + 1 }
  const gateway = await ports.openGateway(held.merchantId, held.gatewayId).catch(() => null)
  const isLookedUp = isMadeByUs(held) && held.outcome !== 'succeeded'
  const asking = beginAsk(asked, isLookedUp && gateway?.promises.fence === true ? 'fence_and_look_up' : 'look_up', now)
  // One for all that is asked: each with its own would outlast the claim, and nothing would be recorded.
  const round = { ports, sale, held, asking, signal: gatewayDeadline() }
  const finding = gateway === null ? closed(asking) : await findOut({ ...round, gateway })
  const nextAskAt = isAskedAgain(finding)
    ? nextRecheckAt(held.settledAt ?? now, gateway?.promises.idempotentForMs ?? 0, now)
    : null
  const forPerson = nextAskAt === null ? whyForPerson(finding, held) : null
  const isKept = await ports.store.recordRecheck(asked, { nextAskAt, ask: asking.record(), forPerson })
  if (isKept && forPerson !== null) ports.alert(forPerson, { transaction: held.transactionId, operation: held.id })
}

interface Round {
  readonly ports: Ports
  readonly gateway: Gateway
  readonly sale: Sale
  readonly held: HeldOperation
  readonly asking: Asking
  readonly signal: AbortSignal
}

function closed(asking: Asking): Finding {
  asking.note('The gateway cannot be opened, so that it cannot be asked.')
  return 'not_answered'
}

/** A bug of an adapter counts as no answer: it must neither end the recheck nor keep it from ever ending. */
async function findOut(round: Round): Promise<Finding> {
  const { ports, held, asking } = round
  try {
    if (held.outcome === 'succeeded') return await findAllOfSuccess(round)
    if (!isMadeByUs(held)) return await findRestOfPayment(round)
    return await (endsHold(held) ? findOtherEnd(round) : findLateSuccess(round))
  } catch (error) {
    ports.alert('A settled operation could not be rechecked; it is tried again.', {
      ...{ transaction: held.transactionId, operation: held.id, err: error },
    })
    asking.note('It could not be asked; the log says what failed.')
    return 'not_answered'
  }
}

/** One that was made at the gateway itself is not known there by our id. */
function isMadeByUs({ sendings }: Operation): boolean {
  return sendings > 0
}

function isAskedAgain(finding: Finding): boolean {
  return finding === 'not_proven' || finding === 'not_answered'
}

/** A late success of ours is listed, and waits for a person; else the authorisation may have ended otherwise. */
async function findOtherEnd(round: Round): Promise<Finding> {
  const late = await findLateSuccess(round)
  const { operations } = await reload(round.ports, round.sale)
  const isListed = operations.some(({ id, forPerson }) => id === round.held.id && forPerson !== null)
  return isListed ? late : allOf([late, await findRestOfPayment(round)])
}

async function findLateSuccess(round: Round): Promise<Finding> {
  const { gateway, sale, held, asking, signal } = round
  const { lookup, fence } = gateway.promises
  if (!lookup) return 'not_answered'
  const request = requestFor(sale, held)
  const isFenced = fence && (await gateway.fence(request, signal, asking.note))
  const found = storableAnswer(await gateway.lookup(request, signal, asking.note), held.id)
  if (found.kind === 'absent') return isFenced ? 'done' : 'not_proven'
  const rest = await listAllMade(round, request, found)
  switch (found.kind) {
    case 'succeeded':
      return rest
    case 'declined': // a customer may still confirm what is not blocked
      return isFenced || !fence ? rest : 'not_proven'
    case 'further_action':
    case 'unknown':
      return 'not_answered'
  }
}

/** A lookup tells of one record. All that was carried out under the operation's id is listed, each by its own reference. */
async function listAllMade(
  { ports, gateway, sale, held, asking, signal }: Round,
  request: OperationRequest,
  found: LookupOutcome,
): Promise<Finding> {
  const listed = (await gateway.listUnderId?.(request, signal, asking.note)) ?? []
  const isTold = !('kind' in listed)
  const first = found.kind === 'succeeded' ? [found] : []
  const others = isTold ? listed.map(each => storableAnswer(each, held.id)) : []
  for (const made of [...first, ...others.filter(({ gatewayRef }) => gatewayRef !== first[0]?.gatewayRef)]) {
    const current = await reload(ports, sale)
    if (!hasOwnRow(current, held, made)) await reportIfLate(ports, current, provenBy(held, made, ports.now()))
  }
  return isTold ? 'done' : 'not_answered'
}

/** A second refund that was told of with its payment is written as one that was made at the gateway itself, and listed there. */
function hasOwnRow({ operations }: Sale, { id, kind }: Operation, { gatewayRef }: Succeeded): boolean {
  const now = operations.find(each => each.id === id)
  const isIt = (each: Operation) => each.kind === kind && !isMadeByUs(each) && each.gatewayRef === gatewayRef
  return now !== undefined && isMadeTwice(now, gatewayRef) && operations.some(isIt)
}

/** What else became of the payment, and whether it was made as it is written down here. */
async function findAllOfSuccess(round: Round): Promise<Finding> {
  return allOf([await findRestOfPayment(round), await findHowMade(round)])
}

function allOf(findings: readonly Finding[]): Finding {
  const forPerson = findings.find(each => typeof each === 'object')
  return forPerson ?? (['not_answered', 'not_proven'] as const).find(each => findings.includes(each)) ?? 'done'
}

/** The gateway's word against a success that a person had settled is kept for a person in turn. */
async function findHowMade(round: Round): Promise<Finding> {
  const { ports, gateway, sale, held, asking, signal } = round
  const current = await reload(ports, sale)
  const now = current.operations.find(({ id }) => id === held.id)
  if (now?.outcome !== 'succeeded' || !isMadeByUs(now) || !gateway.promises.lookup) return 'done'
  const request = requestFor(current, now)
  const found = storableAnswer(await gateway.lookup(request, signal, asking.note), held.id)
  const rest = await listAllMade(round, request, found)
  // What was captured, released or given back since is not always told as a charge any more.
  const isFollowed = current.operations.some(({ kind, outcome }) => kind !== 'charge' && outcome === 'succeeded')
  if (now.kind === 'charge' && isFollowed && found.kind !== 'succeeded') return rest
  if (found.kind === 'succeeded' && isMadeTwice(now, found.gatewayRef)) return rest
  const contrary = contraryIn(now, found)
  if (contrary !== null) await keepContrary(ports, now, contrary)
  if (found.kind === 'unknown') return 'not_answered'
  return found.kind === 'further_action' ? 'not_proven' : rest
}

async function findRestOfPayment({ ports, gateway, sale, held, asking, signal }: Round): Promise<Finding> {
  const chargeRef = chargeRefOf(sale, held)
  // A gateway that tells nothing by itself cannot be asked for a whole payment either: reconciling finds what was done there.
  if (chargeRef === null || gateway.notices === null) {
    asking.note('The gateway cannot be asked for a whole payment.')
    return 'done'
  }
  const { merchantId, gatewayId } = held
  const payment = { chargeRef, find: async () => knownByItsIds(await reload(ports, sale)), news: null }
  const looked = await lookAtPayment(ports, { merchantId, gatewayId }, gateway, payment, signal)
  asking.note(`payment ${chargeRef} -> ${looked}`)
  if (looked === 'absent') return { forPerson: `The gateway has no payment of ours under the reference ${chargeRef}.` }
  return looked === 'done' ? 'done' : 'not_answered'
}

function chargeRefOf({ operations }: Sale, { kind, gatewayId, gatewayRef }: Operation): string | null {
  if (kind === 'charge') return gatewayRef
  const charge = operations.find(each => each.kind === 'charge' && each.outcome === 'succeeded')
  return charge?.gatewayId === gatewayId ? charge.gatewayRef : null
}

/** Where the time is over, or asking helps no more. */
function whyForPerson(finding: Finding, { kind, outcome }: Operation): string | null {
  if (typeof finding === 'object') return finding.forPerson
  if (finding !== 'not_answered') return null
  return outcome === 'not_sent'
    ? `The gateway has not answered since the ${kind} was settled as not made. Look there whether it was, then dismiss or accept it.`
    : `The gateway has not answered since the ${kind} was accepted. Look there for refunds, captures and disputes, then dismiss this.`
}
