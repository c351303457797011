// Stripe's own list of payments and refunds, for reconciliation.

import type { GatewayEntry } from '../../core/gateway.ts'
import type { GatewayId, OperationId } from '../../core/ids.ts'
import { type AskForPage, type Asking, type Item, pages, retrieveIntent } from './account.ts'
import { chargeOutcome, heldMinor, type Intent, isReleased, readIntent } from './intent.ts'
import { gatewayIn, idIn, ownOperation } from './metadata.ts'
import { isRelease, type Refund, readRefund, stateOf } from './refund.ts'

interface Span {
  readonly from: Date
  readonly to: Date
}

/** Half of what Stripe allows: each intent brings its charge along, and an answer has a size that we read at most. */
const pageSize = 50

export async function* listEntries(asking: Asking, span: Span): AsyncIterable<GatewayEntry> {
  const created = { gte: secondsFrom(span.from), lt: secondsFrom(span.to) }
  const expand = ['data.latest_charge']
  for await (const item of itemsOf(asking, (stripe, page) =>
    stripe.paymentIntents.list({ created, expand, ...page }),
  )) {
    const entry = chargeEntry(item, asking.gatewayId)
    if (entry !== null) yield entry
  }
  for await (const item of itemsOf(asking, (stripe, page) => stripe.refunds.list({ created, ...page }))) {
    const entry = await refundEntry(item, asking)
    if (entry !== null) yield entry
  }
}

/** Stripe dates to the second: the first whole one of a span that begins here. */
function secondsFrom(date: Date): number {
  return Math.ceil(date.getTime() / 1_000)
}

async function* itemsOf(asking: Asking, askForPage: AskForPage): AsyncIterable<Item> {
  for await (const page of pages(asking, askForPage, pageSize)) {
    if (page.kind === 'unknown') throw new Error(`Stripe's list could not be read to its end. ${page.cause}`)
    yield* page.items
  }
}

/** Null: a payment in something that is no currency to us, and so is none of ours. */
function chargeEntry(item: Item, own: GatewayId): GatewayEntry | null {
  const intent = readIntent(item)
  if (intent === null) return mustNotBeOurs(item, own)
  const { id: gatewayRef, currency, createdAt: at } = intent
  const operationId = ownOperation(intent, own)
  return { kind: 'charge', gatewayRef, operationId, ...stateAndAmount(intent), currency, at }
}

function stateAndAmount(intent: Intent): Pick<GatewayEntry, 'state' | 'amountMinor'> {
  if (intent.status === 'succeeded') return { state: 'succeeded', amountMinor: intent.receivedMinor }
  if (intent.status === 'requires_capture') return { state: 'authorized', amountMinor: intent.capturableMinor }
  if (isReleased(intent)) return { state: 'voided', amountMinor: heldMinor(intent) }
  const isOver = chargeOutcome(intent).kind === 'declined'
  return { state: isOver ? 'failed' : 'open', amountMinor: intent.askedMinor }
}

async function refundEntry(item: Item, asking: Asking): Promise<GatewayEntry | null> {
  const refund = readRefund(item)
  if (refund === null) return mustNotBeOurs(item, asking.gatewayId)
  if (refund.movedNoBalance && (await isOfHeldPayment(refund, asking))) return null
  const { id: gatewayRef, intentId, amountMinor, currency, createdAt: at } = refund
  const state = stateOf(refund)
  return {
    kind: 'refund',
    gatewayRef,
    operationId: ownOperation(refund, asking.gatewayId),
    ...(intentId !== null && { chargeRef: intentId }),
    state: state === 'pending' ? 'open' : state,
    amountMinor,
    currency,
    at,
  }
}

/** A list without a record of ours would show our books as wrong, or hide that they are. */
function mustNotBeOurs({ id, metadata }: Item, own: GatewayId): null {
  const operationId = idIn<OperationId>(metadata, 'operation')
  if (ownOperation({ gatewayId: gatewayIn(metadata), operationId }, own) === null) return null
  throw new Error(`Stripe's list has ${id}, of our operation ${operationId}, in a form that cannot be read.`)
}

/** Few are looked up: our version of the API makes none. */
async function isOfHeldPayment(refund: Refund, asking: Asking): Promise<boolean> {
  if (refund.intentId === null) return false
  const retrieved = await retrieveIntent(asking, refund.intentId)
  if (retrieved.kind === 'unknown')
    throw new Error(`The payment of refund ${refund.id} could not be read. ${retrieved.cause}`)
  return retrieved.kind !== 'missing' && isRelease(refund, retrieved.intent)
}
