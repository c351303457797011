import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, noon, oneOfEachStatus, processing, sale } from '../../test/support/sale-samples.ts'
import { declineCodes } from '../core/gateway.ts'
import { newOperation } from '../core/new-operation.ts'
import type { Operation } from '../core/operation.ts'
import type { Sale } from '../core/sale.ts'
import { type FailureCode, failureCodes, type Transaction, transactionStatuses } from '../core/transaction.ts'
import type { Html } from './html.ts'
import { stepWords } from './step-words.ts'
import { languages, wordsFor } from './words/words.ts'

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
  stepWords({ ...sale, transaction, operations: [{ ...charge, ...operation }] }, wordsFor('en'), now, returned)
const textOf = (sentences: readonly (Html | string)[]) =>
  sentences.map(sentence => (typeof sentence === 'string' ? sentence : sentence.text)).join(' ')

test('every state has its own words, and only one that waits leads to the bank', () => {
  const said = oneOfEachStatus.map(transaction => words(transaction))
  assert.deepEqual(new Set(oneOfEachStatus.map(({ status }) => status)), new Set(transactionStatuses))
  for (const [index, { status }] of oneOfEachStatus.entries()) {
    const isPaid = ['Successful', 'Authorized', 'Partially Refunded', 'Refunded'].includes(status)
    assert.equal(said[index]?.receipt, isPaid, status)
    assert.equal(said[index]?.mood === 'good', isPaid, status)
    assert.equal(said[index]?.ways.includes('bank') ?? false, status === 'Further Action Required', status)
  }
  const headings = new Set(said.map(({ heading, sentences }) => `${heading} ${textOf(sentences)}`))
  assert.ok(headings.size >= transactionStatuses.length - 1)
})

test('back from the bank without its word, one may look again or go there again', () => {
  assert.deepEqual(words(waiting, true).ways, ['look', 'bank'])
  assert.deepEqual(words(waiting, false).ways, ['bank'])
})

test('when the time is over nobody is led to the bank, and until it is proven nobody is told that nothing was charged', () => {
  const late = words(waiting, false, {}, after(noon, 1_000))
  assert.deepEqual(late.ways, ['look'])
  assert.doesNotMatch(textOf(late.sentences), /was not charged/)
})

test('asked for by mail and left for too long: no bank is named, and the offer is a click away', () => {
  const asked: Transaction = { ...waiting, source: 'Email Transaction', actionWants: 'card', cardToken: null }
  const late = words(asked, false, { outcome: 'not_sent' }, after(noon, 1_000))
  assert.deepEqual([late.heading, late.ways], ['Time is up', ['again']])
  assert.match(textOf(late.sentences), /Your card was not charged/)
  assert.doesNotMatch(textOf(late.sentences), /bank/)
  const failure = { code: 'action_expired', sentence: 'Too late.' } as const
  const swept = { ...asked, status: 'Failed', actionWants: null, actionExpiresAt: null, failure } as const
  assert.deepEqual(words(swept), late, 'swept or not')
})

test('why a bank declined is not told to whoever has the link', () => {
  const codes = Object.keys({ ...declineCodes, ...failureCodes }) as FailureCode[]
  for (const code of codes) {
    const { heading, sentences } = words({
      ...processing,
      status: 'Failed',
      failure: { code, sentence: 'It says why.' },
    })
    const text = `${heading} ${textOf(sentences)}`
    assert.match(text, /Your card was not charged\. To pay, please start again at <bdi>Corner Shop<\/bdi>\.$/)
    assert.doesNotMatch(text, /why|fund|lost|stolen|fraud|limit|expired|code|support|gateway/i, code)
  }
})

test('while a person must decide, nothing is said about whether it was charged', () => {
  for (const transaction of oneOfEachStatus) {
    const { sentences, ways, mood } = words(transaction, false, { forPerson: 'It is strange.' })
    assert.deepEqual([mood, ways], ['waits', []])
    assert.doesNotMatch(textOf(sentences), /charged|strange/)
  }
})

const entered = { firstName: 'Ada', lastName: null, billing: null, shipping: null, answers: {} }

test('who failed on our page may try again there, while the offer can be used', () => {
  const failed: Transaction = { ...processing, status: 'Failed', entered }
  const said = (offer: Partial<Sale['offer']>) =>
    stepWords({ ...sale, transaction: failed, offer: { ...sale.offer, ...offer } }, wordsFor('en'), noon, false)
  assert.deepEqual(said({}).ways, ['again'])
  assert.match(textOf(said({}).sentences), /Your card was not charged\. You can try again\.$/)
  for (const over of [{ active: false }, { expiresAt: noon }, { stockLeft: 0 }]) {
    assert.deepEqual(said(over).ways, [])
    assert.match(textOf(said(over).sentences), /Your card was not charged\.$/)
  }
  for (const transaction of oneOfEachStatus.filter(({ status }) => status !== 'Failed'))
    assert.ok(!words({ ...transaction, entered }).ways.includes('again'), transaction.status)
})

test('while a person must decide, nobody is asked to pay again', () => {
  const failed: Transaction = { ...processing, status: 'Failed', entered }
  assert.deepEqual(words(failed, false, { forPerson: 'It is strange.' }).ways, [])
})

test('in every language every state has its own words', () => {
  for (const language of languages) {
    const headings = oneOfEachStatus.map(transaction => stepWords({ ...sale, transaction }, language, noon, false))
    const texts = new Set(headings.map(({ heading, sentences }) => `${heading} ${textOf(sentences)}`))
    assert.ok(texts.size >= transactionStatuses.length - 1, language.language)
  }
})
