import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noon, sale, successful } from '../core/samples.test.ts'
import { type StepPage, stepPage } from './step-page.ts'
import { wordsFor } from './step-words.ts'

const shown = (some: Partial<StepPage> = {}) => {
  const { sale: of = { ...sale, transaction: successful } } = some
  return stepPage({ words: wordsFor(of, noon, true), root: '', formToken: 'x', isSandbox: false, ...some, sale: of })
}

test('the sandbox says that no money moves, and live does not', () => {
  assert.match(shown({ isSandbox: true }), /This is a sandbox: no money moves\./)
  assert.doesNotMatch(shown({ isSandbox: false }), /sandbox/)
})

test('looking again is a button that leads to the same page, under whatever path the service has', () => {
  const page = shown({ sale, root: '/pay' })
  const { offerId, id } = sale.transaction
  assert.ok(page.includes(`<form action="/pay/offers/${offerId}">`), page)
  assert.ok(page.includes(`name="transaction" value="${id}"`), page)
  assert.match(page, /name="returned" value="1">\n<button>Check again<\/button>/)
})
