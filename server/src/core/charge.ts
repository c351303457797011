// Charge an offer: the one function behind every way in (REST, page, mail). Money safety lives here.
//
//   1. commit `Processing`, with the client's key, before anything leaves the service;
//   2. ask Pre-Sale once: its sending is recorded in that first commit, before it is sent;
//   3. commit the gateway operation's row, then call the gateway with that row's id as idempotency key;
//   4. commit the outcome, the event and the deliveries it owes together; or, where the card is stored at a gateway to be
//      tried next, that this one failed and the next one's row (`try-next.ts`), and call that.
//
// With no Pre-Sale endpoint steps 1 and 3 are one commit. A process that dies in between leaves rows from which
// `recover.ts` goes on; one that was stopped and wakes up late finds the version moved, and cannot charge.

import { type Answer, chargeAnswer, type Errors, refusal } from './answer.ts'
import { commitMs, gatewayDeadline, operationLeaseMs, type Settled } from './call-gateway.ts'
import type { Gateway } from './gateway.ts'
import { hookDetails } from './hook-details.ts'
import type { CardToken, MerchantId, OfferId } from './ids.ts'
import { answerText } from './json.ts'
import { amountMinorMax } from './money.ts'
import { held, newCharge } from './new-operation.ts'
import { notForSaleSays, whyNotForSale, withUnitsTaken } from './offer.ts'
import type { HeldOperation, Operation } from './operation.ts'
import { type Card, cardHasExpired, type Entered } from './people.ts'
import type { Change, ChargeFacts, Ports, PreSale, PreSaleAnswer, PreSaleEndpoint, Repetition, Reply } from './ports.ts'
import { preSaleFailure, preSaleVerdict, saidYes } from './pre-sale.ts'
import { earlierReply, refuseOrRepeat, replyWith, stillProcessing } from './repetition.ts'
import { type Sale, withOperation } from './sale.ts'
import { owedEvent, reload } from './settle.ts'
import { chargeFailed, type Source, type Transaction } from './transaction.ts'
import { chargeInTurn } from './try-next.ts'

export interface ChargeCommand {
  readonly merchantId: MerchantId
  /** Null: not even of the right form, so it names nothing. */
  readonly offerId: OfferId | null
  readonly cardToken: CardToken | null
  readonly quantity: number
  readonly authorizationOnly: boolean | null
  readonly referrerContext: string | null
  readonly source: Source
  /** What the customer entered on a page; null: by REST. */
  readonly entered: Entered | null
  readonly repetition: Repetition | null
}

export async function chargeOffer(ports: Ports, command: ChargeCommand): Promise<Reply> {
  const { merchantId, repetition } = command
  const earlier = await earlierReply(ports, merchantId, repetition)
  if (earlier !== null) return earlier
  const facts = await ports.store.chargeFacts(merchantId, command.offerId, command.cardToken)
  const checked = checkedFacts(facts, command, ports.now())
  if ('status' in checked) return refuseOrRepeat(ports, merchantId, repetition, checked)
  const gateway = await ports.openGateway(merchantId, checked.gateway.id)
  return charge(ports, command, checked, gateway)
}

type CheckedFacts = { readonly [Name in keyof ChargeFacts]: NonNullable<ChargeFacts[Name]> }

function checkedFacts(facts: ChargeFacts, command: ChargeCommand, now: Date): CheckedFacts | Answer {
  const { offer, card, customer, gateway } = facts
  if (offer === null || card === null || customer === null) {
    return refusal(404, {
      ...(offer === null && { service_offer: 'service_offer is not known.' }),
      ...(card === null && { token: 'token is not known.' }),
    })
  }
  const errors: { [field: string]: string } = {}
  const { quantity } = command
  const notForSale = whyNotForSale(offer, { quantity, email: customer.email, now })
  if (notForSale !== null) errors.service_offer = `service_offer ${notForSaleSays[notForSale]}`
  if (offer.amountMinor * BigInt(quantity) > amountMinorMax) errors.quantity = 'quantity makes the total too large.'
  const cardSays = whyCardIsNotUsable({ ...facts, card }, command, now)
  if (cardSays !== null) errors.token = `token ${cardSays}`
  if (gateway === null || !gateway.active) {
    if (offer.gatewayId === null) errors.token ??= 'token names a card whose gateway is not active.'
    else errors.service_offer ??= "service_offer's gateway is not active."
  }
  if (gateway === null || Object.keys(errors).length > 0) return refusal(422, errors as Errors)
  return { ...facts, offer, card, customer, gateway }
}

type WithCard = ChargeFacts & { readonly card: Card }

function whyCardIsNotUsable({ card, gateway }: WithCard, { entered }: ChargeCommand, now: Date): string | null {
  if (card.removedAt !== null) return 'names a card that was removed.'
  // Its token stands in the hooks of the one payment that it was given for, and must not pay for another.
  if (card.removeAt !== null && entered === null) return 'names a card that was given for one payment only.'
  if (cardHasExpired(card, now)) return 'names a card that has expired.'
  if (gateway !== null && gateway.cardRef === null) return "names a card that is not stored at the offer's gateway."
  return null
}

async function charge(ports: Ports, command: ChargeCommand, facts: CheckedFacts, gateway: Gateway): Promise<Reply> {
  const { merchantId, repetition } = command
  const { merchant, card, customer, preSaleEndpoints: endpoints } = facts
  const asksFirst = endpoints.length > 0
  const transaction = newTransaction(ports, command, facts, asksFirst)
  const cardRef = refAt(facts)
  const operation = asksFirst ? null : newCharge(ports, transaction, cardRef)
  const offer = withUnitsTaken(facts.offer, command.quantity)
  const sale: Sale = {
    merchant,
    offer,
    card,
    customer,
    transaction,
    operations: operation === null ? [] : [operation],
    disputes: [],
  }
  const preSale = asksFirst ? { endpoints, details: preSaleDetails(ports, sale) } : null
  const leaseMs = asksFirst ? longestMs(endpoints) + commitMs : operationLeaseMs
  // Begun before the commit, whose time counts; one each, because a signal costs as much as a statement.
  const signal = asksFirst ? AbortSignal.timeout(askWithinMs) : gatewayDeadline()
  const created = await ports.store.create({ sale, operation, preSale, repetition, leaseMs })
  if (created !== 'created') {
    const refused =
      created === 'repeated'
        ? stillProcessing
        : refusal(422, { service_offer: `service_offer ${notForSaleSays.used_up}` })
    return refuseOrRepeat(ports, merchantId, repetition, refused)
  }
  const begun =
    preSale === null ? begunWith(sale, operation, signal) : await askFirst(ports, sale, preSale, cardRef, signal)
  const settled: Settled =
    begun.operation === null
      ? begun
      : await chargeInTurn(ports, gateway, { ...begun, operation: begun.operation }, facts.fallbacks, begun.deadline)
  return replyWith(chargeAnswer(settled.sale, ports.service), settled.busyForMs)
}

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

function newTransaction(ports: Ports, command: ChargeCommand, facts: CheckedFacts, asksFirst: boolean): Transaction {
  const { offer, card, gateway } = facts
  return {
    merchantId: command.merchantId,
    id: ports.newTransactionId(),
    createdAt: ports.now(),
    status: 'Processing',
    source: command.source,
    offerId: offer.id,
    customerId: card.customerId,
    cardToken: card.token,
    gatewayId: gateway.id,
    currency: offer.currency,
    unitPriceMinor: offer.amountMinor,
    quantity: command.quantity,
    amountMinor: offer.amountMinor * BigInt(command.quantity),
    netAmountMinor: null,
    authorizationOnly: command.authorizationOnly ?? offer.authorizationOnly,
    referrerContext: command.referrerContext,
    entered: command.entered,
    preSale: asksFirst ? 'asked' : 'not_asked',
    failure: null,
    heldMinor: 0n,
    capturedMinor: 0n,
    refundReservedMinor: 0n,
    refundedMinor: 0n,
    actionExpiresAt: null,
    version: 1,
  }
}

function begunWith(sale: Sale, operation: Operation | null, deadline: AbortSignal): Begun {
  return { sale, operation: operation === null ? null : held(operation), deadline }
}

function preSaleDetails(ports: Ports, sale: Sale): string {
  return JSON.stringify(hookDetails(sale, ports.service, { type: 'pre_sale', asked: 'charge', at: ports.now() }))
}

/** Asks Pre-Sale, unless its time is over by now, and commits what follows: the charge's row, or the failure. */
async function askFirst(
  ports: Ports,
  sale: Sale,
  preSale: PreSale,
  cardRef: string | null,
  askBy: AbortSignal,
): Promise<Begun> {
  const answers = await ports.askPreSale(sale.transaction.merchantId, preSale.endpoints, preSale.details, askBy)
  const deadline = gatewayDeadline()
  // Someone else ends this transaction when its lease is over: we may neither ask nor charge any more.
  if (answers === null) return { sale: await reload(ports, sale), operation: null, deadline }
  const step = afterPreSale(ports, sale, cardRef, answers)
  const committed = await ports.store.commit(step.change)
  if (committed !== 'committed') return { sale: await reload(ports, sale), operation: null, deadline }
  return { ...step, deadline }
}

function afterPreSale(ports: Ports, sale: Sale, cardRef: string | null, answers: readonly PreSaleAnswer[]) {
  const before = sale.transaction
  const verdict = preSaleVerdict(answers)
  if (verdict !== 'passed') {
    const failed = { ...sale, transaction: { ...chargeFailed(before, preSaleFailure(verdict)), preSale: verdict } }
    const { status, body } = chargeAnswer(failed, ports.service)
    // Where nobody had consented there is nothing to release, and the merchant who stopped it knows.
    const owesError = verdict === 'error' || answers.some(saidYes)
    const change: Change = {
      before,
      after: failed.transaction,
      preSaleAnswers: answers,
      answer: { of: before.id, status, text: answerText(body) },
      givesBackUnits: before.quantity,
      ...(owesError && { event: owedEvent(ports, failed, 'error', 'error', 'charge') }),
    }
    return { change, sale: failed, operation: null }
  }
  const operation = newCharge(ports, before, cardRef)
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
