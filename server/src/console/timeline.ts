// The story of a transaction, oldest first. What has the same time is told in the order of causes: what was asked, what was
// answered, what that made of the transaction, who was told. A change of status is dated by the database, whose clock the
// sandbox does not move: it takes the time of what caused it, or of what it owed, wherever there is one.

import { formatAmount } from '../core/money.ts'
import { isOpen, type Operation } from '../core/operation.ts'
import { isoTime } from '../core/sale.ts'
import type { AskedBefore, SaleHistory, StatusChange, ToldEvent } from '../core/sale-history.ts'
import { shownResponse, whyNotAccepted } from '../core/shown-delivery.ts'
import type { Moment, OperationBegun, PreSaleAsked } from './contract/transactions.ts'

/** A moment before its time is written as text. */
type Timed = Dated<Moment>
type Dated<Kind> = Kind extends Moment ? Omit<Kind, 'at'> & { readonly at: Date } : never

export function timelineOf(history: SaleHistory): Moment[] {
  const { sale, letters, preSale, mails } = history
  const { transaction, disputes } = sale
  const changes = datedChanges(history)
  const told = new Set<ToldEvent>()
  const tell = (change: DatedChange) => toldBy(history, change, told)
  // In the order of causes: the sort below keeps it where times are equal.
  const moments: Timed[] = [
    ...letters.map(({ id, receivedAt, sender, isProven }) => ({
      ...{ kind: 'letter' as const, at: receivedAt, letter: id, from: sender, proven: isProven },
    })),
    created(history),
    ...changes.filter(({ cause, toStatus }) => cause === null && toStatus !== 'Failed').flatMap(tell),
    ...preSale.map(asked => preSaleMoment(asked, transaction.status === 'Processing')),
    ...sale.operations.flatMap(operation => [
      ...momentsOf(operation, history),
      ...changes.filter(({ cause }) => cause === operation).flatMap(tell),
    ]),
    ...changes.filter(({ cause, toStatus }) => cause === null && toStatus === 'Failed').flatMap(tell),
    ...disputes.map(({ status, amountMinor, currency, reason, openedAt }) => ({
      ...{ kind: 'dispute' as const, at: openedAt, status, amount: formatAmount(amountMinor, currency), reason },
    })),
    ...history.events
      .filter(event => !told.has(event) && isWorthTelling(event))
      .map(event => notification(event, event.at)),
    ...mails.map(({ letterId, kind, state, createdAt, cause }) => ({
      ...{ kind: 'mail' as const, at: createdAt, letter: letterId, mail: kind, state, cause },
    })),
    ...(transaction.actionExpiresAt === null ? [] : [{ kind: 'expires' as const, at: transaction.actionExpiresAt }]),
  ]
  return moments
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ at, ...said }) => ({ ...said, at: isoTime(at) }) as Moment)
}

function created({ sale, letters }: SaleHistory): Timed {
  const { transaction, customer } = sale
  const { createdAt, source, entered, amountMinor, currency, quantity, authorizationOnly } = transaction
  const byWeb = entered !== null ? 'page' : customer.email === null ? 'web' : 'rest'
  return {
    kind: 'created',
    at: createdAt,
    way: source === 'Email Transaction' || letters.length > 0 ? 'mail' : byWeb,
    amount: formatAmount(amountMinor, currency),
    quantity,
    authorization_only: authorizationOnly,
  }
}

const excerptChars = 300

function preSaleMoment(asked: AskedBefore, isProcessing: boolean): Timed {
  const { id, url, recordedAt, status, durationMs, answer } = asked
  return {
    kind: 'pre_sale',
    at: recordedAt,
    delivery: id,
    url,
    state: preSaleState(asked, isProcessing),
    status,
    duration_ms: durationMs,
    reason: whyNotAccepted(asked),
    response: shownResponse({ status, response: answer })?.slice(0, excerptChars) ?? null,
  }
}

/** A status of 5xx is an endpoint in trouble, and says nothing about the sale. */
function preSaleState({ answeredAt, status }: AskedBefore, isProcessing: boolean): PreSaleAsked['state'] {
  if (answeredAt === null && isProcessing) return 'pending'
  if (status === null || status >= 500) return 'no_answer'
  return status >= 200 && status <= 299 ? 'let_through' : 'stopped'
}

function momentsOf(operation: Operation, { asks, resolutions }: SaleHistory): Timed[] {
  const { id, kind, amountMinor, currency, gatewayId } = operation
  const of = { operation: id, what: kind, amount: formatAmount(amountMinor, currency) }
  const { refundedBy: by, refundedReason: reason } = operation
  return [
    {
      kind: 'operation_begun',
      at: operation.createdAt,
      ...of,
      gateway: gatewayId,
      by,
      reason,
      open: stillOpen(operation),
    },
    ...asks
      .filter(({ operationId }) => operationId === id)
      .map(({ at, number, step, heard }) => ({ kind: 'asked_again' as const, at, ...of, number, step, heard })),
    ...resolutions
      .filter(({ operationId }) => operationId === id)
      .map(({ at, verdict, by, note }) => ({ kind: 'resolved' as const, at, ...of, verdict, by, note })),
    ...ended(operation).map(end => ({ ...end, ...of })),
  ]
}

function stillOpen(operation: Operation): OperationBegun['open'] {
  if (!isOpen(operation) && operation.forPerson === null) return null
  const { outcome, cause, forPerson, moreForPerson, nextAskAt } = operation
  const next = nextAskAt === null ? null : isoTime(nextAskAt)
  return {
    outcome: outcome === 'pending' ? 'pending' : 'unknown',
    heard: cause,
    for_person: forPerson,
    more_for_person: moreForPerson,
    next_ask_at: next,
  }
}

/** Its end, if it has come to one. */
function ended({ outcome, settledAt, declineCode, notSentCode, gatewayId, gatewayRef }: Operation) {
  if (settledAt === null || outcome === 'pending' || outcome === 'unknown') return []
  const code = declineCode ?? notSentCode
  return [
    { kind: 'operation_ended' as const, at: settledAt, outcome, code, gateway: gatewayId, gateway_ref: gatewayRef },
  ]
}

interface DatedChange extends StatusChange {
  /** What was asked of a gateway and led to it; null: nothing was. */
  readonly cause: Operation | null
}

/** Each no earlier than the one before it. */
function datedChanges(history: SaleHistory): DatedChange[] {
  const { sale, events, changes } = history
  const spent = new Set<Operation>()
  let notBefore = sale.transaction.createdAt
  return changes.map(change => {
    const cause = causeOf(change, sale.operations, spent)
    if (cause !== null) spent.add(cause)
    const owed = events.find(({ version }) => version === change.version)
    const at = latest([
      notBefore,
      owed?.at ?? cause?.settledAt ?? beganAt(history, change, notBefore),
      cause?.settledAt ?? notBefore,
    ])
    notBefore = at
    return { ...change, at, cause }
  })
}

/** What goes on again does so before anything is asked; what else has no cause, when the database says. */
function beganAt({ sale, preSale }: SaleHistory, { toStatus, at }: StatusChange, notBefore: Date): Date {
  if (toStatus !== 'Processing') return latest([at, ...preSale.flatMap(({ answeredAt }) => answeredAt ?? [])])
  const begun = [...sale.operations.map(({ createdAt }) => createdAt), ...preSale.map(({ recordedAt }) => recordedAt)]
  const next = begun.filter(each => each >= notBefore)
  return next.length === 0 ? at : new Date(Math.min(...next.map(Number)))
}

function latest(times: readonly Date[]): Date {
  return new Date(Math.max(...times.map(Number)))
}

/** Each operation leads to one change at most, in the order in which they ended. */
function causeOf(
  change: StatusChange,
  operations: readonly Operation[],
  spent: ReadonlySet<Operation>,
): Operation | null {
  const { kind, hasSucceeded } = causeWanted(change)
  const fitting = operations.filter(each => {
    if (each.kind !== kind || spent.has(each)) return false
    if (hasSucceeded === null) return isOpen(each)
    return each.settledAt !== null && (each.outcome === 'succeeded') === hasSucceeded
  })
  const inOrder = fitting.toSorted((a, b) => Number(a.settledAt) - Number(b.settledAt))
  return (hasSucceeded === false ? inOrder.at(-1) : inOrder[0]) ?? null
}

function causeWanted({ fromStatus, toStatus }: StatusChange) {
  if (toStatus === 'Voided') return { kind: 'void', hasSucceeded: true }
  if (toStatus === 'Failed') return { kind: 'charge', hasSucceeded: false }
  if (fromStatus === 'Authorized') return { kind: 'capture', hasSucceeded: true }
  if (['Successful', 'Partially Refunded', 'Refunded'].includes(fromStatus))
    return { kind: 'refund', hasSucceeded: true }
  if (toStatus === 'Successful' || toStatus === 'Authorized') return { kind: 'charge', hasSucceeded: true }
  return { kind: null, hasSucceeded: null }
}

/** The change, and what it owed. */
function toldBy({ sale, events }: SaleHistory, change: DatedChange, told: Set<ToldEvent>): Timed[] {
  const { failure, status } = sale.transaction
  const stands = change.toStatus === 'Failed' && status === 'Failed'
  const owed = events.filter(({ version }) => version === change.version)
  for (const event of owed) told.add(event)
  return [
    {
      kind: 'status',
      at: change.at,
      from: change.fromStatus,
      to: change.toStatus,
      error_code: stands ? (failure?.code ?? null) : null,
      sentence: stands ? (failure?.sentence ?? null) : null,
    },
    ...owed.map(event => notification(event, latest([event.at, change.at]))),
  ]
}

/** Updates are for those who asked for them. */
function isWorthTelling({ kind, deliveries }: ToldEvent): boolean {
  return kind !== 'update' || deliveries.length > 0
}

function notification({ kind, type, deliveries }: ToldEvent, at: Date): Timed {
  return {
    kind: 'notification',
    at,
    notification: kind,
    type,
    deliveries: deliveries.map(({ id, url, state, attempts, nextAttemptAt, made }) => ({
      ...{ id, url, state, attempts },
      next_attempt_at: nextAttemptAt === null ? null : isoTime(nextAttemptAt),
      made: made.map(({ number, at: madeAt, status, durationMs, reason, resend }) => ({
        ...{ number, at: isoTime(madeAt), status, duration_ms: durationMs, reason, resend },
      })),
    })),
  }
}
