// Cards in Stripe's vault. Their numbers never come here: Stripe's own fields turn one into a payment method, whose name
// we attach to a customer of its own, without personal data, so that it can be charged when nobody is there.

import { createHmac } from 'node:crypto'
import {
  type CardDetails,
  type CardReference,
  type CardType,
  declineCodes,
  type RemoveCardOutcome,
  type StoreCardOutcome,
  type Unknown,
} from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'
import { type Asking, ask } from './account.ts'
import { type CardRef, cardRefOf, methodPattern, parseCardRef } from './card-ref.ts'
import type { Called } from './client.ts'
import { isMembers, unknown } from './exchange.ts'
import { isMissing, isRefusalOfRequest, noAnswer, provenBy } from './outcomes.ts'
import { nameOf } from './refund.ts'

export interface Vault {
  readonly gatewayId: GatewayId
  readonly fingerprintKey: Buffer
}

const refusals = {
  number: "Card numbers do not pass through this service: use Stripe's own card fields.",
  reference: "The card's reference is none of Stripe's: it is pm_… or cus_…/pm_….",
  notFound: 'Stripe does not know the card.',
  notAttached: 'The card is not attached to that customer at Stripe.',
  notCard: 'The payment method at Stripe is not a card.',
  failed: 'Stripe could not store the card.',
} as const

const refused = (sentence: string): StoreCardOutcome => ({ kind: 'refused', sentence })

export async function storeCard(
  asking: Asking,
  vault: Vault,
  card: CardDetails | CardReference,
): Promise<StoreCardOutcome> {
  if ('number' in card) return refused(refusals.number)
  const stored = parseCardRef(card.reference)
  if (stored !== null) return readCard(vault, await retrieveMethod(asking, stored), stored.customer)
  return methodPattern.test(card.reference)
    ? attachToNewCustomer(asking, vault, card.reference)
    : refused(refusals.reference)
}

async function attachToNewCustomer(asking: Asking, vault: Vault, method: string): Promise<StoreCardOutcome> {
  const created = await ask(asking, stripe => stripe.customers.create({}))
  const customer = created.kind === 'ok' ? nameOf(created.value) : null
  if (customer === null) return refused(refusals.failed)
  const attached = await ask(asking, stripe => stripe.paymentMethods.attach(method, { customer }))
  const outcome = readCard(vault, attached, customer)
  // A customer without a card is of no use to anybody. If it stays behind, no harm is done either.
  if (outcome.kind === 'refused') await ask(asking, stripe => stripe.customers.del(customer))
  return outcome
}

export async function describeCard(asking: Asking, vault: Vault, cardRef: string): Promise<StoreCardOutcome | Unknown> {
  const card = parseCardRef(cardRef)
  if (card === null) return refused(refusals.reference)
  const called = await retrieveMethod(asking, card)
  if (called.kind !== 'ok' && !isMissing(called)) return noAnswer(called)
  return readCard(vault, called, card.customer)
}

/** A payment method that is attached to no customer can never be charged or attached again: it is as good as gone. */
export async function removeCard(asking: Asking, cardRef: string): Promise<RemoveCardOutcome> {
  const card = parseCardRef(cardRef)
  if (card === null) return unknown(refusals.reference)
  const detached = await ask(asking, stripe => stripe.paymentMethods.detach(card.method))
  if (isDetached(detached)) return { kind: 'removed' }
  if (detached.kind === 'refused' && isRefusalOfRequest(detached)) {
    if (isDetached(await retrieveMethod(asking, card))) return { kind: 'removed' }
  }
  return detached.kind === 'ok' ? unknown('Stripe answered, and the card is still attached.') : noAnswer(detached)
}

function retrieveMethod(asking: Asking, { method }: CardRef): Promise<Called> {
  return ask(asking, stripe => stripe.paymentMethods.retrieve(method))
}

function isDetached(called: Called): boolean {
  if (isMissing(called)) return true
  const method = called.kind === 'ok' ? called.value : null
  return isMembers(method) && method.object === 'payment_method' && method.customer === null
}

function readCard({ gatewayId, fingerprintKey }: Vault, called: Called, customer: string): StoreCardOutcome {
  if (called.kind !== 'ok') return refused(sentenceFor(called))
  const method = called.value
  if (!isMembers(method) || method.object !== 'payment_method') return refused(refusals.failed)
  if (method.type !== 'card' || !isMembers(method.card)) return refused(refusals.notCard)
  if (nameOf(method.customer) !== customer) return refused(refusals.notAttached)
  const { id } = method
  const { last4, brand, exp_month, exp_year, fingerprint } = method.card
  if (typeof id !== 'string' || typeof last4 !== 'string' || !/^\d{4}$/.test(last4)) return refused(refusals.failed)
  if (typeof exp_month !== 'number' || typeof exp_year !== 'number') return refused(refusals.failed)
  const same = typeof fingerprint === 'string' ? fingerprint : id
  return {
    kind: 'stored',
    cardRef: cardRefOf({ customer, method: id }),
    mask: last4,
    type: cardTypes[String(brand)] ?? 'other',
    expiryMonth: exp_month,
    expiryYear: exp_year,
    fingerprint: createHmac('sha256', fingerprintKey).update(`${gatewayId}:${same}`).digest('base64url'),
  }
}

const cardTypes: { readonly [brand: string]: CardType } = {
  visa: 'visa',
  mastercard: 'master',
  amex: 'american_express',
  discover: 'discover',
}

function sentenceFor(called: Exclude<Called, { kind: 'ok' }>): string {
  if (isMissing(called)) return refusals.notFound
  const proven = provenBy(called)
  return proven.kind === 'declined' ? declineCodes[proven.code] : refusals.failed
}
