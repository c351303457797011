// How a charge is made, whoever asked for it. Money safety lives here.
//
//   1. commit `Processing`, with the client's key, before anything leaves the service;
//   2. ask Pre-Sale once: its sending is recorded in that first commit, before it is sent;
//   3. commit the gateway operation's row, then call the gateway with that row's id as idempotency key;
//   4. commit the outcome, the event and the deliveries it owes together; or, where the card is stored at a gateway to be
//      tried next, that this one failed and the next one's row (`try-next.ts`), and call that.
//
// With no Pre-Sale endpoint steps 1 and 3 are one commit. A process that dies in between leaves rows from which
// `recover.ts` goes on; one that was stopped and wakes up late finds the version moved, and cannot charge.

import { chargeAnswer } from './answer.ts'
import { commitMs, gatewayDeadline, operationLeaseMs, type Settled } from './call-gateway.ts'
import type { Gateway } from './gateway.ts'
import { answerText } from './json.ts'
import { held, newCharge, prepared } from './new-operation.ts'
import { withUnitsTaken } from './offer.ts'
import type { HeldOperation, Operation } from './operation.ts'
import type { Entered } from './people.ts'
import type { Change, ChargeFacts, FirstCommit, Ports, PreSale, PreSaleAnswer, PreSaleEndpoint } from './ports.ts'
import { preSaleFailure, preSaleVerdict, saidYes } from './pre-sale.ts'
import { type Sale, withOperation } from './sale.ts'
import { detailsText, mailOwed, owedEvent, reload } from './settle.ts'
import { chargeFailed, type Source, type Transaction } from './transaction.ts'
import { chargeInTurn } from './try-next.ts'

/** All that is needed to charge is there. */
export type CheckedFacts = { readonly [Name in keyof ChargeFacts]: NonNullable<ChargeFacts[Name]> }

/**
 * Charges a transaction that is not written yet, or that goes on. `write` makes the first commit, in its own way; what it
 * says instead of `begun` is returned as it is, and nothing has happened.
 */
export async function chargeSale<Refused extends string>(
  ports: Ports,
  facts: CheckedFacts,
  asked: Transaction,
  write: (first: FirstCommit) => Promise<'begun' | Refused>,
): Promise<Settled | Refused> {
  const gateway = await ports.openGateway(asked.merchantId, facts.gateway.id, facts.gateway.access)
  const { merchant, card, customer, preSaleEndpoints: endpoints } = facts
  const asksFirst = endpoints.length > 0
  const transaction: Transaction = { ...asked, preSale: asksFirst ? 'asked' : 'not_asked' }
  const cardRef = refAt(facts)
  const offer = withUnitsTaken(facts.offer, transaction.quantity)
  const bare: Sale = { merchant, offer, card, customer, transaction, operations: [], disputes: [] }
  const operation = asksFirst ? null : prepared(gateway, bare, newCharge(ports, transaction, cardRef))
  const sale: Sale = operation === null ? bare : { ...bare, operations: [operation] }
  const at = isNew(asked) ? asked.createdAt : ports.now()
  const preSale = asksFirst ? { endpoints, details: preSaleDetails(ports, sale), at } : null
  const leaseMs = asksFirst ? longestMs(endpoints) + commitMs : operationLeaseMs
  // Begun before the commit, whose time counts; one each, because a signal costs as much as a statement.
  const signal = asksFirst ? AbortSignal.timeout(askWithinMs) : gatewayDeadline()
  const written = await write({ sale, operation, preSale, leaseMs })
  if (written !== 'begun') return written
  const begun =
    preSale === null
      ? begunWith(sale, operation, signal)
      : await askFirst(ports, gateway, sale, preSale, cardRef, signal)
  return begun.operation === null
    ? begun
    : chargeInTurn(ports, gateway, { ...begun, operation: begun.operation }, facts.fallbacks, begun.deadline)
}

/** Not written yet; one that goes on may be days old. */
const isNew = ({ version }: Transaction) => version === 1

/** What the operation says beyond the card: the name of its copy, where another vault than its own is charged. */
function refAt({ card, gateway }: CheckedFacts): string | null {
  return gateway.id === card.gatewayId ? null : gateway.cardRef
}

/** A sale whose charge may be sent until the deadline; no operation: nothing more is to be done. */
interface Begun {
  readonly sale: Sale
  readonly operation: HeldOperation | null
  readonly deadline: AbortSignal
}

/** What is asked for, beyond the offer and the card. */
export interface Asked {
  readonly quantity: number
  /** Null: as the offer says. */
  readonly authorizationOnly: boolean | null
  readonly referrerContext: string | null
  readonly source: Source
  readonly entered: Entered | null
  readonly tokenSha256: string | null
}

/** `card` and `gateway` of the facts may be anything that the transaction is to begin with. */
export function newTransaction(
  ports: Pick<Ports, 'newTransactionId' | 'now'>,
  asked: Asked,
  { offer, card, customer, gateway }: Pick<CheckedFacts, 'offer' | 'customer' | 'gateway'> & Pick<ChargeFacts, 'card'>,
): Transaction {
  return {
    merchantId: offer.merchantId,
    id: ports.newTransactionId(),
    createdAt: ports.now(),
    status: 'Processing',
    source: asked.source,
    offerId: offer.id,
    customerId: customer.id,
    cardToken: card?.token ?? null,
    tokenSha256: asked.tokenSha256,
    gatewayId: gateway.id,
    currency: offer.currency,
    unitPriceMinor: offer.amountMinor,
    quantity: asked.quantity,
    amountMinor: offer.amountMinor * BigInt(asked.quantity),
    netAmountMinor: null,
    authorizationOnly: asked.authorizationOnly ?? offer.authorizationOnly,
    referrerContext: asked.referrerContext,
    entered: asked.entered,
    preSale: 'not_asked',
    failure: null,
    heldMinor: 0n,
    capturedMinor: 0n,
    refundReservedMinor: 0n,
    refundedMinor: 0n,
    actionExpiresAt: null,
    actionWants: null,
    actionMailTo: null,
    version: 1,
  }
}

function begunWith(sale: Sale, operation: Operation | null, deadline: AbortSignal): Begun {
  return { sale, operation: operation === null ? null : held(operation), deadline }
}

function preSaleDetails(ports: Ports, sale: Sale): string {
  return detailsText(ports, sale, { type: 'pre_sale', asked: 'charge', at: ports.now() })
}

/** Asks Pre-Sale, unless its time is over by now, and commits what follows: the charge's row, or the failure. */
async function askFirst(
  ports: Ports,
  gateway: Gateway,
  sale: Sale,
  preSale: PreSale,
  cardRef: string | null,
  askBy: AbortSignal,
): Promise<Begun> {
  const answers = await ports.askPreSale(sale.transaction.merchantId, preSale.endpoints, preSale.details, askBy)
  const deadline = gatewayDeadline()
  // Someone else ends this transaction when its lease is over: we may neither ask nor charge any more.
  if (answers === null) return { sale: await reload(ports, sale), operation: null, deadline }
  const step = afterPreSale(ports, gateway, sale, cardRef, answers)
  const committed = await ports.store.commit(step.change)
  if (committed !== 'committed') return { sale: await reload(ports, sale), operation: null, deadline }
  return { ...step, deadline }
}

function afterPreSale(
  ports: Ports,
  gateway: Gateway,
  sale: Sale,
  cardRef: string | null,
  answers: readonly PreSaleAnswer[],
) {
  const before = sale.transaction
  const verdict = preSaleVerdict(answers)
  if (verdict !== 'passed') {
    const failed = { ...sale, transaction: { ...chargeFailed(before, preSaleFailure(verdict)), preSale: verdict } }
    const { status, body } = chargeAnswer(failed, ports.service)
    // Where nobody had consented there is nothing to release, and the merchant who stopped it knows; not so who wrote a mail.
    const owesError = verdict === 'error' || answers.some(saidYes)
    const change: Change = {
      before,
      after: failed.transaction,
      preSaleAnswers: answers,
      answer: { of: before.id, status, text: answerText(body) },
      givesBackUnits: before.quantity,
      ...(owesError
        ? { event: owedEvent(ports, failed, 'error', 'error', 'charge') }
        : { mail: mailOwed(failed.transaction, 'error') }),
    }
    return { change, sale: failed, operation: null }
  }
  const operation = prepared(gateway, sale, newCharge(ports, before, cardRef))
  const after: Transaction = { ...before, preSale: 'passed' }
  const begins = { operation, leaseMs: operationLeaseMs, repetition: null }
  const change: Change = { before, after, preSaleAnswers: answers, begins }
  const passed = withOperation({ ...sale, transaction: { ...after, version: after.version + 1 } }, operation)
  return { change, sale: passed, operation: held(operation) }
}

/**
 * When Pre-Sale must be on its way, so that the slowest answer is in before the lease ends: asked later, an endpoint could
 * reserve something after the Error that was to release it.
 */
const askWithinMs = commitMs / 2

function longestMs(endpoints: readonly PreSaleEndpoint[]): number {
  return Math.max(...endpoints.map(({ timeoutMs }) => timeoutMs))
}
