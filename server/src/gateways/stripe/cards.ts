// Cards in Stripe's vault. Their numbers never come here: Stripe's own fields turn one into a payment method, whose name
// we attach to a customer of its own, without personal data, so that it can be charged when nobody is there.

import { createHmac } from 'node:crypto'
import {
  type CardFieldsToken,
  type CardReference,
  type CardType,
  type DescribeCardOutcome,
  declineCodes,
  type GivenCard,
  type NotSent,
  type RefusedCard,
  type RemoveCardOutcome,
  type RemoveOwnCardOutcome,
  type StoreCardOutcome,
  type Unknown,
} from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'
import { type Asking, ask } from './account.ts'
import { cardRefOf, methodPattern, parseCardRef } from './card-ref.ts'
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
  // For a customer, and the same whatever is wrong: a stranger does not learn what exists in the account.
  notNew: 'Please enter your card again.',
} as const

const refused = (sentence: string): RefusedCard => ({ kind: 'refused', sentence })

export function storeCard(asking: Asking, vault: Vault, card: GivenCard): Promise<StoreCardOutcome> {
  if ('fieldsToken' in card) return storeEntered(asking, vault, card)
  return 'reference' in card ? storeNamed(asking, vault, card) : Promise.resolve(refused(refusals.number))
}

/** By its merchant, who may name whatever is in the account. */
async function storeNamed(asking: Asking, vault: Vault, { reference }: CardReference): Promise<StoreCardOutcome> {
  const stored = parseCardRef(reference)
  if (stored !== null) {
    const called = await retrieveMethod(asking, stored.method)
    return called.kind === 'ok' ? readCard(vault, called.value, stored.customer) : notStoredBy(called)
  }
  return methodPattern.test(reference)
    ? attachToNewCustomer(asking, vault, reference, () => findAttached(asking, vault, reference))
    : refused(refusals.reference)
}

/**
 * By a visitor of a page, who may have posted anything. Stripe is asked first, so that a payment method of somebody else is
 * not touched. One that was used or detached before is attached to nobody either; Stripe itself refuses to attach it again.
 */
async function storeEntered(asking: Asking, vault: Vault, { fieldsToken }: CardFieldsToken): Promise<StoreCardOutcome> {
  if (!methodPattern.test(fieldsToken)) return refused(refusals.notNew)
  const called = await retrieveMethod(asking, fieldsToken)
  if (isMissing(called)) return refused(refusals.notNew)
  if (called.kind !== 'ok') return notStoredBy(called)
  if (!isMembers(called.value) || called.value.object !== 'payment_method') return notUnderstood
  const { type, customer } = called.value
  if (type !== 'card' || customer !== null) return refused(refusals.notNew)
  return attachToNewCustomer(asking, vault, fieldsToken, async customer => {
    const found = await describeCard(asking, vault, cardRefOf({ customer, method: fieldsToken }))
    return found.kind === 'refused' ? refused(refusals.notNew) : found
  })
}

/** `find`: looks for it where Stripe did not say that it attached it; it is given the customer that was made for it. */
async function attachToNewCustomer(
  asking: Asking,
  vault: Vault,
  method: string,
  find: (customer: string) => Promise<DescribeCardOutcome>,
): Promise<StoreCardOutcome> {
  const metadata = { [metadataNames.gateway]: vault.gatewayId }
  const created = await ask(asking, stripe => stripe.customers.create({ metadata }))
  if (created.kind !== 'ok') return notStoredBy(created)
  const customer = nameOf(created.value)
  if (customer === null) return unknown('Stripe answered with something that is no customer.')
  const attached = await ask(asking, stripe => stripe.paymentMethods.attach(method, { customer }))
  if (attached.kind === 'ok') return readCard(vault, attached.value, customer)
  const outcome = notStoredBy(attached)
  if (outcome.kind === 'unknown') {
    const found = await find(customer)
    return found.kind === 'stored' ? found : outcome
  }
  // Only where Stripe has attached nothing: with a customer its methods are detached, and can never be attached again.
  await ask(asking, stripe => stripe.customers.del(customer))
  const mayBeAttached = outcome.kind === 'not_sent' && outcome.code === 'gateway_refused'
  return mayBeAttached ? find(customer) : outcome
}

/** Attached to a customer that we made, also by a request whose answer was lost, it is stored. */
async function findAttached(asking: Asking, vault: Vault, method: string): Promise<DescribeCardOutcome> {
  const called = await retrieveWithCustomer(asking, method)
  if (isMissing(called)) return refused(refusals.notFound)
  if (called.kind !== 'ok') return noAnswer(called)
  const { object, customer }: Members = isMembers(called.value) ? called.value : {}
  if (object !== 'payment_method' || customer === undefined) return notUnderstood
  if (customer === null) return refused(refusals.spent)
  return isOwnCustomer(vault, customer) ? readCard(vault, called.value, nameOf(customer)) : refused(refusals.attached)
}

/** Whether this gateway made it, for one card: `customer` is expanded. */
function isOwnCustomer({ gatewayId }: Vault, customer: unknown): boolean {
  return isMembers(customer) && gatewayIn(customer.metadata) === gatewayId
}

export async function describeCard(asking: Asking, vault: Vault, cardRef: string): Promise<DescribeCardOutcome> {
  const card = parseCardRef(cardRef)
  if (card === null) return refused(refusals.reference)
  const called = await retrieveMethod(asking, card.method)
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
    if (isDetached(await retrieveMethod(asking, card.method))) return { kind: 'removed' }
  }
  return detached.kind === 'ok' ? unknown('Stripe answered, and the card is still attached.') : noAnswer(detached)
}

/** What a merchant attached to a customer of theirs is theirs: it may be what they charge elsewhere. */
export async function removeOwnCard(asking: Asking, vault: Vault, cardRef: string): Promise<RemoveOwnCardOutcome> {
  const card = parseCardRef(cardRef)
  if (card === null) return unknown(refusals.reference)
  const called = await retrieveWithCustomer(asking, card.method)
  if (isDetached(called)) return { kind: 'removed' }
  if (called.kind !== 'ok') return noAnswer(called)
  const { object, customer }: Members = isMembers(called.value) ? called.value : {}
  if (object !== 'payment_method' || !isMembers(customer)) return notUnderstood
  const isOwn = nameOf(customer) === card.customer && isOwnCustomer(vault, customer)
  return isOwn ? removeCard(asking, cardRef) : { kind: 'not_ours' }
}

function retrieveMethod(asking: Asking, method: string): Promise<Called> {
  return ask(asking, stripe => stripe.paymentMethods.retrieve(method))
}

function retrieveWithCustomer(asking: Asking, method: string): Promise<Called> {
  return ask(asking, stripe => stripe.paymentMethods.retrieve(method, { expand: ['customer'] }))
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
