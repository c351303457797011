// What the audit holds a transaction's changes against: the interface's own table of what each change owes, written down
// once more and apart from the code that makes notifications. Each fault is one sentence.

import type { EventKind } from '../hook-details.ts'
import { preSaleVerdict, saidYes } from '../pre-sale.ts'
import type { PreSaleResult, TransactionStatus } from '../transaction.ts'

export interface NotedChange {
  readonly version: number
  readonly from: TransactionStatus
  readonly to: TransactionStatus
}

export interface NotedEvent {
  readonly id: string
  readonly kind: EventKind
  readonly type: string
  /** The version of the change that owes it; null: none does. */
  readonly version: number | null
}

export interface ChangedTransaction {
  readonly id: string
  readonly status: TransactionStatus
  /** From before changes were written down: what it has been through is not known. */
  readonly old: boolean
  readonly changes: readonly NotedChange[]
  readonly events: readonly NotedEvent[]
  readonly preSale: PreSaleResult
  /** What each Pre-Sale endpoint answered. */
  readonly preSaleStatuses: readonly (number | null)[]
  /** Refunds that stand, and those that a bank sent back after they had succeeded. */
  readonly refunds: number
  readonly refundsReturned: number
  /** How often a dispute was opened, or changed. */
  readonly disputeChanges: number
}

export function faultsOfChanges(transaction: ChangedTransaction): string[] {
  return [
    ...chainFaults(transaction),
    ...transaction.changes.flatMap(change => owedFaults(transaction, change)),
    ...strayFaults(transaction),
    ...updateFaults(transaction),
    ...preSaleFaults(transaction),
  ]
}

/** Each change begins where the one before ended, the first with the transaction, and the last is how it stands. */
function chainFaults({ status, old, changes }: ChangedTransaction): string[] {
  const faults: string[] = []
  let at: TransactionStatus | null = old ? null : 'Processing'
  for (const { version, from, to } of changes) {
    if (at !== null && from !== at)
      faults.push(`was ${at}, and the change to version ${version} says it was ${from} before.`)
    at = to
  }
  if (at !== null && status !== at) faults.push(`is ${status}, and by its changes it is ${at}.`)
  return faults
}

const paid: readonly TransactionStatus[] = ['Successful', 'Partially Refunded', 'Refunded']

/** Among the paid states a change only says what refunds come to: those are told as updates. */
export function owedBy({ from, to }: NotedChange): EventKind | null {
  if (to === 'Failed') return 'error'
  if (to === 'Further Action Required') return 'far'
  if (to === 'Authorized') return 'transaction'
  return to === 'Successful' && !paid.includes(from) ? 'transaction' : null
}

function owedFaults(transaction: ChangedTransaction, change: NotedChange): string[] {
  const owed = isUntold(transaction, change) ? null : owedBy(change)
  const has = transaction.events.filter(({ version }) => version === change.version).map(({ kind }) => kind)
  if (has.join() === (owed ?? '')) return []
  const told = has.length === 0 ? 'no notification' : has.join(' and ')
  return [`became ${change.to} with version ${change.version}, which owes ${owed ?? 'nothing'}, and has ${told}.`]
}

/** Where Pre-Sale stopped it and nobody had consented, there is nothing to release, and the merchant knows. */
function isUntold({ preSale, preSaleStatuses }: ChangedTransaction, { to }: NotedChange): boolean {
  return to === 'Failed' && preSale === 'stopped' && !preSaleStatuses.some(status => saidYes({ status }))
}

function strayFaults({ old, changes, events }: ChangedTransaction): string[] {
  const known = new Set(changes.map(({ version }) => version))
  const isStray = ({ kind, version }: NotedEvent) =>
    version === null ? kind !== 'update' && !old : !known.has(version)
  return events.filter(isStray).map(({ id, kind }) => `has the ${kind} event ${id}, and no change that owes it.`)
}

function updateFaults(transaction: ChangedTransaction): string[] {
  const { old, changes, events, refunds, refundsReturned, disputeChanges } = transaction
  if (old) return []
  const told = (type: string) => events.filter(event => event.kind === 'update' && event.type === type)
  const voids = changes.filter(({ to }) => to === 'Voided').length
  const wrong = (type: string, owed: number) => {
    const has = told(type).length
    return has === owed ? [] : [`owes ${owed} ${type} updates, and has ${has}.`]
  }
  return [
    ...wrong('refund', refunds + 2 * refundsReturned), // one when it went, one when it came back
    ...wrong('void', voids),
    ...wrong('dispute', disputeChanges),
  ]
}

/** What became of the question must follow from the answers; one that ended in a crash has none. */
function preSaleFaults({ status, preSale, preSaleStatuses }: ChangedTransaction): string[] {
  if (preSale === 'asked') return status === 'Processing' ? [] : [`is ${status}, and Pre-Sale was never decided.`]
  const follows =
    preSaleStatuses.length === 0 ? 'not_asked' : preSaleVerdict(preSaleStatuses.map(given => ({ status: given })))
  return preSale === follows ? [] : [`says of Pre-Sale "${preSale}", and its answers say "${follows}".`]
}

const typesOf: { readonly [kind in EventKind]: readonly string[] } = {
  transaction: ['success'],
  far: ['far'],
  error: ['error'],
  update: ['refund', 'void', 'dispute'],
}

export function typeFits({ kind, type }: Pick<NotedEvent, 'kind' | 'type'>): boolean {
  return typesOf[kind].includes(type)
}
