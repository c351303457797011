// Cards in Stripe's vault. Their numbers never come here: Stripe's own fields turn one into a payment method, whose name
// we attach to a customer of its own, without personal data, so that it can be charged when nobody is there.

import { createHmac } from 'node:crypto'
import {
  type CardDetails,
  type CardReference,
  type CardType,
  type DescribeCardOutcome,
  declineCodes,
  type NotSent,
  type RefusedCard,
  type RemoveCardOutcome,
  type StoreCardOutcome,
  type Unknown,
} from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'
import { type Asking, ask } from './account.ts'
import { type CardRef, cardRefOf, methodPattern, parseCardRef } from './card-ref.ts'
import type { Called } from './client.ts'
import { isMembers, type Members, unknown } from './exchange.ts'
import { gatewayIn, metadataNames } from './metadata.ts'
import { type Failed, isMissing, isRefusalOfRequest, noAnswer, provenBy } from './outcomes.ts'
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
  attached: 'The card is attached to a customer at Stripe: give it as cus_…/pm_….',
  spent: 'Stripe stores the card under this name no more: it was used or removed before.',
  notCard: 'The payment method at Stripe is not a card.',
} as const

const refused = (sentence: string): RefusedCard => ({ kind: 'refused', sentence })

export async function storeCard(
  asking: Asking,
  vault: Vault,
  card: CardDetails | CardReference,
): Promise<StoreCardOutcome> {
  if ('number' in card) return refused(refusals.number)
  const stored = parseCardRef(card.reference)
  if (stored !== null) {
    const called = await retrieveMethod(asking, stored)
    return called.kind === 'ok' ? readCard(vault, called.value, stored.customer) : notStoredBy(called)
  }
  return methodPattern.test(card.reference)
    ? attachToNewCustomer(asking, vault, card.reference)
    : refused(refusals.reference)
}

async function attachToNewCustomer(asking: Asking, vault: Vault, method: string): Promise<StoreCardOutcome> {
  const metadata = { [metadataNames.gateway]: vault.gatewayId }
  const created = await ask(asking, stripe => stripe.customers.create({ metadata }))
  if (created.kind !== 'ok') return notStoredBy(created)
  const customer = nameOf(created.value)
  if (customer === null) return unknown('Stripe answered with something that is no customer.')
  const attached = await ask(asking, stripe => stripe.paymentMethods.attach(method, { customer }))
  if (attached.kind === 'ok') return readCard(vault, attached.value, customer)
  const outcome = notStoredBy(attached)
  if (outcome.kind === 'unknown') {
    const found = await findAttached(asking, vault, method)
    return found.kind === 'stored' ? found : outcome
  }
  // Only where Stripe has attached nothing: with a customer its methods are detached, and can never be attached again.
  await ask(asking, stripe => stripe.customers.del(customer))
  const mayBeAttached = outcome.kind === 'not_sent' && outcome.code === 'gateway_refused'
  return mayBeAttached ? findAttached(asking, vault, method) : outcome
}

/** Attached to a customer that we made, also by a request whose answer was lost, it is stored. */
async function findAttached(asking: Asking, vault: Vault, method: string): Promise<DescribeCardOutcome> {
  const called = await ask(asking, stripe => stripe.paymentMethods.retrieve(method, { expand: ['customer'] }))
  if (isMissing(called)) return refused(refusals.notFound)
  if (called.kind !== 'ok') return noAnswer(called)
  const { object, customer }: Members = isMembers(called.value) ? called.value : {}
  if (object !== 'payment_method' || customer === undefined) return notUnderstood
  if (customer === null) return refused(refusals.spent)
  const { metadata }: Members = isMembers(customer) ? customer : {}
  const isOurs = gatewayIn(metadata) === vault.gatewayId
  return isOurs ? readCard(vault, called.value, nameOf(customer)) : refused(refusals.attached)
}

export async function describeCard(asking: Asking, vault: Vault, cardRef: string): Promise<DescribeCardOutcome> {
  const card = parseCardRef(cardRef)
  if (card === null) return refused(refusals.reference)
  const called = await retrieveMethod(asking, card)
  if (isMissing(called)) return refused(refusals.notFound)
  return called.kind === 'ok' ? readCard(vault, called.value, card.customer) : noAnswer(called)
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

function readCard({ gatewayId, fingerprintKey }: Vault, method: unknown, customer: string | null): DescribeCardOutcome {
  if (!isMembers(method) || method.object !== 'payment_method') return notUnderstood
  if (method.type !== 'card' || !isMembers(method.card)) return refused(refusals.notCard)
  if (customer === null || nameOf(method.customer) !== customer) return refused(refusals.notAttached)
  const { id } = method
  const { last4, brand, exp_month, exp_year, fingerprint } = method.card
  if (typeof id !== 'string' || typeof last4 !== 'string' || !/^\d{4}$/.test(last4)) return notUnderstood
  if (typeof exp_month !== 'number' || typeof exp_year !== 'number') return notUnderstood
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

const notUnderstood = unknown('Stripe answered with something that is no payment method.')

/** Whether it is the card's fault, the merchant's account's, or nobody knows. */
function notStoredBy(failed: Failed): RefusedCard | NotSent | Unknown {
  if (isMissing(failed)) return refused(refusals.notFound)
  const proven = provenBy(failed)
  return proven.kind === 'declined' ? refused(declineCodes[proven.code]) : proven
}
