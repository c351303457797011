// A reconciliation, for people and for programs: both sides of every difference.

import { sentencesOf } from '../core/for-person.ts'
import type { GatewayEntry } from '../core/gateway.ts'
import type { GatewayId, MerchantId } from '../core/ids.ts'
import type { LookedAt } from '../core/look-again.ts'
import { displayAmount, formatAmount } from '../core/money.ts'
import type { Reconciliation, Span } from '../core/reconcile.ts'
import {
  type Difference,
  differenceKinds,
  type OurOperation,
  ourAmountMinor,
  ourState,
  ourStates,
} from '../core/reconcile-entry.ts'
import { isoTime } from '../core/sale.ts'

export interface ReconciledAccount {
  readonly merchantId: MerchantId
  readonly id: GatewayId
  readonly type: string
}

export interface Reconciled extends ReconciledAccount {
  readonly span: Span
  readonly result: Reconciliation
  /** What was looked at again before; null: nothing was to be. */
  readonly lookedAt: readonly LookedAt[] | null
  /** Their times are the world's, and ours are not. */
  readonly clockMoved: boolean
}

const theirStates: { readonly [state in GatewayEntry['state']]: string } = {
  succeeded: 'succeeded',
  authorized: 'authorised',
  voided: 'voided',
  failed: 'failed',
  open: 'open',
}

export function asText({ id, type, span, result, lookedAt, clockMoved }: Reconciled, showsForeign: boolean): string {
  const { checked, differences, differencesLeftOut, open, foreign, foreignLeftOut } = result
  const found = differences.length + differencesLeftOut
  const foreigners = foreign.length + foreignLeftOut
  return [
    ...(clockMoved ? [clockWarning] : []),
    ...(lookedAt === null ? [] : lookedAtLines(lookedAt)),
    ...differences.flatMap(linesOf),
    ...more(differencesLeftOut, 'differences'),
    ...(showsForeign
      ? [...foreign.map(entry => `not ours: ${theirLine(entry)}`), ...more(foreignLeftOut, 'that are not ours')]
      : []),
    `Compared ${checked.theirs} of the gateway's entries with ${checked.ours} successes of ours at ${id} (${type}), from ${isoTime(span.from)} to ${isoTime(span.to)}.`,
    ...(open === 0 ? [] : [`${open} ${open === 1 ? 'is' : 'are'} still open, or changed while the list was read.`]),
    ...(foreigners === 0
      ? []
      : [
          `${foreigners} of the gateway's entries ${foreigners === 1 ? 'is' : 'are'} not ours${showsForeign ? '' : ' (--foreign shows them)'}.`,
        ]),
    found === 0 ? 'Nothing differs.' : `${found} ${found === 1 ? 'thing differs' : 'things differ'}.`,
  ].join('\n')
}

function lookedAtLines(lookedAt: readonly LookedAt[]): string[] {
  const later = lookedAt.filter(({ heard }) => heard === 'not_now')
  return [
    `Looked at ${lookedAt.length} ${lookedAt.length === 1 ? 'payment' : 'payments'} again. What still differs:`,
    ...later.map(({ chargeRef }) => `not now: ${chargeRef} cannot be followed up before something else is settled.`),
  ]
}

const clockWarning =
  'warning: the sandbox clock was moved, and the gateway dates its entries by the real time: times here and there do not compare.'

function more(count: number, what: string): string[] {
  return count === 0 ? [] : [`… and ${count} more ${what}.`]
}

function linesOf({ what, ours, theirs }: Difference): string[] {
  return [
    `${differenceKinds[what]}:`,
    `  here:  ${ours === null ? 'nothing' : ourLine(ours)}`,
    `  there: ${theirs === null ? 'nothing' : theirLine(theirs)}`,
  ]
}

function ourLine(ours: OurOperation): string {
  const { kind, operationId, transactionId, gatewayRef, currency, createdAt } = ours
  const names = [
    `operation ${operationId}`,
    `transaction ${transactionId}`,
    ...(gatewayRef === null ? [] : [gatewayRef]),
  ]
  const said = `${kind} of ${displayAmount(ourAmountMinor(ours), currency)}, ${ourStates[ourState(ours)]}, ${isoTime(createdAt)} (${names.join(', ')})`
  return [said, ...sentencesOf(ours).map(sentence => `for a person: ${sentence}`)].join('; ')
}

function theirLine({
  kind,
  gatewayRef,
  operationId,
  chargeRef,
  state,
  amountMinor,
  currency,
  at,
}: GatewayEntry): string {
  const names = [
    gatewayRef,
    ...(operationId === null ? [] : [`operation ${operationId}`]),
    ...(chargeRef === undefined ? [] : [`of ${chargeRef}`]),
  ]
  return `${kind} of ${displayAmount(amountMinor, currency)}, ${theirStates[state]}, ${isoTime(at)} (${names.join(', ')})`
}

export function asJson(
  { merchantId, id, type, span, result, lookedAt, clockMoved }: Reconciled,
  showsForeign: boolean,
): string {
  const { checked, differences, differencesLeftOut, open, foreign, foreignLeftOut } = result
  return JSON.stringify({
    merchant: merchantId,
    gateway: id,
    type,
    from: isoTime(span.from),
    to: isoTime(span.to),
    clock_moved: clockMoved,
    ...(lookedAt !== null && {
      looked_at: lookedAt.map(({ chargeRef, heard }) => ({ charge_ref: chargeRef, result: heard })),
    }),
    checked,
    differences: differences.map(({ what, ours, theirs }) => ({
      what,
      here: ours === null ? null : ourView(ours),
      there: theirs === null ? null : theirView(theirs),
    })),
    differences_left_out: differencesLeftOut,
    open,
    foreign: foreign.length + foreignLeftOut,
    ...(showsForeign && { foreign_entries: foreign.map(theirView) }),
  })
}

function ourView(ours: OurOperation) {
  return {
    kind: ours.kind,
    operation: ours.operationId,
    transaction: ours.transactionId,
    gateway_ref: ours.gatewayRef,
    state: ourState(ours),
    amount: formatAmount(ourAmountMinor(ours), ours.currency),
    currency: ours.currency,
    at: isoTime(ours.createdAt),
    for_person: ours.forPerson,
    more_for_person: ours.moreForPerson,
  }
}

function theirView({ kind, gatewayRef, operationId, chargeRef, state, amountMinor, currency, at }: GatewayEntry) {
  return {
    kind,
    operation: operationId,
    gateway_ref: gatewayRef,
    charge_ref: chargeRef ?? null,
    state,
    amount: formatAmount(amountMinor, currency),
    currency,
    at: isoTime(at),
  }
}
