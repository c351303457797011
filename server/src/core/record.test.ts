import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import {
  after,
  anySale,
  charge,
  customer,
  failed,
  gatewayId,
  madeCharge,
  noon,
  offer,
  oneOfEachStatus,
  processing,
  sale,
  service,
  successful,
  usd,
} from '../../test/support/sale-samples.ts'
import type { OperationId } from './ids.ts'
import { type Operation, operationOutcomes } from './operation.ts'
import { transactionRecord } from './record.ts'

const sold = { ...sale, transaction: successful }

test('a record has every member of the interface, each of its type', () => {
  assert.deepEqual(transactionRecord(sold, service), {
    id: '0192aaaa-0000-7000-8000-000000000003',
    created_at: '2026-11-15T12:00:00.123+00:00',
    status: 'Successful',
    amount: '100.00',
    net_amount: null,
    merchant: 'm_AAAAAAAAAAAAAAAAAAAAAA',
    gateway: 'gw_AAAAAAAAAAAAAAAAAAAAAA',
    source: 'Web Transaction',
    offer: {
      id: '0192aaaa-0000-7000-8000-000000000002',
      ref_id: null,
      details: null,
      item_name: 'Payment of $100.00.',
      signup_url: 'https://pay.example/offers/0192aaaa-0000-7000-8000-000000000002',
      campaign: null,
      tag: null,
      form: null,
    },
    customer: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      sms_number: null,
      billing_address: '1 Main St, Springfield IL, 62701',
      card_mask: '1111',
      card_type: 'visa',
      expiration_date: '2030-12-01',
      service_token: 'q83vEjRWeJCrze8SNFZ4kKvN',
    },
    user_data: {
      billing: {
        state: 'IL',
        city: 'Springfield',
        street: '1 Main St',
        street2: '',
        zip: '62701',
        phone: '',
        country: 'US',
      },
      shipping: null,
      custom_data: {},
      amount: '100.00',
      demo: '1',
      offer_confined_gateway: gatewayId,
    },
  })
})

test('what the merchant gave comes back as given', () => {
  const custom = { customData: { sku: '123', deep: { a: [1, null] } }, amountGiven: '100' }
  const given = { refId: 'r', details: 'd', campaign: 'c', tag: 't', form: 'f', title: 'A hat', ...custom }
  const record = transactionRecord({ ...sold, offer: { ...offer, ...given } }, service)
  const { id, signup_url, ...back } = record.offer as { [name: string]: unknown }
  assert.deepEqual(back, { ref_id: 'r', details: 'd', item_name: 'A hat', campaign: 'c', tag: 't', form: 'f' })
  const { custom_data, amount } = record.user_data as { [name: string]: unknown }
  assert.deepEqual(custom_data, { sku: '123', deep: { a: [1, null] } })
  assert.equal(amount, '100', 'as given to the offer')
})

test('the merchant’s own page takes the place of ours', () => {
  const ownPage = { ...offer, pageUrl: 'https://shop.example/hat' }
  const record = transactionRecord({ ...sold, offer: ownPage }, service)
  assert.equal((record.offer as { signup_url: string }).signup_url, 'https://shop.example/hat')
})

describe('money', () => {
  test('is decimal text in the currency’s decimals', () => {
    const net = { ...successful, netAmountMinor: 9_680n }
    assert.equal(transactionRecord({ ...sale, transaction: net }, service).net_amount, '96.80')
  })
})

describe('a customer', () => {
  test('whose texts are unknown has empty ones, and no missing member', () => {
    const nobody = { ...customer, email: null, firstName: null, lastName: null, billing: null }
    const record = transactionRecord({ ...sold, customer: nobody }, service)
    const { first_name, last_name, email, billing_address } = record.customer as { [name: string]: unknown }
    assert.deepEqual([first_name, last_name, email, billing_address], ['', '', '', ''])
    const { billing } = record.user_data as { [name: string]: unknown }
    assert.deepEqual(billing, { state: '', city: '', street: '', street2: '', zip: '', phone: '' })
  })

  test('has a shipping address only where the offer asks for one, with empty text for missing parts', () => {
    const shipped = { ...customer, shipping: { street: '2 Side St', city: 'Shelbyville', country: 'US' } }
    const shippingFor = (address: 'shipping' | 'billing' | null) => {
      const record = transactionRecord({ ...sold, customer: shipped, offer: { ...offer, address } }, service)
      return (record.user_data as { [name: string]: unknown }).shipping
    }
    const given = { city: 'Shelbyville', street: '2 Side St', country: 'US' }
    const parts = { state: '', street2: '', zip: '', phone: '', ...given }
    assert.deepEqual([shippingFor('shipping'), shippingFor('billing'), shippingFor(null)], [parts, null, null])
  })
})

test('demo tells the sandbox from live', () => {
  const live = transactionRecord(sold, { ...service, mode: 'live' })
  assert.equal((live.user_data as { demo: string }).demo, '0')
})

test('a failed record has a sentence and a stable error code, and no other has', () => {
  const { error, error_code } = transactionRecord({ ...sale, transaction: failed }, service)
  assert.deepEqual([error, error_code], [failed.failure?.sentence, 'card_declined'])
  const others = transactionRecord(sold, service)
  assert.ok(!('error' in others) && !('error_code' in others))
})

test('what was captured of an authorisation is said, and nothing of the kind where it says nothing new', () => {
  const authorised = { ...successful, authorizationOnly: true, capturedMinor: 2_500n }
  assert.equal(transactionRecord({ ...sale, transaction: authorised }, service).captured_amount, '25.00')
  for (const transaction of [successful, { ...authorised, capturedMinor: 0n }]) {
    assert.ok(!('captured_amount' in transactionRecord({ ...sale, transaction }, service)))
  }
})

test('a record says that it is in doubt while an operation is, whichever, and else nothing of it', () => {
  const refund: Operation = { ...madeCharge, id: 'refund' as OperationId, kind: 'refund' }
  for (const outcome of operationOutcomes) {
    const charging = transactionRecord({ ...sale, operations: [{ ...charge, outcome }] }, service)
    const refunding = transactionRecord({ ...sale, operations: [madeCharge, { ...refund, outcome }] }, service)
    const said = outcome === 'unknown' ? true : undefined
    assert.deepEqual([charging.in_doubt, refunding.in_doubt], [said, said], outcome)
  }
})

test('further action is in the record only while the customer must act', () => {
  for (const transaction of oneOfEachStatus) {
    const record = transactionRecord({ ...sale, transaction }, service)
    assert.equal('further_action' in record, transaction.status === 'Further Action Required', transaction.status)
  }
})

describe('refunds', () => {
  const refund: Operation = { ...charge, kind: 'refund', outcome: 'succeeded', gatewayRef: 'r', amountMinor: 2_500n }
  const first = { ...refund, id: 'a' as OperationId, settledAt: noon, refundedBy: 'Grace', refundedReason: 'Broken' }
  const second = { ...refund, id: 'b' as OperationId, settledAt: after(noon, 1_000) }

  test('that succeeded are all there, and the newest once more', () => {
    const { refund: newest, refunds } = transactionRecord({ ...sold, operations: [first, second] }, service)
    const [one, two] = refunds as { [name: string]: unknown }[]
    const said = { refunded_by: 'Grace', refunded_reason: 'Broken', refunded_token: 'a', refunded_amount: '25.00' }
    assert.deepEqual(one, { refunded_at: '2026-11-15T12:00:00.123+00:00', ...said })
    assert.deepEqual(two?.refunded_token, 'b')
    assert.deepEqual(newest, two)
  })

  test('that did not succeed, and other operations, are not', () => {
    const open = ['pending', 'unknown', 'declined', 'not_sent'].map(outcome => ({ ...refund, outcome }) as Operation)
    const others = [...open, { ...refund, kind: 'capture' as const }]
    const record = transactionRecord({ ...sold, operations: others }, service)
    assert.ok(!('refund' in record) && !('refunds' in record))
  })
})

test('disputes are all there, and the newest once more, where there are any', () => {
  const first = {
    gatewayRef: 'a',
    amountMinor: 10_000n,
    currency: usd,
    status: 'won',
    reason: null,
    openedAt: noon,
  } as const
  const second = { ...first, gatewayRef: 'b', amountMinor: 2_500n, status: 'open', reason: 'fraudulent' } as const
  const { dispute, disputes } = transactionRecord({ ...sold, disputes: [first, second] }, service)
  const openedAt = { opened_at: '2026-11-15T12:00:00.123+00:00' }
  assert.deepEqual(disputes, [
    { status: 'won', amount: '100.00', reason: null, ...openedAt },
    { status: 'open', amount: '25.00', reason: 'fraudulent', ...openedAt },
  ])
  assert.deepEqual(dispute, (disputes as unknown[])[1])
  const none = transactionRecord(sold, service)
  assert.ok(!('dispute' in none) && !('disputes' in none))
})

test('whatever the sale, the record has the same members and survives JSON', () => {
  const members = (record: object) => Object.keys(record).sort()
  const plain = transactionRecord({ ...sale, transaction: processing }, service)
  fc.assert(
    fc.property(anySale, any => {
      const record = transactionRecord(any, service)
      const { error, error_code, further_action, captured_amount, ...always } = record
      assert.deepEqual(members(always), members(plain))
      for (const part of ['offer', 'customer', 'user_data']) {
        assert.deepEqual(members(always[part] as object), members(plain[part] as object))
      }
      assert.match(String(record.amount), /^\d+(\.\d{2,3})?$/)
      const text = JSON.stringify(record)
      assert.equal(JSON.stringify(JSON.parse(text)), text)
    }),
  )
})
