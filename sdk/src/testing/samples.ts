// A hook of each kind, as the service would send it, for an application's own tests. The schemas hold them to the interface.

import type { HookDetails, HookKind } from '../hook-schemas.ts'

const offerUrl = 'https://pay.example/offers/0192aaaa-0000-7000-8000-000000000002'

const ofOffer = {
  item_name: 'Hat',
  item_details: 'Felt, in green.',
  details: 'Felt, in green.',
  ref_id: 'hat-1',
  signup_url: offerUrl,
  custom_fields: [],
  custom_data: { sku: 'HAT-GREEN' },
} as const

const billing = { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' } as const

const ofAny = {
  transaction: '0192aaaa-0000-7000-8000-000000000003',
  partner: '0192aaaa-0000-7000-8000-00000000000a',
  partner_id: 1_001,
  amount: '100.00',
  balance: '0.00',
  unit_price: '100.00',
  quantity: 1,
  date: 1_794_744_000,
  payment_method: 'q83vEjRWeJCrze8SNFZ4kKvN',
  payment_method_mask: '1111',
  card: 'q83vEjRWeJCrze8SNFZ4kKvN',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  authorization: true,
  capture: true,
  referrer_context: null,
  error: null,
  errors: {},
  token: { amount: 100, site: true, url: offerUrl, active: true, content: '@token@', user_data: ofOffer },
  user_data: { ...ofOffer, quantity: '1', billing },
} as const

const wrong = (sentence: string) => ({ error: sentence, errors: { general: sentence } })
const paid = { type: 'success', ...ofAny, balance: '100.00' } as const
const moneyBack = { ...ofAny, authorization: false, capture: false } as const

export type SampleName = HookKind | 'authorization' | 'capture' | 'void' | 'dispute'

/** What the details of a sample are. */
export type SampleDetails<Name extends SampleName> = Name extends 'authorization' | 'capture'
  ? HookDetails<'transaction'>
  : Name extends 'void' | 'dispute'
    ? HookDetails<'update'>
    : Name extends HookKind
      ? HookDetails<Name>
      : never

/** One for each kind of hook, and for what comes under the same kind: `update` is a refund, `transaction` a sale. */
export const samples: { readonly [Name in SampleName]: SampleDetails<Name> } = {
  pre_sale: { type: 'pre_sale', ...ofAny },
  transaction: paid,
  generic: paid,
  authorization: { ...paid, capture: false },
  capture: { ...paid, authorization: false },
  far: {
    type: 'far',
    ...ofAny,
    ...wrong('The bank asks the customer to confirm the payment.'),
    further_action: { amount: 100, email: 'ada@example.com', signup_url: offerUrl, mail_to: null },
  },
  error: { type: 'error', ...ofAny, ...wrong('The card was declined.') },
  update: {
    type: 'refund',
    ...moneyBack,
    balance: '75.00',
    refund: {
      status: 'succeeded',
      refunded_at: '2026-11-15T10:00:00.000+00:00',
      refunded_by: 'Grace',
      refunded_reason: 'Sent back',
      refunded_token: '0192aaaa-0000-7000-8000-000000000004',
      refunded_amount: '25.00',
    },
  },
  void: { type: 'void', ...moneyBack },
  dispute: {
    type: 'dispute',
    ...moneyBack,
    balance: '100.00',
    dispute: { status: 'open', amount: '100.00', reason: 'fraudulent', opened_at: '2026-11-15T10:00:00.000+00:00' },
  },
}
