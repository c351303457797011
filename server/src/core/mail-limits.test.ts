import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin, limitsIn, type MailLimits } from './mail-limits.ts'
import type { Currency } from './money.ts'

const limits: MailLimits = { amountMaxMinor: 50_000n, dayAmountMaxMinor: 100_000n, dayPaymentsMax: 10 }
const none: MailLimits = { amountMaxMinor: null, dayAmountMaxMinor: null, dayPaymentsMax: null }
const spent = (amountMinor: bigint, payments: number) => ({ amountMinor, payments })

test('each limit may be reached, and not passed', () => {
  assert.equal(isWithin(limits, spent(0n, 0), 50_000n), true)
  assert.equal(isWithin(limits, spent(0n, 0), 50_001n), false, 'at once')
  assert.equal(isWithin(limits, spent(50_000n, 1), 50_000n), true)
  assert.equal(isWithin(limits, spent(50_001n, 1), 50_000n), false, 'in a day')
  assert.equal(isWithin(limits, spent(9n, 9), 1n), true)
  assert.equal(isWithin(limits, spent(10n, 10), 1n), false, 'so often')
})

test('what has no limit has none', () => {
  assert.equal(isWithin(none, spent(10n ** 11n, 10_000), 10n ** 11n), true)
})

test('the same numbers hold in another currency, in its own decimals', () => {
  const [usd, jpy, kwd] = ['USD', 'JPY', 'KWD'] as Currency[]
  assert.ok(usd !== undefined && jpy !== undefined && kwd !== undefined)
  assert.deepEqual(limitsIn(limits, usd, jpy), { amountMaxMinor: 500n, dayAmountMaxMinor: 1_000n, dayPaymentsMax: 10 })
  assert.deepEqual(limitsIn(limits, usd, kwd), {
    ...limits,
    amountMaxMinor: 500_000n,
    dayAmountMaxMinor: 1_000_000n,
  })
  assert.deepEqual(limitsIn(limits, usd, usd), limits)
  assert.deepEqual(limitsIn(none, usd, jpy), none)
})
