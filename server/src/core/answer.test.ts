import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  charge,
  noon,
  oneOfEachStatus,
  processing,
  sale,
  service,
  successful,
} from '../../test/support/sale-samples.ts'
import { chargeAnswer, followUpAnswer, refusal } from './answer.ts'
import { bankStepSays } from './further-action.ts'
import { declineCodes } from './gateway.ts'
import type { OperationOutcome } from './operation.ts'
import { transactionRecord } from './record.ts'
import { type FailureCode, failureCodes, type Transaction } from './transaction.ts'

const saleOf = (transaction: Transaction) => ({ ...sale, transaction })

const statusOfFailure: { readonly [code in FailureCode]: number } = {
  pre_sale_stopped: 409,
  pre_sale_error: 424,
  gateway_not_reached: 502,
  gateway_credentials_refused: 502,
  gateway_account_suspended: 502,
  gateway_busy: 502,
  gateway_refused: 502,
  gateway_no_answer: 502,
  interrupted: 502,
  offer_inactive: 422,
  offer_expired: 422,
  offer_used_up: 422,
  offer_for_another: 422,
  gateway_inactive: 422,
  asked_again: 422,
  action_expired: 402,
  ...(Object.fromEntries(Object.keys(declineCodes).map(code => [code, 402])) as Record<keyof typeof declineCodes, 402>),
}

describe('a charge answers', () => {
  for (const [code, status] of Object.entries(statusOfFailure)) {
    test(`${status} when it failed by ${code}, with the record, its code and one sentence`, () => {
      const sentence = { ...declineCodes, ...failureCodes }[code as FailureCode]
      const failed = saleOf({ ...processing, status: 'Failed', failure: { code: code as FailureCode, sentence } })
      const answer = chargeAnswer(failed, service)
      assert.equal(answer.status, status)
      assert.deepEqual(answer.body.errors, { general: sentence })
      assert.equal(answer.body.transaction?.status, 'Failed')
      assert.equal(answer.body.transaction?.error_code, code)
      assert.match(sentence, /^[A-Z].*\.$/)
    })
  }

  const statusOfState = {
    ...{ Processing: 202, Successful: 200, Authorized: 200, Failed: 402, 'Further Action Required': 202 },
    ...{ Voided: 200, 'Partially Refunded': 200, Refunded: 200 },
  }
  for (const transaction of oneOfEachStatus) {
    test(`${statusOfState[transaction.status]} while it is ${transaction.status}`, () => {
      const answer = chargeAnswer(saleOf(transaction), service)
      assert.equal(answer.status, statusOfState[transaction.status])
      assert.deepEqual(answer.body.transaction, transactionRecord(saleOf(transaction), service))
    })
  }

  test('no errors when it succeeded or is in doubt, and what to do where the customer must act', () => {
    const errorsBy = oneOfEachStatus.map(one => [one.status, chargeAnswer(saleOf(one), service).body.errors])
    assert.deepEqual(Object.fromEntries(errorsBy), {
      ...{ Processing: null, Successful: null, Authorized: null, Voided: null },
      ...{ 'Partially Refunded': null, Refunded: null, Failed: { general: 'The card was declined.' } },
      'Further Action Required': { general: bankStepSays },
    })
  })
})

describe('a refund, capture or void answers', () => {
  const about = (outcome: OperationOutcome, kind: 'refund' | 'capture' | 'void' = 'refund') => {
    const settledAt = outcome === 'pending' || outcome === 'unknown' ? null : noon
    const declineCode = outcome === 'declined' ? ('amount_too_large' as const) : null
    return followUpAnswer(saleOf(successful), { ...charge, kind, outcome, settledAt, declineCode }, service)
  }

  test('200 when it succeeded', () => {
    const record = transactionRecord(saleOf(successful), service)
    assert.deepEqual(about('succeeded'), { status: 200, body: { transaction: record, errors: null } })
  })

  test('202 while it is in doubt', () => {
    for (const outcome of ['pending', 'unknown'] as const) {
      assert.deepEqual([about(outcome).status, about(outcome).body.errors], [202, null])
    }
  })

  test('402 when it was declined, with the decline’s sentence', () => {
    const { status, body } = about('declined')
    assert.deepEqual([status, body.errors], [402, { general: declineCodes.amount_too_large }])
  })

  test('502 when it was not sent, naming what was not done', () => {
    for (const kind of ['refund', 'capture', 'void'] as const) {
      const { status, body } = about('not_sent', kind)
      const general = `The payment gateway could not be reached; the ${kind} was not carried out.`
      assert.deepEqual([status, body.errors], [502, { general }])
    }
  })

  test('by the operation, whatever the transaction’s own failure once was', () => {
    assert.equal(about('succeeded').body.transaction?.status, 'Successful')
  })
})

test('what is refused before a record exists has no record', () => {
  const errors = { token: 'token is not known.' }
  assert.deepEqual(refusal(404, errors), { status: 404, body: { transaction: null, errors } })
})
