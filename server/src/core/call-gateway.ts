// One operation, out to the gateway and back. The call is made outside any database transaction: a slow card network
// must not hold locks. What we lose by that (a crash between the call and the commit) the operation's row, written
// before, gives back to the sweeper.

import { askedInVain, nextAskAt } from './doubt.ts'
import type { Gateway, GatewayOutcome, LookupOutcome, OperationRequest } from './gateway.ts'
import { keptLine } from './kept-text.ts'
import { type HeldOperation, type Operation, provenBy } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'
import { type Learned, reload, settle } from './settle.ts'
import { storableAnswer } from './storable-answer.ts'

/** After this the outcome is in doubt, and the caller is told so. */
export const gatewayTimeoutMs = 30_000
/** What a commit may take, a restart of the database in between included. */
export const commitMs = 15_000
/** The call's limit and what the commit after it may take. When it has passed, another process may take over. */
export const operationLeaseMs = gatewayTimeoutMs + commitMs
/** Longer than one ask takes in the worst case, with loading and committing at a busy database around it. */
export const longestLeaseMs = 2 * operationLeaseMs

/** As it was stored with the row, so that a repetition is identical; while the row is made, and of an older release, as things are now. */
export function requestFor(sale: Sale, operation: Operation): OperationRequest {
  const { id, transactionId, amountMinor, currency } = operation
  const common = { id, transactionId, amountMinor, currency }
  if (operation.request !== null) return { ...common, kind: operation.kind, ...operation.request } as OperationRequest
  if (operation.kind === 'charge') {
    const cardRef = operation.cardRef ?? sale.card?.cardRef
    if (cardRef === undefined) throw new Error(`transaction ${transactionId} has no card to charge`)
    return { ...common, kind: 'charge', cardRef, capture: !sale.transaction.authorizationOnly }
  }
  const charge = sale.operations.find(({ kind, outcome }) => kind === 'charge' && outcome === 'succeeded')
  if (charge?.gatewayRef == null) throw new Error(`transaction ${transactionId} has no charge to ${operation.kind}`)
  return { ...common, kind: operation.kind, chargeId: charge.id, chargeRef: charge.gatewayRef }
}

/** Begun before the commit that allows the call: a process that is stopped in between then knows that it is late. */
export function gatewayDeadline(): AbortSignal {
  return AbortSignal.timeout(gatewayTimeoutMs)
}

/** Sends the operation, whose sending is already counted, and settles what comes back. Too late, it is left to the sweeper. */
export async function sendAndSettle(
  ports: Ports,
  gateway: Gateway,
  sale: Sale,
  held: HeldOperation,
  deadline: AbortSignal,
): Promise<Settled> {
  if (deadline.aborted) return { sale: await reload(ports, sale) }
  const outcome = await gateway.send(requestFor(sale, held), deadline)
  return settled(ports, sale, held, learnedFrom(ports, gateway, held, outcome), outcome)
}

/** The sale as it then stands. */
export interface Settled {
  readonly sale: Sale
  /** How long a gateway that takes no more requests asked to be left alone: told to who asked, and kept nowhere. */
  readonly busyForMs?: number
}

export async function settled(
  ports: Ports,
  sale: Sale,
  held: HeldOperation,
  learned: Learned,
  outcome: GatewayOutcome,
): Promise<Settled> {
  const after = await settle(ports, sale, held, learned)
  const isBusy = outcome.kind === 'not_sent' && outcome.code === 'gateway_busy' && outcome.retryAfterMs !== undefined
  return { sale: after, ...(isBusy && { busyForMs: outcome.retryAfterMs }) }
}

export function learnedFrom(
  ports: Ports,
  gateway: Pick<Gateway, 'promises'>,
  held: HeldOperation,
  answer: GatewayOutcome | LookupOutcome,
): Learned {
  const now = ports.now()
  const outcome = storableAnswer(answer, held.id)
  const leftAloneMs = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0
  const operation = followed(storable(provenBy(held, outcome, now)), gateway, now, leftAloneMs)
  if (operation.forPerson !== null) {
    ports.alert(operation.forPerson, { transaction: held.transactionId, operation: held.id })
  }
  if (outcome.kind === 'not_sent') ports.notSent(operation, outcome.code)
  return {
    operation,
    feeMinor: outcome.kind === 'succeeded' ? outcome.feeMinor : null,
    customerMustAct: outcome.kind === 'further_action',
    reportsSuccess: outcome.kind === 'succeeded',
    ifNotMade: outcome.kind === 'not_sent' ? outcome.code : 'gateway_not_reached',
  }
}

const causeCharsMax = 500

/** A cause may quote what a gateway sent; a character that the database refuses must not keep a proof from being written. */
function storable(operation: Operation): Operation {
  return operation.cause === null ? operation : { ...operation, cause: keptLine(operation.cause, causeCharsMax) }
}

/** With the time of its next ask, or left to a person when it was asked for long enough. */
function followed(operation: Operation, gateway: Pick<Gateway, 'promises'>, now: Date, leftAloneMs: number): Operation {
  if (operation.settledAt !== null || operation.forPerson !== null) return { ...operation, nextAskAt: null }
  const at = nextAskAt(operation, gateway.promises, now, leftAloneMs)
  return { ...operation, nextAskAt: at, ...(at === null && { forPerson: askedInVain }) }
}
