import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeCharge, noon, processing, sale, successful } from '../../test/support/sale-samples.ts'
import { plainLook } from '../core/look.ts'
import type { Sale } from '../core/sale.ts'
import type { Transaction } from '../core/transaction.ts'
import { type Frame, framed } from './frame.ts'
import { stepPage } from './step-page.ts'
import { type StepWords, stepWords } from './step-words.ts'
import { refreshAfterS } from './steps.ts'
import { wordsFor } from './words/words.ts'

const look = plainLook
const frame: Frame = { words: wordsFor('en'), root: '/pay', of: { merchant: sale.merchant, look }, isSandbox: false }
const paid: Sale = { ...sale, transaction: successful }
const entered = { firstName: 'Ada', lastName: null, billing: null, shipping: null, answers: {} }

function shown(of: Sale, { words, ...some }: Partial<Frame> = {}): string {
  const whole = { ...frame, ...some, words: words ?? frame.words }
  const says = stepWords(of, whole.words, noon, true)
  return framed(whole, stepPage(whole, { sale: of, says, formToken: 'x', banks: [], savedCard: null }))
}

test('looking again is a button that leads to the same page, under whatever path the service has', () => {
  const page = shown(sale)
  const { offerId, id } = sale.transaction
  assert.ok(page.includes(`<form action="/pay/offers/${offerId}">`), page)
  assert.ok(page.includes(`name="transaction" value="${id}"`), page)
  assert.match(page, /name="returned" value="1">\n<button>Check again<\/button>/)
})

test('a payment that is being made is looked at again by itself, more and more seldom, and not for ever', () => {
  const after = (seconds: number, transaction = processing) =>
    refreshAfterS({ ...sale, transaction }, new Date(transaction.createdAt.getTime() + seconds * 1_000))
  assert.deepEqual(
    [0, 15, 60, 120, 600, 3_600, 3_601].map(seconds => after(seconds)),
    [3, 3, 12, 24, 60, 60, null],
  )
  assert.equal(after(5, successful), null)
})

test('who has paid may go back to the merchant, and the address says which payment it was', () => {
  const of = (returnUrl: string | null) => ({ merchant: sale.merchant, look: { ...look, returnUrl } })
  const page = shown(paid, { of: of('https://shop.example/thanks?from=mail&transaction=forged#top') })
  const { id } = paid.transaction
  assert.ok(page.includes(`href="https://shop.example/thanks?from=mail&#38;transaction=${id}#top"`), page)
  assert.match(page, /rel="noreferrer" target="_top">Back to <bdi>Corner Shop<\/bdi><\/a>/)
  assert.doesNotMatch(shown(paid, { of: of(null) }), /Back to/)
  assert.doesNotMatch(shown(sale, { of: of('https://shop.example/') }), /Back to/, 'only when it is paid')
})

test('a receipt is of the day when the charge succeeded', () => {
  const settledAt = new Date('2026-11-19T08:00:00Z')
  assert.match(shown({ ...paid, operations: [{ ...madeCharge, settledAt }] }), /class="date">November 19, 2026/)
})

test('who failed on our page may try again there, with the same units and from the same place', () => {
  const failed: Transaction = { ...processing, status: 'Failed', quantity: 3, referrerContext: 'poster "A"', entered }
  const page = shown({ ...sale, transaction: failed })
  const path = `/pay/offers/${failed.offerId}`
  assert.ok(page.includes(`href="${path}?quantity=3&#38;referrer_context=poster+%22A%22">Try again</a>`), page)
  const plain = { ...failed, quantity: 1, referrerContext: null }
  assert.ok(
    shown({ ...sale, transaction: plain }).includes(`href="${path}">Try again</a>`),
    'nothing behind its address',
  )
  assert.doesNotMatch(shown({ ...sale, transaction: { ...failed, entered: null } }), /Try again/)
})

test('the bank is shown in the whole window, never in a merchant’s frame', () => {
  const says = { ...stepWords(sale, frame.words, noon, true), ways: ['bank'] as const }
  const page = framed(frame, stepPage(frame, { sale, says, formToken: 'x', banks: [], savedCard: null }))
  assert.match(page, /<form method="post" action="[^"]+\/step" target="_top">/)
})

test('only the page that leads to a bank may lead elsewhere', () => {
  const reachOf = (ways: StepWords['ways']) => {
    const says = { ...stepWords(sale, frame.words, noon, true), ways }
    return stepPage(frame, { sale, says, formToken: 'x', banks: ['https:'], savedCard: null }).reach?.leadsTo
  }
  assert.deepEqual(reachOf(['look', 'bank']), ['https:'])
  assert.deepEqual(reachOf(['look']), [])
})

test('in Spanish all of it is Spanish, and amounts are written as there', () => {
  const refunded: Transaction = { ...successful, status: 'Partially Refunded', refundedMinor: 150n }
  const page = shown({ ...sale, transaction: refunded }, { words: wordsFor('es') }).replaceAll('\u00a0', ' ')
  assert.match(page, /<h1 class="good">Reembolsado en parte<\/h1>/)
  assert.match(page, /<bdi>Corner Shop<\/bdi> ha reembolsado 1,50 US\$ a su tarjeta\./)
  for (const word of ['Concepto', 'Cobrado', 'Reembolsado', 'Fecha', 'Tarjeta', 'terminada en', 'Recibo'])
    assert.ok(page.includes(word), word)
})
