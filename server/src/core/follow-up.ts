// Refund, capture, void: what is asked of a gateway about a charge it has made. Each goes the way of a charge: the row
// before the call, the outcome and its event in one commit. A refund reserves its money in the first commit.

import { type Answer, followUpAnswer, refusal } from './answer.ts'
import { commitMs, gatewayDeadline, operationLeaseMs, sendAndSettle } from './call-gateway.ts'
import type { Gateway } from './gateway.ts'
import type { MerchantId, TransactionId } from './ids.ts'
import { formatAmount, parseAmount } from './money.ts'
import { held, newOperation, prepared } from './new-operation.ts'
import { isOpen, type Operation } from './operation.ts'
import type { Ports, Repetition, Reply } from './ports.ts'
import { earlierReply, refuseOrRepeat, replyWith, stillProcessing } from './repetition.ts'
import { type Sale, withOperation } from './sale.ts'
import { refundableMinor, refundReserved, type Transaction, type TransactionStatus } from './transaction.ts'
import { createTurns, inTurnWithin } from './turns.ts'

export interface FollowUpCommand {
  readonly merchantId: MerchantId
  readonly transactionId: TransactionId | null
  readonly kind: 'refund' | 'capture' | 'void'
  /** Decimal text; null: all there is. A void always releases all. */
  readonly amount: string | null
  readonly refundedBy: string | null
  readonly refundedReason: string | null
  readonly repetition: Repetition | null
}

/**
 * Another process, or an outcome that is written meanwhile, may be faster, and it is decided anew on how it stands then. More often
 * than anybody can be in the time that a client waits, and bounded: what would try for ever would do so long after its client has
 * gone, and be carried out then.
 */
const triesMax = 300

/** A bound where a process is allowed very many requests at once; those that gave up still count until their turn comes. */
const waitingMax = 256

/**
 * Of those that come at once for one payment only one can commit what it has read: the others would load the whole sale in vain, each
 * time anew. The gateway is called when the turn is over, so a slow one keeps nobody waiting.
 */
const turns = createTurns(1, waitingMax)

export async function followUp(ports: Ports, command: FollowUpCommand): Promise<Reply> {
  const { merchantId, transactionId, repetition } = command
  const begun = await inTurnWithin(turns, `${merchantId} ${transactionId}`, commitMs, () => begin(ports, command))
  if (begun === null) return refuseOrRepeat(ports, merchantId, repetition, changedByOthers)
  return 'status' in begun ? begun : carryOut(ports, begun)
}

const changedByOthers = refusal(409, {
  transaction: 'transaction is being changed by others. Nothing was done: ask again.',
})

async function begin(ports: Ports, command: FollowUpCommand): Promise<Reply | Begun> {
  const { merchantId, transactionId, repetition } = command
  for (let tries = 0; tries < triesMax; tries++) {
    const earlier = await earlierReply(ports, merchantId, repetition)
    if (earlier !== null) return earlier
    const sale = transactionId === null ? null : await ports.store.load(merchantId, transactionId)
    if (sale === null) return replyWith(refusal(404, { transaction: 'transaction is not known.' }))
    const amount = amountFor(sale, command)
    if (typeof amount !== 'bigint') return refuseOrRepeat(ports, merchantId, repetition, amount)
    const begun = await beginWith(ports, command, sale, amount)
    if (begun !== 'again') return begun
  }
  return replyWith(changedByOthers)
}

/**
 * Every record of a payment carries all of its refunds, so there must be an end to them. The last that can be asked for takes all
 * that is left: to refuse it would lock the rest in. What a gateway reports is written whatever the number. Those that failed are in
 * no record, but are read with each: they have a limit of their own.
 */
const refundsMax = 100
/** A program that asks again and again while the gateway is away must not lock the payment soon; a record with as many takes 50 ms to read. */
const failedRefundsMax = 1_000

/** `failed`: those that this service sent. What a gateway reports of its own is no try. */
function countRefunds(operations: readonly Operation[]): { readonly standing: number; readonly failed: number } {
  const refunds = operations.filter(({ kind }) => kind === 'refund')
  const standing = refunds.filter(each => isOpen(each) || each.outcome === 'succeeded')
  const failed = refunds.filter(({ outcome, sendings }) => isFailed(outcome) && sendings > 0)
  return { standing: standing.length, failed: failed.length }
}

const isFailed = (outcome: Operation['outcome']) => outcome === 'declined' || outcome === 'not_sent'
const failedTooOften = `The payment already has ${failedRefundsMax} refunds that were declined or not sent. Make this refund at the gateway itself.`

/** How much to move, or why not. */
function amountFor({ transaction, operations }: Sale, command: FollowUpCommand): bigint | Answer {
  const { kind } = command
  const wrongState = stateRefusal(transaction, kind)
  if (wrongState !== null) return refusal(409, { transaction: `transaction ${wrongState}` })
  if (kind === 'refund' && operations.some(isListedRefund))
    return refusal(409, { transaction: `transaction ${mayBeMade}` })
  const refunds = countRefunds(operations)
  if (kind === 'refund' && refunds.failed >= failedRefundsMax) return refusal(422, { general: failedTooOften })
  const availableMinor = kind === 'refund' ? refundableMinor(transaction) : transaction.heldMinor
  if (kind === 'refund' && availableMinor === 0n) {
    return refusal(409, { transaction: 'transaction has nothing left to refund: refunds of all of it are under way.' })
  }
  if (command.amount === null || kind === 'void') return availableMinor
  const parsed = parseAmount(command.amount, transaction.currency)
  if ('wrong' in parsed) return refusal(422, { amount: `amount ${parsed.wrong}` })
  if (parsed.amountMinor > availableMinor) {
    const left = formatAmount(availableMinor, transaction.currency)
    const says =
      kind === 'refund'
        ? `is more than what can still be refunded (${left}).`
        : `is more than what is authorised (${left}).`
    return refusal(422, { amount: `amount ${says}` })
  }
  if (kind === 'refund' && parsed.amountMinor < availableMinor) {
    const left = formatAmount(availableMinor, transaction.currency)
    const says = `must be all that is left (${left}): the transaction already has ${refunds.standing} refunds.`
    if (refunds.standing >= refundsMax - 1) return refusal(422, { amount: `amount ${says}` })
  }
  return parsed.amountMinor
}

const mayBeMade =
  'has a refund that may have been made although it is not written down. Settle it first (tillbell doubt).'

/** It was settled as not made, and its gateway has said otherwise since. */
function isListedRefund({ kind, outcome, forPerson }: Operation): boolean {
  return kind === 'refund' && forPerson !== null && isFailed(outcome)
}

function stateRefusal({ status }: Transaction, kind: FollowUpCommand['kind']): string | null {
  if (fitsStatus(status, kind)) return null
  const done = { refund: 'refunded', capture: 'captured', void: 'voided' }[kind]
  return `is ${status}, so it cannot be ${done}.`
}

function fitsStatus(status: TransactionStatus, kind: FollowUpCommand['kind']): boolean {
  return kind === 'refund' ? status === 'Successful' || status === 'Partially Refunded' : status === 'Authorized'
}

/** How much of each could be asked for now; 0: none. What is being captured or voided cannot be once more. */
export function possibleMinor({ transaction, operations }: Sale): {
  readonly [kind in FollowUpCommand['kind']]: bigint
} {
  const { status, heldMinor } = transaction
  const isTaken = operations.some(each => isOpen(each) && (each.kind === 'capture' || each.kind === 'void'))
  const releasableMinor = fitsStatus(status, 'void') && !isTaken ? heldMinor : 0n
  const isRefundable = fitsStatus(status, 'refund') && !operations.some(isListedRefund)
  const mayRefund = isRefundable && countRefunds(operations).failed < failedRefundsMax
  const refundMinor = mayRefund ? refundableMinor(transaction) : 0n
  return { refund: refundMinor, capture: releasableMinor, void: releasableMinor }
}

/** Committed, and to be sent to its gateway. */
interface Begun {
  readonly sale: Sale
  readonly operation: Operation
  readonly gateway: Gateway
  readonly deadline: AbortSignal
}

async function beginWith(
  ports: Ports,
  command: FollowUpCommand,
  sale: Sale,
  amountMinor: bigint,
): Promise<Reply | Begun | 'again'> {
  const { kind, repetition, refundedBy, refundedReason } = command
  const before = sale.transaction
  const { merchantId, id: transactionId, gatewayId, currency } = before
  const gateway = await ports.openGateway(merchantId, gatewayId)
  const facts = { merchantId, transactionId, gatewayId, cardRef: null, currency, kind, amountMinor }
  const operation = prepared(gateway, sale, newOperation(ports, { ...facts, refundedBy, refundedReason }))
  const after = kind === 'refund' ? refundReserved(before, amountMinor) : before
  const begins = { operation, leaseMs: operationLeaseMs, repetition }
  const deadline = gatewayDeadline()
  const committed = await ports.store.commit({ before, after, begins })
  if (committed === 'operation_open') {
    const open = refusal(409, { transaction: 'transaction has a capture or void under way.' })
    return refuseOrRepeat(ports, merchantId, repetition, open)
  }
  if (committed === 'repeated') return refuseOrRepeat(ports, merchantId, repetition, stillProcessing)
  if (committed !== 'committed') return 'again'
  const begun = withOperation({ ...sale, transaction: { ...after, version: after.version + 1 } }, operation)
  return { sale: begun, operation, gateway, deadline }
}

async function carryOut(ports: Ports, { sale, operation, gateway, deadline }: Begun): Promise<Reply> {
  const settled = await sendAndSettle(ports, gateway, sale, held(operation), deadline)
  const answer = followUpAnswer(settled.sale, operationIn(settled.sale, operation), ports.service)
  return replyWith(answer, settled.busyForMs)
}

function operationIn(sale: Sale, { id }: Operation): Operation {
  const operation = sale.operations.find(other => other.id === id)
  if (operation === undefined) throw new Error(`operation ${id} is gone`)
  return operation
}
