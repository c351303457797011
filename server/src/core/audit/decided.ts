// What the audit holds a person's decisions against: how the operation ended that they settled, and what became of the
// transaction. Each fault is one sentence.

import type { OperationKind } from '../gateway.ts'
import type { OperationOutcome } from '../operation.ts'
import type { Resolution } from '../ports.ts'
import type { NotedChange } from './owed.ts'

export interface DecidedOperation {
  readonly id: string
  readonly kind: OperationKind
  readonly outcome: OperationOutcome
  /** Whether the last verdict came after it was settled. */
  readonly isSettledBefore: boolean
  /** Oldest first. */
  readonly verdicts: readonly Resolution['verdict'][]
}

export interface DecidedTransaction {
  readonly changes: readonly NotedChange[]
  readonly operations: readonly DecidedOperation[]
}

export function faultsOfDecisions({ changes, operations }: DecidedTransaction): string[] {
  return [...acceptanceFaults(changes, operations), ...operations.flatMap(outcomeFaults)]
}

/** Only a person's word leads on from Failed. */
function acceptanceFaults(changes: readonly NotedChange[], operations: readonly DecidedOperation[]): string[] {
  const accepted = operations.some(({ kind, verdicts }) => kind === 'charge' && verdicts.includes('succeeded'))
  return changes
    .filter(({ from }) => from === 'Failed' && !accepted)
    .map(({ to, version }) => `became ${to} with version ${version} after it had failed, and nobody accepted that.`)
}

const outcomesAfter: { readonly [verdict in Resolution['verdict']]: readonly OperationOutcome[] } = {
  succeeded: ['succeeded'],
  not_made: ['not_sent'],
  dismissed: ['not_sent', 'declined'],
}

/** The last word counts. A bank may send back a refund that had succeeded. */
function outcomeFaults({ id, kind, outcome, verdicts, isSettledBefore }: DecidedOperation): string[] {
  const last = verdicts.at(-1)
  const isReturned = kind === 'refund' && last === 'succeeded' && outcome === 'declined'
  // What was said against a success was dismissed: it stands, whether a person had settled it so or the gateway.
  const isConfirmed = last === 'dismissed' && outcome === 'succeeded' && isSettledBefore
  // The gateway reported it since: an authorisation ends as the gateway says, whatever a person had said before.
  const isMadeAfterAll =
    (kind === 'capture' || kind === 'void') && last !== 'succeeded' && outcome === 'succeeded' && !isSettledBefore
  if (last === undefined || isReturned || isConfirmed || isMadeAfterAll || outcomesAfter[last].includes(outcome))
    return []
  return [`has the ${kind} ${id}, which a person settled as ${last}, and it is ${outcome}.`]
}
