// Charge an offer: the one function behind every way in (REST, page, mail). Money safety lives here.
//
//   1. commit `Processing`, with the client's key, before anything leaves the service;
//   2. ask Pre-Sale once: its sending is recorded in that first commit, before it is sent;
//   3. commit the gateway operation's row, then call the gateway with that row's id as idempotency key;
//   4. commit the outcome, the event and the deliveries it owes together.
//
// With no Pre-Sale endpoint steps 1 and 3 are one commit. A process that dies in between leaves rows from which
// `recover.ts` goes on; one that was stopped and wakes up late finds the version moved, and cannot charge.

import { type Answer, chargeAnswer, type Errors, refusal } from './answer.ts'
import { operationLeaseMs, sendAndSettle } from './call-gateway.ts'
import type { Gateway } from './gateway.ts'
import { type DetailsOf, hookDetails } from './hook-details.ts'
import type { CardToken, MerchantId, OfferId } from './ids.ts'
import { answerText } from './json.ts'
import { amountMinorMax } from './money.ts'
import { soldOut, whyNotForSale, withUnitsTaken } from './offer.ts'
import type { HeldOperation, Operation } from './operation.ts'
import { cardHasExpired } from './people.ts'
import type { Change, ChargeFacts, Ports, PreSaleAnswer, PreSaleEndpoint, Repetition, Reply } from './ports.ts'
import { preSaleFailure, preSaleVerdict, saidYes } from './pre-sale.ts'
import { earlierReply, refuseOrRepeat, replyWith } from './repetition.ts'
import { type Sale, withOperation } from './sale.ts'
import { owedEvent, reload } from './settle.ts'
import { chargeFailed, type Source, type Transaction } from './transaction.ts'

export interface ChargeCommand {
  readonly merchantId: MerchantId
  /** Null: not even of the right form, so it names nothing. */
  readonly offerId: OfferId | null
  readonly cardToken: CardToken | null
  readonly quantity: number
  readonly authorizationOnly: boolean | null
  readonly referrerContext: string | null
  readonly source: Source
  readonly repetition: Repetition | null
}

const firstLeaseNo = 1
const commitMs = 5_000

export async function chargeOffer(ports: Ports, command: ChargeCommand): Promise<Reply> {
  for (;;) {
    const earlier = await earlierReply(ports, command.merchantId, command.repetition)
    if (earlier !== null) return earlier
    const facts = await ports.store.chargeFacts(command.merchantId, command.offerId, command.cardToken)
    const checked = checkedFacts(facts, command, ports.now())
    if ('status' in checked) return refuseOrRepeat(ports, command.merchantId, command.repetition, checked)
    const gateway = await ports.openGateway(command.merchantId, checked.gateway.id)
    const reply = await charge(ports, command, checked, gateway)
    if (reply !== 'repeated') return reply
    // Someone was faster with the same request: its answer is found in the next round, or it is over and ours is new.
  }
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
  const offerSays = whyNotForSale(offer, { quantity, email: customer.email, now })
  if (offerSays !== null) errors.service_offer = `service_offer ${offerSays}`
  if (offer.amountMinor * BigInt(quantity) > amountMinorMax) errors.quantity = 'quantity makes the total too large.'
  const cardSays = whyCardIsNotUsable({ ...facts, card }, now)
  if (cardSays !== null) errors.token = `token ${cardSays}`
  if (gateway === null || !gateway.active) errors.service_offer ??= "service_offer's gateway is not active."
  if (gateway === null || Object.keys(errors).length > 0) return refusal(422, errors as Errors)
  return { ...facts, offer, card, customer, gateway }
}

function whyCardIsNotUsable({ card, gateway }: ChargeFacts & { card: NonNullable<ChargeFacts['card']> }, now: Date) {
  if (card.removedAt !== null) return 'names a card that was removed.'
  if (cardHasExpired(card, now)) return 'names a card that has expired.'
  if (gateway !== null && card.gatewayId !== gateway.id)
    return "names a card that is not stored at the offer's gateway."
  return null
}

async function charge(
  ports: Ports,
  command: ChargeCommand,
  facts: CheckedFacts,
  gateway: Gateway,
): Promise<Reply | 'repeated'> {
  const asksFirst = facts.preSaleEndpoints.length > 0
  const transaction = newTransaction(ports, command, facts, asksFirst)
  const operation = asksFirst ? null : newCharge(ports, transaction)
  const { merchant, card, customer, preSaleEndpoints } = facts
  const offer = withUnitsTaken(facts.offer, command.quantity)
  const sale: Sale = { merchant, offer, card, customer, transaction, operations: operation === null ? [] : [operation] }
  const { repetition } = command
  const leaseMs = asksFirst ? longestMs(preSaleEndpoints) + commitMs : operationLeaseMs
  const created = await ports.store.create({ sale, operation, preSaleEndpoints, repetition, leaseMs })
  if (created === 'repeated') return 'repeated'
  if (created === 'sold_out') {
    const refused = refusal(422, { service_offer: `service_offer ${soldOut}` })
    return refuseOrRepeat(ports, command.merchantId, repetition, refused)
  }
  const asked =
    operation === null ? await askFirst(ports, sale, preSaleEndpoints) : { sale, operation: held(operation) }
  const settled =
    asked.operation === null ? asked.sale : await sendAndSettle(ports, gateway, asked.sale, asked.operation)
  return replyWith(chargeAnswer(settled, ports.service))
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

function newCharge(ports: Ports, { merchantId, id, gatewayId, amountMinor, currency }: Transaction): Operation {
  const fresh = { merchantId, transactionId: id, gatewayId, amountMinor, currency }
  return newOperation(ports, { ...fresh, kind: 'charge', refundedBy: null, refundedReason: null })
}

type OperationFacts = Pick<
  Operation,
  'merchantId' | 'transactionId' | 'gatewayId' | 'amountMinor' | 'currency' | 'kind' | 'refundedBy' | 'refundedReason'
>

/** Born with its first sending counted: it is sent right after the commit that writes it. */
export function newOperation(ports: Ports, facts: OperationFacts): Operation {
  const createdAt = ports.now()
  return {
    ...facts,
    id: ports.newOperationId(),
    createdAt,
    outcome: 'pending',
    sendings: 1,
    asks: 0,
    nextAskAt: createdAt,
    gatewayRef: null,
    declineCode: null,
    cause: null,
    settledAt: null,
    forPerson: null,
  }
}

export function held(operation: Operation): HeldOperation {
  return { ...operation, leaseNo: firstLeaseNo }
}

/** Asks Pre-Sale and commits what follows: the charge's row, or the failure. No operation: nothing more is to be done. */
async function askFirst(
  ports: Ports,
  sale: Sale,
  endpoints: readonly PreSaleEndpoint[],
): Promise<{ sale: Sale; operation: HeldOperation | null }> {
  const of: DetailsOf = { type: 'pre_sale', asked: 'charge', at: ports.now() }
  const details = JSON.stringify(hookDetails(sale, ports.service, of))
  const answers = await ports.askPreSale(sale.transaction.merchantId, endpoints, details)
  const step = afterPreSale(ports, sale, answers)
  const committed = await ports.store.commit(step.change)
  // Stopped for longer than the lease: someone else has ended this transaction, and we may not charge.
  if (committed !== 'committed') return { sale: await reload(ports, sale), operation: null }
  return step
}

function afterPreSale(ports: Ports, sale: Sale, answers: readonly PreSaleAnswer[]) {
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
  const operation = newCharge(ports, before)
  const after: Transaction = { ...before, preSale: 'passed' }
  const begins = { operation, leaseMs: operationLeaseMs, repetition: null }
  const change: Change = { before, after, preSaleAnswers: answers, begins }
  const passed = withOperation({ ...sale, transaction: { ...after, version: after.version + 1 } }, operation)
  return { change, sale: passed, operation: held(operation) }
}

function longestMs(endpoints: readonly PreSaleEndpoint[]): number {
  return Math.max(...endpoints.map(({ timeoutMs }) => timeoutMs))
}
