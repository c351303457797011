// A success that turned up after its operation was settled as not made. A person accepts it, and the transaction follows
// where its state allows; or dismisses it, because the money was given back by hand. What is said of a success that is written
// down already can only be dismissed.

import { withoutSentence, withReplaced } from './for-person.ts'
import { usesOf } from './go-on.ts'
import { displayAmount } from './money.ts'
import { withUnitsTaken } from './offer.ts'
import { type Operation, settled } from './operation.ts'
import type { Change, Resolution, TokenUse } from './ports.ts'
import { type Decision, type Resolved, type ResolvePorts, refused, resolutionOf } from './resolution.ts'
import { type Sale, withOperation } from './sale.ts'
import { bookedEnd, eventFor } from './settle.ts'
import {
  captureSucceeded,
  chargeSucceeded,
  refundableMinor,
  refundReserved,
  refundSucceeded,
  type Transaction,
  voidSucceeded,
} from './transaction.ts'

export async function acceptLate(
  ports: ResolvePorts,
  sale: Sale,
  late: Operation,
  decision: Decision,
): Promise<Resolved | 'again'> {
  const before = sale.operations.find(({ id }) => id === late.id) ?? late
  const resolution = resolutionOf(ports, late, decision)
  if (decision.verdict === 'dismissed') {
    // What a person has seen to there may not be all: the gateway is asked once more, and what else it says is listed.
    const operation = { ...before, ...withoutSentence(before, decision.answers ?? ''), nextAskAt: ports.now() }
    return unlist(ports, sale, { before, operation }, resolution)
  }
  const booked = bookedEnd(sale, late)
  if (booked !== null)
    return refused(`This ${late.kind} is written down already, as operation ${booked.id}. Dismiss it.`)
  const transaction = afterLate(sale.transaction, late)
  if (typeof transaction === 'string') return refused(transaction)
  const uses = late.kind === 'charge' ? usesOf(transaction.tokenSha256, sale.customer) : []
  const twice = await usedMeanwhile(ports, sale, uses)
  const decided = `Accepted by ${decision.by} after it was settled as ${before.outcome}.`
  const cause = twice === null ? decided : `${decided} ${twice}`
  const ended = settled(late, 'succeeded', ports.now(), { declineCode: null, notSentCode: null, cause })
  const accepted = { ...ended, ...withReplaced(ended, ended, before.gatewayRef) }
  // What the gateway said about the payment meanwhile was not written down: it is asked for all of it again.
  const operation = { ...accepted, nextAskAt: ports.now() }
  const after = withOperation({ ...sale, transaction, offer: offerAfter(sale, late) }, operation)
  const event = eventFor(ports, after, operation, transaction.status !== sale.transaction.status)
  const units = unitsGivenBack(transaction, late)
  const change = {
    before: sale.transaction,
    after: transaction,
    revises: { before, operation },
    resolution,
    ...(event !== null && { event }),
    ...(units !== 0 && { givesBackUnits: units }),
    ...(uses.length > 0 && { takesTokenAgain: uses }),
  }
  const resolved = await commit(ports, after, change, operation)
  const isAccepted = resolved !== 'again' && resolved.kind === 'resolved'
  if (twice !== null && isAccepted) ports.alert(twice, { transaction: transaction.id, operation: operation.id })
  return resolved
}

/** No money moves. */
async function unlist(
  ports: ResolvePorts,
  sale: Sale,
  revises: NonNullable<Change['revises']>,
  resolution: Resolution,
): Promise<Resolved | 'again'> {
  const { transaction } = sale
  const { kind, forPerson } = revises.operation
  const staysOver = kind === 'charge' && forPerson === null && ['Failed', 'Voided'].includes(transaction.status)
  const change: Change = {
    ...{ before: transaction, after: transaction, revises, resolution },
    ...(staysOver && { givesTokenBack: true }),
  }
  return commit(ports, withOperation(sale, revises.operation), change, revises.operation)
}

/** The money was taken, so it is accepted all the same; who paid with the token meanwhile keeps its use. Null: nobody did. */
async function usedMeanwhile(ports: ResolvePorts, sale: Sale, uses: readonly TokenUse[]): Promise<string | null> {
  for (const use of uses) {
    const user = await ports.findTokenUser(sale.transaction.merchantId, use)
    if (user !== null && user !== sale.transaction.id) return `Its token was used by transaction ${user} meanwhile.`
  }
  return null
}

async function commit(
  ports: ResolvePorts,
  sale: Sale,
  change: Change,
  operation: Operation,
): Promise<Resolved | 'again'> {
  const committed = await ports.store.commit(change)
  if (committed === 'committed') return { kind: 'resolved', sale, operation }
  return committed === 'operation_open' ? refused('Another capture or void of it is under way.') : 'again'
}

const putRight = 'Put it right at the gateway, then dismiss it.'

/** The transaction with what turned out to be done; or why it cannot be any more. */
function afterLate(transaction: Transaction, late: Operation): Transaction | string {
  const { kind, amountMinor, gatewayId } = late
  const { status, currency } = transaction
  switch (kind) {
    case 'charge':
      // Another gateway may have been tried since.
      if (status === 'Failed') return { ...chargeSucceeded(transaction, null), gatewayId }
      return `The transaction is ${status} without this charge. ${putRight}`
    case 'capture':
    case 'void':
      if (status !== 'Authorized') return `The transaction is ${status}, so this ${kind} cannot count. ${putRight}`
      return kind === 'capture' ? captureSucceeded(transaction, amountMinor, null) : voidSucceeded(transaction)
    case 'refund': {
      if (late.currency !== currency)
        return `This refund is in ${late.currency}, and the payment is in ${currency}. ${putRight}`
      const leftMinor = refundableMinor(transaction)
      if (amountMinor <= leftMinor) return refundSucceeded(refundReserved(transaction, amountMinor), amountMinor)
      const [asked, left] = [displayAmount(amountMinor, currency), displayAmount(leftMinor, currency)]
      return `This refund is of ${asked}, and only ${left} is left to refund. ${putRight}`
    }
  }
}

/** The failure gave the units back, and somebody may have bought them since: what is left may go below zero. */
function offerAfter({ offer, transaction }: Sale, { kind }: Operation) {
  return kind === 'charge' ? withUnitsTaken(offer, transaction.quantity) : offer
}

function unitsGivenBack({ status, quantity }: Transaction, { kind }: Operation): number {
  if (kind === 'charge') return -quantity
  return status === 'Voided' ? quantity : 0
}
