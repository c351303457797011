import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HookDetails } from '@tillbell/sdk'
import {
  after,
  authorized,
  charge,
  customer,
  failed,
  noon,
  offer,
  oneOfEachStatus,
  processing,
  sale,
  service,
  successful,
  usd,
} from '../../test/support/sale-samples.ts'
import { bankStepSays } from './further-action.ts'
import { type Asked, type DetailsType, hookDetails, type News } from './hook-details.ts'
import type { Currency } from './money.ts'
import type { Offer } from './offer.ts'
import type { Operation } from './operation.ts'
import type { Sale } from './sale.ts'
import { captureSucceeded, failureCodes, type Transaction } from './transaction.ts'

/** Of any kind: what may be missing may be missing. */
type AnyDetails = Omit<HookDetails<'error'>, 'type'>

function details(
  some: Partial<Sale> = {},
  type: DetailsType = 'success',
  asked: Asked = 'charge',
  at = noon,
): AnyDetails {
  return hookDetails({ ...sale, transaction: successful, ...some }, service, { type, asked, at }) as AnyDetails
}

const types: readonly DetailsType[] = ['pre_sale', 'success', 'far', 'error', 'refund', 'void', 'dispute']

test('details say all of a sale, each field of its type', () => {
  const given = { refId: 'order-1', customData: { sku: '123' }, customUserData: 'mine', fulfillment: 3, details: 'Red' }
  const custom: Offer = { ...offer, ...given, customFields: [{ name: 'size', required: true }], address: 'billing' }
  const ownData = {
    item_name: 'Payment of $100.00.',
    item_details: 'Red',
    details: 'Red',
    ref_id: 'order-1',
    signup_url: 'https://pay.example/offers/0192aaaa-0000-7000-8000-000000000002',
    custom_fields: [{ name: 'size', required: true }],
    custom_data: { sku: '123' },
    custom_user_data: 'mine',
    address: 'billing',
    fulfillment: 3,
  }
  const bought = { ...successful, quantity: 3, amountMinor: 30_000n, capturedMinor: 30_000n, referrerContext: 'mail 7' }
  assert.deepEqual(details({ offer: custom, transaction: bought }), {
    type: 'success',
    transaction: '0192aaaa-0000-7000-8000-000000000003',
    partner: '0192aaaa-0000-7000-8000-00000000000a',
    partner_id: 1001,
    amount: '300.00',
    balance: '300.00',
    unit_price: '100.00',
    quantity: 3,
    date: 1_794_744_000,
    payment_method: 'q83vEjRWeJCrze8SNFZ4kKvN',
    payment_method_mask: '1111',
    card: 'q83vEjRWeJCrze8SNFZ4kKvN',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    authorization: true,
    capture: true,
    referrer_context: 'mail 7',
    error: null,
    errors: {},
    token: {
      amount: 100,
      site: true,
      url: 'https://pay.example/offers/0192aaaa-0000-7000-8000-000000000002',
      active: true,
      content: '@token@',
      user_data: ownData,
    },
    user_data: {
      ...ownData,
      quantity: '3',
      billing: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' },
    },
  })
})

describe('what the gateway is asked to do', () => {
  const asks = (some: Partial<Sale>, type: DetailsType, asked: Asked) => {
    const { authorization, capture } = details(some, type, asked)
    return [authorization, capture]
  }
  const authorizing = { transaction: { ...processing, authorizationOnly: true } }

  test('a sale authorises and captures', () => {
    assert.deepEqual(asks({}, 'success', 'charge'), [true, true])
    assert.deepEqual(asks({ transaction: processing }, 'pre_sale', 'charge'), [true, true])
    assert.deepEqual(asks({ transaction: failed }, 'error', 'charge'), [true, true])
  })

  test('authorising only does not capture', () => {
    assert.deepEqual(asks(authorizing, 'pre_sale', 'charge'), [true, false])
    assert.deepEqual(asks({ transaction: authorized }, 'success', 'charge'), [true, false])
  })

  test('a later capture does not authorise', () => {
    const captured = captureSucceeded(authorized, 6_000n, null)
    assert.deepEqual(asks({ transaction: captured }, 'success', 'capture'), [false, true])
  })

  test('a refund and a void do neither', () => {
    assert.deepEqual(asks({}, 'refund', 'refund'), [false, false])
    assert.deepEqual(asks({}, 'void', 'void'), [false, false])
  })
})

describe('balance', () => {
  const balanceOf = (transaction: Sale['transaction'], type: DetailsType) => details({ transaction }, type).balance

  test('is what is held or taken and not given back', () => {
    assert.equal(balanceOf(successful, 'success'), '100.00')
    assert.equal(balanceOf(authorized, 'success'), '100.00')
    assert.equal(balanceOf(captureSucceeded(authorized, 6_000n, null), 'success'), '60.00')
    const part = { ...successful, status: 'Partially Refunded' as const, refundedMinor: 2_500n }
    assert.equal(balanceOf(part, 'refund'), '75.00')
  })

  test('is nothing in Pre-Sale, FAR and Error, in the currency’s decimals', () => {
    for (const type of ['pre_sale', 'far', 'error'] as const) {
      for (const transaction of oneOfEachStatus) assert.equal(balanceOf(transaction, type), '0.00')
      assert.equal(balanceOf({ ...processing, currency: 'JPY' as Currency }, type), '0')
    }
  })
})

describe('errors', () => {
  test('are null and nothing when nothing is wrong', () => {
    for (const type of ['pre_sale', 'success', 'refund', 'void'] as const) {
      const { error, errors } = details({}, type)
      assert.deepEqual([error, errors], [null, {}])
    }
  })

  test('are one sentence, and the fields as REST answers write them', () => {
    const { error, errors } = details({ transaction: failed }, 'error')
    assert.deepEqual([error, errors], ['The card was declined.', { general: 'The card was declined.' }])
  })

  test('of FAR say that the customer has to act', () => {
    const { error, errors } = details({ transaction: processing }, 'far')
    assert.deepEqual([error, errors], [bankStepSays, { general: bankStepSays }])
  })
})

describe('further action', () => {
  test('stands in FAR and nowhere else', () => {
    for (const type of types) assert.equal('further_action' in details({}, type), type === 'far', type)
  })

  test('of an email that failed leads to the page of the offer, as long as its customer can pay there', () => {
    const declined: Transaction = { ...failed, source: 'Email Transaction' }
    const way = (of: { readonly offer?: Offer; readonly transaction?: Transaction }) =>
      details({ transaction: declined, ...of }, 'error').further_action?.signup_url
    const page = `https://pay.example/offers/${offer.id}`
    assert.equal(way({}), page)
    assert.equal(way({ offer: { ...offer, email: customer.email } }), page)
    assert.equal(way({ offer: { ...offer, email: 'bob@example.com' } }), undefined)
    assert.equal(way({ offer: { ...offer, active: false } }), undefined)
    const failure = { code: 'gateway_inactive', sentence: failureCodes.gateway_inactive } as const
    assert.equal(way({ transaction: { ...declined, failure } }), undefined)
    assert.equal(way({ transaction: failed }), undefined, 'a customer on the page, or of a REST call, was told there')
  })

  test('says what is due, of whom and where, always on our page, and carries no link that can charge', () => {
    const ownPage = { ...offer, pageUrl: 'https://shop.example/hat' }
    const { further_action } = details({ offer: ownPage, transaction: processing }, 'far')
    assert.deepEqual(further_action, {
      amount: 100,
      email: 'ada@example.com',
      signup_url: `https://pay.example/offers/${offer.id}?transaction=${processing.id}`,
      mail_to: null,
    })
  })

  test('of somebody without an address has an empty one', () => {
    const { further_action } = details({ customer: { ...customer, email: null } }, 'far')
    assert.equal(further_action?.email, '')
  })
})

describe('token', () => {
  test('is of the site for web and REST, and not for mail', () => {
    assert.equal(details().token.site, true)
    const mailed = { ...successful, source: 'Email Transaction' as const }
    assert.equal(details({ transaction: mailed }).token.site, false)
  })

  test('of an offer for one customer is in the details of their payments alone', () => {
    const [own, others] = ['ada@example.com', 'bob@example.com'].map(email => ({ ...offer, email }))
    assert.equal(details({ offer: own ?? offer }).token.content, offer.tokenContent)
    assert.equal(details({ offer: others ?? offer }, 'error').token.content, '')
  })

  test('names the unit price as a number, whatever the quantity', () => {
    const bought = { ...successful, quantity: 2, amountMinor: 4_110n, unitPriceMinor: 2_055n, capturedMinor: 4_110n }
    const { token, unit_price, amount } = details({ offer: { ...offer, amountMinor: 2_055n }, transaction: bought })
    assert.deepEqual([token.amount, unit_price, amount], [20.55, '20.55', '41.10'])
  })

  test('is active as long as anybody could still pay with it', () => {
    const isActive = (some: Partial<Offer>) => details({ offer: { ...offer, ...some } }).token.active
    assert.equal(isActive({ active: false }), false)
    assert.equal(isActive({ stockLeft: 0 }), false)
    assert.equal(isActive({ stockLeft: -1 }), false)
    assert.equal(isActive({ stockLeft: 1 }), true)
    assert.equal(isActive({ expiresAt: noon }), false)
    assert.equal(isActive({ expiresAt: after(noon, 1) }), true)
  })

  test('points to the merchant’s own page where there is one', () => {
    const { token, user_data } = details({ offer: { ...offer, pageUrl: 'https://shop.example/hat' } })
    assert.deepEqual([token.url, user_data.signup_url], ['https://shop.example/hat', 'https://shop.example/hat'])
  })

  test('has the offer’s own user_data, without what the customer added', () => {
    const { token, user_data } = details()
    const { quantity, billing, ...own } = user_data
    assert.deepEqual(token.user_data, own)
    assert.deepEqual([typeof quantity, typeof billing], ['string', 'object'])
  })
})

describe('user_data', () => {
  test('has a billing address only where one is known, with empty text for missing parts', () => {
    const billingOf = (billing: typeof customer.billing) =>
      details({ customer: { ...customer, billing } }).user_data.billing
    assert.equal(billingOf(null), undefined)
    assert.deepEqual(billingOf({ city: 'Paris' }), { street: '', city: 'Paris', state: '', zip: '', country: '' })
  })

  test('has a shipping address only where one was asked for and is known', () => {
    const shippingFor = (address: Offer['address'], known: boolean) => {
      const shipping = known ? { street: '2 Side St', country: 'US', phone: '1' } : null
      return details({ offer: { ...offer, address }, customer: { ...customer, shipping } }).user_data.shipping
    }
    const parts = { street: '2 Side St', city: '', state: '', zip: '' }
    assert.deepEqual(shippingFor('shipping', true), { ...parts, country: 'US', phone: '1' })
    assert.equal(shippingFor('shipping', false), undefined)
    assert.equal(shippingFor('billing', true), undefined)
    assert.equal(shippingFor(null, true), undefined)
  })

  test('has empty text where the offer gave none, and null for its details', () => {
    const { item_details, ref_id, details: given, custom_data } = details().user_data
    assert.deepEqual([item_details, ref_id, given, custom_data], ['', '', null, {}])
    const optional = ['custom_user_data', 'address', 'fulfillment']
    for (const name of optional) assert.ok(!(name in details().user_data), name)
  })
})

test('names are joined by a blank, and null when unknown', () => {
  assert.equal(details({ customer: { ...customer, lastName: null } }).name, 'Ada')
  assert.equal(details({ customer: { ...customer, firstName: null, lastName: null } }).name, null)
  assert.equal(details({ customer: { ...customer, email: null } }).email, null)
})

test('the date is the event’s, in whole seconds', () => {
  assert.equal(details({}, 'success', 'charge', new Date(1_999)).date, 1)
})

test('an update says which refund it tells of, and whether it failed since; or how its dispute stands', () => {
  const news = (of: News) => hookDetails(sale, service, { type: 'refund', asked: 'nothing', at: noon, news: of })
  const made = { ...charge, kind: 'refund', amountMinor: 3_000n, settledAt: noon, refundedBy: 'Grace' } as const
  const said = {
    refunded_at: '2026-11-15T12:00:00.123+00:00',
    refunded_by: 'Grace',
    refunded_reason: null,
    refunded_token: charge.id,
    refunded_amount: '30.00',
  }
  const refundIn = (outcome: Operation['outcome']) => {
    const details = news({ refund: { ...made, outcome } })
    return 'refund' in details ? details.refund : null
  }
  assert.deepEqual(refundIn('succeeded'), { status: 'succeeded', ...said })
  assert.deepEqual(refundIn('declined'), { status: 'failed', ...said })
  const dispute = { gatewayRef: 'dp_1', amountMinor: 6_000n, currency: usd, openedAt: noon, reason: 'fraudulent' }
  const details = news({ dispute: { ...dispute, status: 'lost' } })
  const shown = { status: 'lost', amount: '60.00', reason: 'fraudulent', opened_at: '2026-11-15T12:00:00.123+00:00' }
  assert.deepEqual('dispute' in details ? details.dispute : null, shown)
})
