import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { answered } from '../../test/support/sale-samples.ts'
import { preSaleFailure, preSaleVerdict, saidYes } from './pre-sale.ts'
import { failureCodes } from './transaction.ts'

const verdictOn = (...statuses: readonly (number | null)[]) => preSaleVerdict(statuses.map(answered))

test('without an endpoint the sale goes on', () => {
  assert.equal(verdictOn(), 'passed')
})

test('any 2xx goes on, and nothing next to it does', () => {
  for (const status of [200, 201, 204, 299]) assert.equal(verdictOn(status), 'passed')
  for (const status of [199, 300]) assert.equal(verdictOn(status), 'stopped')
})

test('any status outside 2xx and 5xx stops the sale: a redirect is not followed', () => {
  for (const status of [100, 301, 302, 307, 400, 404, 409, 429, 499, 600, 999]) {
    assert.equal(verdictOn(status), 'stopped', `${status}`)
  }
})

test('any 5xx, and no answer, is an error', () => {
  for (const status of [500, 503, 599, null]) assert.equal(verdictOn(status), 'error')
})

test('any error outweighs any stop, and any stop outweighs consent, in whatever order they answer', () => {
  const status = fc.oneof(fc.constantFrom(200, 204, 404, 302, 500, 599, null), fc.integer({ min: 100, max: 999 }))
  fc.assert(
    fc.property(fc.array(status, { maxLength: 6 }), statuses => {
      const isError = statuses.some(one => one === null || Math.floor(one / 100) === 5)
      const isStopped = statuses.some(one => one !== null && Math.floor(one / 100) !== 2)
      assert.equal(verdictOn(...statuses), isError ? 'error' : isStopped ? 'stopped' : 'passed')
    }),
  )
})

test('only 2xx is a yes: what was reserved for one must be released', () => {
  assert.ok(saidYes(answered(200)) && saidYes(answered(299)))
  for (const status of [null, 199, 300, 404, 500]) assert.equal(saidYes(answered(status)), false)
})

test('each verdict has its own failure', () => {
  const stopped = { code: 'pre_sale_stopped', sentence: failureCodes.pre_sale_stopped }
  assert.deepEqual(preSaleFailure('stopped'), stopped)
  assert.deepEqual(preSaleFailure('error'), { code: 'pre_sale_error', sentence: failureCodes.pre_sale_error })
})
