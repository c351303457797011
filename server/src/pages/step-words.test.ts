import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineCodes } from '../core/gateway.ts'
import { newOperation } from '../core/new-operation.ts'
import type { Operation } from '../core/operation.ts'
import { after, noon, oneOfEachStatus, processing, sale } from '../core/samples.test.ts'
import { type FailureCode, failureCodes, type Transaction, transactionStatuses } from '../core/transaction.ts'
import { wordsFor } from './step-words.ts'

const charge: Operation = {
  ...newOperation({ now: () => noon, newOperationId: () => 'operation' as never }, { ...facts(), kind: 'charge' }),
  gatewayRef: 'gateway_1',
}

function facts() {
  const { merchantId, id: transactionId, gatewayId, amountMinor, currency } = processing
  return { merchantId, transactionId, gatewayId, cardRef: null, amountMinor, currency }
}

const waiting: Transaction = { ...processing, status: 'Further Action Required', actionExpiresAt: after(noon, 1_000) }
const words = (transaction: Transaction, returned = false, operation: Partial<Operation> = {}, now = noon) =>
  wordsFor({ ...sale, transaction, operations: [{ ...charge, ...operation }] }, now, returned)

test('every state has its own words, and only one that waits leads to the bank', () => {
  const said = oneOfEachStatus.map(transaction => words(transaction))
  assert.deepEqual(new Set(oneOfEachStatus.map(({ status }) => status)), new Set(transactionStatuses))
  for (const [index, { status }] of oneOfEachStatus.entries()) {
    const isPaid = ['Successful', 'Authorized', 'Partially Refunded', 'Refunded'].includes(status)
    assert.equal(said[index]?.receipt, isPaid, status)
    assert.equal(said[index]?.mood === 'good', isPaid, status)
    assert.equal(said[index]?.offers.includes('bank') ?? false, status === 'Further Action Required', status)
  }
  const headings = new Set(said.map(({ heading, sentences }) => `${heading} ${sentences.join(' ')}`))
  assert.ok(headings.size >= transactionStatuses.length - 1)
})

test('back from the bank without its word, one may look again or go there again', () => {
  assert.deepEqual(words(waiting, true).offers, ['look', 'bank'])
  assert.deepEqual(words(waiting, false).offers, ['bank'])
})

test('when the time is over nobody is led to the bank, and until it is proven nobody is told that nothing was charged', () => {
  const late = words(waiting, false, {}, after(noon, 1_000))
  assert.deepEqual(late.offers, ['look'])
  assert.doesNotMatch(late.sentences.join(' '), /was not charged/)
})

test('why a bank declined is not told to whoever has the link', () => {
  const codes = Object.keys({ ...declineCodes, ...failureCodes }) as FailureCode[]
  for (const code of codes) {
    const { heading, sentences } = words({
      ...processing,
      status: 'Failed',
      failure: { code, sentence: 'It says why.' },
    })
    const text = [heading, ...sentences].join(' ')
    assert.match(text, /Your card was not charged\. To pay, begin again at Corner Shop\.$/)
    assert.doesNotMatch(text, /why|fund|lost|stolen|fraud|limit|expired|code|support|gateway/i, code)
  }
})

test('while a person must decide, nothing is said about whether it was charged', () => {
  for (const transaction of oneOfEachStatus) {
    const { sentences, offers, mood } = words(transaction, false, { forPerson: 'It is strange.' })
    assert.deepEqual([mood, offers], ['waits', []])
    assert.doesNotMatch(sentences.join(' '), /charged|strange/)
  }
})
