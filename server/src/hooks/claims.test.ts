import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldFor } from '../../test/support/delivery-samples.ts'
import type { ClaimId } from '../core/ids.ts'
import { createClaims } from './claims.ts'

const claimId = 'claim' as ClaimId
const three = () => Array.from({ length: 3 }, () => heldFor('a.1', { claimId }))

test('a claim ends with the last that leaves it, and whoever leaves twice has left once', () => {
  const ended: ClaimId[] = []
  const claims = createClaims((_, id) => ended.push(id))
  const [one, two, last] = three() as [
    ReturnType<typeof heldFor>,
    ReturnType<typeof heldFor>,
    ReturnType<typeof heldFor>,
  ]
  claims.take([one, two, last])
  for (const held of [one, one, two, two]) claims.leave(held)
  assert.deepEqual([ended, claims.ids().has(claimId)], [[], true])
  claims.leave(last)
  claims.leave(last)
  assert.deepEqual([ended, claims.ids().has(claimId)], [[claimId], false])
})

test('what was born in hand, and what was forgotten, leaves nothing', () => {
  const ended: ClaimId[] = []
  const claims = createClaims((_, id) => ended.push(id))
  claims.take([])
  claims.take([heldFor('a.1')])
  claims.leave(heldFor('a.1'))
  const held = three()
  claims.take(held)
  claims.forgetAll()
  for (const each of held) claims.leave(each)
  assert.deepEqual(ended, [])
})

test('of a claim that lasts it is said what has left it, once', () => {
  const claims = createClaims(() => {})
  const held = three()
  claims.take(held)
  for (const each of held.slice(0, 2)) claims.leave(each)
  assert.deepEqual(claims.outlasting(), [], 'it may be over in a moment')
  const left = held.slice(0, 2).map(({ id }) => id)
  assert.deepEqual(claims.outlasting(), [{ merchantId: held[0]?.merchantId, id: claimId, left }])
  assert.deepEqual(claims.outlasting(), [])
})
