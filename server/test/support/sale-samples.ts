// A sale to test with, whole and plausible, and the rules that the database holds about its transaction.

import * as fc from 'fast-check'
import type {
  CardToken,
  CustomerId,
  EndpointId,
  GatewayId,
  MerchantId,
  OfferId,
  OperationId,
  PartnerUuid,
  TransactionId,
} from '../../src/core/ids.ts'
import type { Currency } from '../../src/core/money.ts'
import type { Json, Offer } from '../../src/core/offer.ts'
import type { Operation } from '../../src/core/operation.ts'
import type { Card, Customer, Entered, Merchant } from '../../src/core/people.ts'
import type { PreSaleAnswer } from '../../src/core/ports.ts'
import type { Sale, ServiceFacts } from '../../src/core/sale.ts'
import type { Transaction } from '../../src/core/transaction.ts'

export const usd = 'USD' as Currency
export const merchantId = 'm_AAAAAAAAAAAAAAAAAAAAAA' as MerchantId
export const gatewayId = 'gw_AAAAAAAAAAAAAAAAAAAAAA' as GatewayId
export const cardToken = 'q83vEjRWeJCrze8SNFZ4kKvN' as CardToken
const customerId = '0192aaaa-0000-7000-8000-000000000001' as CustomerId
export const offerId = '0192aaaa-0000-7000-8000-000000000002' as OfferId
export const transactionId = '0192aaaa-0000-7000-8000-000000000003' as TransactionId
export const operationId = '0192aaaa-0000-7000-8000-000000000004' as OperationId

export const noon = new Date('2026-11-15T12:00:00.123Z')
export const service: ServiceFacts = { mode: 'sandbox', baseUrl: 'https://pay.example' }

export function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms)
}

export const merchant: Merchant = {
  id: merchantId,
  partner: '0192aaaa-0000-7000-8000-00000000000a' as PartnerUuid,
  partnerId: 1001,
  name: 'Corner Shop',
  email: 'owner@shop.example',
  currency: usd,
}

export const customer: Customer = {
  id: customerId,
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  smsNumber: null,
  billing: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' },
  shipping: null,
}

export const card: Card = {
  token: cardToken,
  customerId,
  gatewayId,
  cardRef: 'vault_1',
  mask: '1111',
  type: 'visa',
  expiryMonth: 12,
  expiryYear: 2030,
  removedAt: null,
  consentedAt: null,
  confirmedAt: null,
  removeAt: null,
  createdAt: noon,
}

export const offer: Offer = {
  merchantId,
  id: offerId,
  createdAt: noon,
  title: 'Payment of $100.00.',
  details: null,
  amountMinor: 10_000n,
  amountGiven: '100.00',
  currency: usd,
  refId: null,
  campaign: null,
  tag: null,
  form: null,
  stockLeft: null,
  expiresAt: null,
  gatewayId: null,
  pageUrl: null,
  customFields: [],
  address: null,
  customUserData: null,
  fulfillment: null,
  email: null,
  authorizationOnly: false,
  customData: {},
  tokenContent: '@token@',
  active: true,
}

export const processing: Transaction = {
  merchantId,
  id: transactionId,
  createdAt: noon,
  status: 'Processing',
  source: 'Web Transaction',
  offerId,
  customerId,
  cardToken,
  tokenSha256: null,
  gatewayId,
  currency: usd,
  unitPriceMinor: 10_000n,
  quantity: 1,
  amountMinor: 10_000n,
  netAmountMinor: null,
  authorizationOnly: false,
  referrerContext: null,
  entered: null,
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

export const successful: Transaction = { ...processing, status: 'Successful', capturedMinor: 10_000n }
export const authorized: Transaction = {
  ...processing,
  status: 'Authorized',
  authorizationOnly: true,
  heldMinor: 10_000n,
}
export const failed: Transaction = {
  ...processing,
  status: 'Failed',
  failure: { code: 'card_declined', sentence: 'The card was declined.' },
}

/** Every state that a transaction can be in, with money that fits. */
export const oneOfEachStatus: readonly Transaction[] = [
  processing,
  successful,
  authorized,
  failed,
  { ...processing, status: 'Further Action Required', actionExpiresAt: after(noon, 60_000) },
  { ...processing, status: 'Voided', authorizationOnly: true },
  { ...successful, status: 'Partially Refunded', refundedMinor: 4_000n },
  { ...successful, status: 'Refunded', refundedMinor: 10_000n },
]

export const charge: Operation = {
  merchantId,
  transactionId,
  id: operationId,
  kind: 'charge',
  gatewayId,
  cardRef: null,
  amountMinor: 10_000n,
  currency: usd,
  createdAt: noon,
  outcome: 'pending',
  sendings: 1,
  asks: 0,
  nextAskAt: noon,
  gatewayRef: null,
  declineCode: null,
  notSentCode: null,
  cause: null,
  settledAt: null,
  forPerson: null,
  moreForPerson: [],
  refundedBy: null,
  refundedReason: null,
  request: null,
  isOverdue: false,
}
export const madeCharge: Operation = {
  ...charge,
  outcome: 'succeeded',
  settledAt: noon,
  nextAskAt: null,
  gatewayRef: 'gateway_1',
}

export const sale: Sale = { merchant, offer, customer, card, transaction: processing, operations: [], disputes: [] }

export function answered(status: number | null): PreSaleAnswer {
  return { endpointId: 'endpoint' as EndpointId, status, reason: null, durationMs: 1, answer: '' }
}

/** What the constraints of the transaction table say, word for word: the first that this one breaks. */
export function brokenConstraint(transaction: Transaction): string | null {
  const { status, unitPriceMinor, quantity, amountMinor, failure, actionExpiresAt } = transaction
  const { heldMinor: held, capturedMinor: captured, refundReservedMinor: reserved, refundedMinor } = transaction
  if (amountMinor !== unitPriceMinor * BigInt(quantity)) return 'transaction_total'
  if (held < 0n || held > amountMinor || captured < 0n || captured > amountMinor) return 'transaction_money'
  if (reserved < 0n || refundedMinor < 0n || reserved + refundedMinor > captured) return 'transaction_money'
  const stateMoney: { readonly [name: string]: boolean } = {
    Authorized: held === amountMinor && captured === 0n,
    Successful: held === 0n && captured > 0n && refundedMinor === 0n,
    'Partially Refunded': held === 0n && refundedMinor > 0n && refundedMinor < captured,
    Refunded: held === 0n && captured > 0n && refundedMinor === captured,
  }
  if (!(stateMoney[status] ?? (held === 0n && captured === 0n))) return 'transaction_state_money'
  if ((status === 'Failed') !== (failure !== null)) return 'transaction_failure'
  if ((status === 'Further Action Required') !== (actionExpiresAt !== null)) return 'transaction_action'
  const { actionWants, actionMailTo, cardToken } = transaction
  if (actionWants !== null && status !== 'Further Action Required') return 'transaction_wants'
  if (actionMailTo !== null && actionWants === null) return 'transaction_mail_to'
  const mayHaveNone = ['Processing', 'Further Action Required', 'Failed'].includes(status)
  if (cardToken === null && !mayHaveNone) return 'transaction_card'
  return null
}

/** Text as hard as it gets: escapes, two-, three- and four-byte characters, line separators, half a surrogate pair. */
const hardChar = fc.constantFrom(...'aZ09 "\'\\/<>&%\t\n\u0001\u007féß語\u2028😀', '\ud800')
const text = (lengthMax: number) => fc.string({ unit: hardChar, maxLength: lengthMax })
const orNull = <Some>(some: fc.Arbitrary<Some>) => fc.option(some, { nil: null })
const address = fc.record(
  {
    street: text(40),
    street2: text(40),
    city: text(40),
    state: text(9),
    zip: text(9),
    country: text(2),
    phone: text(9),
  },
  { requiredKeys: [] },
)
/** As it comes out of a request or the database: JSON has no -0. */
const json: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 2 }).map(value => JSON.parse(JSON.stringify(value)))

export const anyOffer: fc.Arbitrary<Offer> = fc
  .record({
    title: text(255),
    details: orNull(text(500)),
    amountMinor: fc.bigInt({ min: 1n, max: 99_999_999n }),
    currency: fc.constantFrom(...(['USD', 'JPY', 'KWD', 'EUR'] as Currency[])),
    refId: orNull(text(255)),
    campaign: orNull(text(20)),
    stockLeft: orNull(fc.integer({ min: -3, max: 3 })),
    expiresAt: orNull(fc.constantFrom(after(noon, -1), noon, after(noon, 1))),
    pageUrl: orNull(text(100).map(path => `https://shop.example/${encodeURIComponent(path.toWellFormed())}`)),
    customFields: fc.array(fc.record({ name: text(20), required: fc.boolean() }), { maxLength: 3 }),
    address: orNull(fc.constantFrom('shipping', 'billing')),
    customUserData: orNull(text(500)),
    fulfillment: orNull(fc.nat()),
    customData: fc.dictionary(text(20), json, { maxKeys: 4, noNullPrototype: true }),
    active: fc.boolean(),
  })
  .map(some => ({ ...offer, ...some }))

const anyCustomer: fc.Arbitrary<Customer> = fc
  .record({
    email: orNull(text(100)),
    firstName: orNull(text(100)),
    lastName: orNull(text(100)),
    smsNumber: orNull(text(20)),
    billing: orNull(address as fc.Arbitrary<NonNullable<Customer['billing']>>),
    shipping: orNull(address as fc.Arbitrary<NonNullable<Customer['billing']>>),
  })
  .map(some => ({ ...customer, ...some }))

const anyEntered: fc.Arbitrary<Entered> = anyCustomer.chain(({ firstName, lastName, billing, shipping }) =>
  fc
    .dictionary(text(20), text(40), { maxKeys: 3 })
    .map(answers => ({ firstName, lastName, billing, shipping, answers })),
)

/** Any sale, in any state, of any number of units. */
export const anySale: fc.Arbitrary<Sale> = fc
  .record({
    offer: anyOffer,
    customer: anyCustomer,
    state: fc.constantFrom(...oneOfEachStatus),
    quantity: fc.integer({ min: 1, max: 9999 }),
    source: fc.constantFrom('Web Transaction' as const, 'Email Transaction' as const),
    referrerContext: orNull(text(255)),
    entered: orNull(anyEntered),
  })
  .map(({ offer, customer, state, quantity, ...some }): Sale => {
    const amountMinor = offer.amountMinor * BigInt(quantity)
    const scaled = (minor: bigint) => (minor === 4_000n ? 1n : minor === 0n ? 0n : amountMinor)
    const money = {
      heldMinor: scaled(state.heldMinor),
      capturedMinor: scaled(state.capturedMinor),
      refundedMinor: scaled(state.refundedMinor),
    }
    const { currency, amountMinor: unitPriceMinor } = offer
    const transaction = { ...state, ...some, ...money, currency, unitPriceMinor, quantity, amountMinor }
    return { merchant, offer, customer, card, transaction, operations: [], disputes: [] }
  })
