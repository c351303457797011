import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { MerchantId } from '../core/ids.ts'
import { createThrottle } from '../http/throttle.ts'
import { knownCallers } from './known-callers.ts'

const basic = (pair: string) => Buffer.from(pair).toString('base64')
const showing = (authorization: string | undefined) =>
  ({ headers: { authorization }, ip: '127.0.0.1' }) as unknown as FastifyRequest

test('a pair that was right is known however it is written, and no other', () => {
  const known = knownCallers(createThrottle({ perS: 1, burst: 1 }))
  known.remember(showing(`Basic ${basic('pk_a:secret')}`), 'm_1' as MerchantId)
  assert.equal(known.callerOf(showing(`basic   ${basic('pk_a:secret').replace(/=+$/, '')}`))?.name, 'm_1')
  for (const other of [undefined, '', `Basic ${basic('pk_a:other')}`, `Basic ${basic('pk_b:secret')}`, 'Bearer x'])
    assert.equal(known.callerOf(showing(other)), null, other)
})

test('one merchant takes one place, and keeps nobody else from being known', () => {
  const known = knownCallers(createThrottle({ perS: 1, burst: 1 }))
  known.remember(showing(`Basic ${basic('pk_a:secret')}`), 'm_1' as MerchantId)
  for (let blanks = 1; blanks <= 10_000; blanks++)
    known.remember(showing(`Basic${' '.repeat(blanks)}${basic('pk_b:secret')}`), 'm_2' as MerchantId)
  assert.equal(known.callerOf(showing(`Basic ${basic('pk_a:secret')}`))?.name, 'm_1')
})
