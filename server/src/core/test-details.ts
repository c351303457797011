// A test of an endpoint is a real notification that nobody can take for a sale: the nil UUID, no money, no customer, and
// `custom_data.test`. Written out, not told of a made-up sale: the type holds it to the same shape.

import type { HookDetails, HookKind } from '@tillbell/sdk'
import { bankStepSays } from './further-action.ts'
import type { Merchant } from './people.ts'
import { isoTime, type ServiceFacts } from './sale.ts'

export const nilUuid = '00000000-0000-0000-0000-000000000000'
const nothing = '0.00'
const failureSentence = 'This is a test: nothing has failed.'

export function testDetails(merchant: Merchant, kind: HookKind, service: ServiceFacts, at: Date): HookDetails {
  const said = saidOfAny(merchant, service, at)
  switch (kind) {
    case 'pre_sale':
      return { type: 'pre_sale', ...said }
    case 'transaction':
    case 'generic':
      return { type: 'success', ...said }
    case 'far': {
      const further_action = { amount: 0, email: '', signup_url: service.baseUrl, mail_to: null }
      return { type: 'far', ...said, ...wrong(bankStepSays), further_action }
    }
    case 'error':
      return { type: 'error', ...said, ...wrong(failureSentence) }
    case 'update':
      return { type: 'refund', ...said, authorization: false, capture: false, refund: refundOf(at) }
  }
}

function refundOf(at: Date) {
  const refunded = { refunded_at: isoTime(at), refunded_by: null, refunded_reason: null }
  return { status: 'succeeded', ...refunded, refunded_token: nilUuid, refunded_amount: nothing } as const
}

function wrong(sentence: string) {
  return { error: sentence, errors: { general: sentence } }
}

function saidOfAny(
  merchant: Merchant,
  { baseUrl }: ServiceFacts,
  at: Date,
): Omit<HookDetails, 'type' | 'further_action' | 'refund' | 'dispute'> {
  const ofOffer = {
    item_name: 'Test',
    item_details: '',
    details: null,
    ref_id: '',
    signup_url: baseUrl,
    custom_fields: [],
    custom_data: { test: 'true' },
  }
  return {
    transaction: nilUuid,
    partner: merchant.partner,
    partner_id: merchant.partnerId,
    amount: nothing,
    balance: nothing,
    unit_price: nothing,
    quantity: 1,
    date: Math.floor(at.getTime() / 1_000),
    payment_method: null,
    payment_method_mask: null,
    card: null,
    name: null,
    email: null,
    authorization: true,
    capture: true,
    referrer_context: null,
    error: null,
    errors: {},
    token: { amount: 0, site: true, url: baseUrl, active: false, content: '', user_data: ofOffer },
    user_data: { ...ofOffer, quantity: '1' },
  }
}
