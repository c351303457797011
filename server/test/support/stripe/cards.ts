// Stripe's documented test PaymentMethods, and how their banks answer. As its testing page says, a card whose bank
// declines at once cannot be attached to a customer either; pm_card_chargeCustomerFail can, and is declined afterwards.
// For the other declines of a card that is attached, have its bank change its mind: `setBank` in dashboard.ts.

import type { PaymentMethod } from './objects.ts'
import type { State } from './state.ts'

export interface Decline {
  readonly code: string
  readonly decline_code: string
}
export type Bank =
  | { readonly kind: 'pays' }
  | ({ readonly kind: 'declines' } & Decline)
  /** Asks the card's holder first, off session too unless it was told not to. */
  | { readonly kind: 'authenticates'; readonly evenOffSession: boolean; readonly afterwards: 'pays' | Decline }

interface TestCard {
  readonly brand: string
  readonly last4: string
  readonly bank: Bank
  readonly isAttachable: boolean
  readonly refundsStayPending?: boolean
}

export const pays: Bank = { kind: 'pays' }

/** Where the bank's reason has an error code of its own, that is the code, else card_declined. */
export function declines(reason: string): Bank & Decline {
  const own = ['expired_card', 'incorrect_cvc', 'processing_error']
  return { kind: 'declines', code: own.includes(reason) ? reason : 'card_declined', decline_code: reason }
}

const authenticates = (afterwards: 'pays' | Decline = 'pays'): Bank => ({
  kind: 'authenticates',
  evenOffSession: true,
  afterwards,
})

const paying = (brand: string, last4: string): TestCard => ({ brand, last4, bank: pays, isAttachable: true })
const visa = (last4: string, bank: Bank, isAttachable: boolean): TestCard => ({
  brand: 'visa',
  last4,
  bank,
  isAttachable,
})

const testCards: { readonly [name: string]: TestCard } = {
  pm_card_visa: paying('visa', '4242'),
  pm_card_visa_debit: paying('visa', '5556'),
  pm_card_mastercard: paying('mastercard', '4444'),
  pm_card_amex: paying('amex', '0005'),
  pm_card_discover: paying('discover', '1117'),
  pm_card_diners: paying('diners', '0004'),
  pm_card_jcb: paying('jcb', '0505'),
  pm_card_visa_chargeDeclined: visa('0002', declines('generic_decline'), false),
  pm_card_visa_chargeDeclinedInsufficientFunds: visa('9995', declines('insufficient_funds'), false),
  pm_card_visa_chargeDeclinedLostCard: visa('9987', declines('lost_card'), false),
  pm_card_visa_chargeDeclinedStolenCard: visa('9979', declines('stolen_card'), false),
  pm_card_visa_chargeDeclinedVelocityLimitExceeded: visa('6975', declines('card_velocity_exceeded'), false),
  pm_card_chargeDeclinedExpiredCard: visa('0069', declines('expired_card'), false),
  pm_card_chargeDeclinedIncorrectCvc: visa('0127', declines('incorrect_cvc'), false),
  pm_card_chargeDeclinedProcessingError: visa('0119', declines('processing_error'), false),
  pm_card_chargeCustomerFail: visa('0341', declines('generic_decline'), true),
  pm_card_radarBlock: visa('0019', declines('fraudulent'), true),
  pm_card_authenticationRequired: visa('3184', authenticates(), true),
  pm_card_authenticationRequiredChargeDeclinedInsufficientFunds: visa(
    '3178',
    authenticates(declines('insufficient_funds')),
    true,
  ),
  pm_card_authenticationRequiredSetupForOffSession: visa(
    '0446',
    { kind: 'authenticates', evenOffSession: false, afterwards: 'pays' },
    true,
  ),
  pm_card_pendingRefund: { ...paying('visa', '7726'), refundsStayPending: true },
}

/** A payment method of the account, by its id; or a new one of the test card that is named. Null: neither. */
export function methodNamed(state: State, name: string): PaymentMethod | null {
  const card = Object.hasOwn(testCards, name) ? testCards[name] : undefined
  if (card === undefined) return state.find('payment_method', name)
  return state.add<'payment_method'>({
    id: state.newId('pm'),
    object: 'payment_method',
    type: 'card',
    card: {
      brand: card.brand,
      last4: card.last4,
      exp_month: 12,
      exp_year: 2040,
      fingerprint: `fp_${name}`,
      funding: 'credit',
      country: 'US',
    },
    customer: null,
    created: state.nowS(),
    livemode: false,
    metadata: {},
  })
}

function testCardOf({ card }: PaymentMethod): TestCard {
  const known = testCards[card.fingerprint.slice('fp_'.length)]
  if (known === undefined) throw new Error(`no test card has the fingerprint ${card.fingerprint}`)
  return known
}

export function bankOf(state: State, method: PaymentMethod): Bank {
  return state.banks.get(method.id) ?? testCardOf(method).bank
}

export const isAttachable = (method: PaymentMethod): boolean => testCardOf(method).isAttachable

export const refundsStayPending = (method: PaymentMethod): boolean => testCardOf(method).refundsStayPending === true

export function declineSentence({ decline_code }: Decline): string {
  switch (decline_code) {
    case 'insufficient_funds':
      return 'Your card has insufficient funds.'
    case 'expired_card':
      return 'Your card has expired.'
    case 'incorrect_cvc':
      return "Your card's security code is incorrect."
    case 'processing_error':
      return 'An error occurred while processing your card. Try again in a little bit.'
    default:
      return 'Your card was declined.'
  }
}
