// What a merchant's endpoints may have the thread compute.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ComputingShares, type Share } from './computing-shares.ts'
import { limitOf } from './limit.ts'

const within = (ms: number) => limitOf(performance.now(), ms)

async function begun(shares: ComputingShares, merchant: string): Promise<Share> {
  const share = await shares.begin(merchant, within(10_000))
  assert.ok(share !== null)
  return share
}

/** One that cost too much. */
async function costly(shares: ComputingShares, merchant: string, ms = 500): Promise<void> {
  const share = await begun(shares, merchant)
  share.spend(ms)
  share.end()
}

const isBegun = (share: Promise<Share | null>) => Promise.race([share.then(() => true), Promise.resolve(false)])

/** Time that passes only when told. */
function mockTimers(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout'] })
}

test('connections that cost what is ordinary are opened at once, however many there are', async () => {
  const shares = new ComputingShares()
  const open = await Promise.all(Array.from({ length: 1_000 }, () => begun(shares, 'a')))
  for (const share of open) share.spend(10)
  assert.ok(open.every(({ isCut }) => !isCut))
})

test('one that costs too much ends the others of its merchant that are being opened, and nobody else’s', async () => {
  const shares = new ComputingShares()
  const [evil, opening, open, other] = await Promise.all(['a', 'a', 'a', 'b'].map(name => begun(shares, name)))
  let cuts = 0
  if (opening !== undefined) opening.onCut = () => cuts++
  open?.opened()
  evil?.spend(500)
  assert.deepEqual(
    [evil, opening, open, other].map(share => share?.isCut),
    [false, true, false, false],
  )
  evil?.spend(500)
  assert.equal(cuts, 1)
})

test('many that cost somewhat too much are one that does', async () => {
  const shares = new ComputingShares()
  const first = await begun(shares, 'a')
  const second = await begun(shares, 'a')
  const third = await begun(shares, 'a')
  first.spend(39)
  assert.equal(third.isCut, false)
  second.spend(39)
  assert.equal(third.isCut, true)
})

test('what it costs once it is open counts as well, and ends the exchange itself', async t => {
  mockTimers(t)
  const shares = new ComputingShares()
  const share = await begun(shares, 'a')
  let ended = 0
  share.onCostly = () => ended++
  share.opened()
  share.spend(500)
  assert.equal(ended, 1)
  share.end()
  const next = shares.begin('a', within(10_000))
  t.mock.timers.tick(2_400)
  assert.equal(await isBegun(next), false, 'it rests for what the open one cost')
  t.mock.timers.tick(200)
  assert.notEqual(await next, null)
})

test('after that the merchant opens one at a time, and rests five times as long as it took', async t => {
  mockTimers(t)
  const shares = new ComputingShares()
  await costly(shares, 'a', 500)
  const [next, afterNext] = [shares.begin('a', within(10_000)), shares.begin('a', within(10_000))]
  t.mock.timers.tick(2_400)
  assert.equal(await isBegun(next), false)
  await begun(shares, 'b')
  t.mock.timers.tick(200)
  const share = await next
  assert.ok(share !== null)
  assert.equal(await isBegun(afterNext), false)
  share.end()
  assert.notEqual(await afterNext, null)
})

test('whose turn does not come within its limit is told so, and is in nobody’s way', async t => {
  mockTimers(t)
  const shares = new ComputingShares()
  await costly(shares, 'a', 500)
  const late = shares.begin('a', within(1_000))
  const patient = shares.begin('a', within(10_000))
  t.mock.timers.tick(1_001)
  assert.equal(await late, null)
  t.mock.timers.tick(2_000)
  assert.notEqual(await patient, null)
})
