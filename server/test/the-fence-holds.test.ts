// A charge that nobody answered for five minutes is ended, not carried out: the gateway is made to refuse it for ever,
// so that a request which was delayed on its way, and a process that wakes up late, charge nothing.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audited } from './support/audited.ts'
import { expireLeases } from './support/leases.ts'
import { everythingIsSettled, ledgersAgree, prepare, statusOf } from './support/steps.ts'
import { until } from './support/until.ts'
import { type CrashWorld, openCrashWorld } from './support/world.ts'

let world: CrashWorld
before(async () => {
  world = await openCrashWorld()
})
after(() => world.close())

/** On the service's clock first, while the lease holds: then nobody asks within the five minutes. */
async function sixMinutesPass(): Promise<void> {
  const moved = await world.clientOf(world.rescuer).ask('sandbox/clock', { form: { advance_s: 360 } })
  assert.equal(moved.status, 200, moved.text)
  await expireLeases(world.database.sql)
}

test('a request that arrives after the fence does not charge, and its process says so', async t => {
  const sleeper = await world.spawnVictim()
  t.after(() => sleeper.kill())
  const { offer, ask, again } = await prepare(world, world.clientOf(sleeper), 'charge')
  const held = world.gate.holdNext('request')
  const answered = ask()
  await held.reached
  sleeper.child.kill('SIGSTOP')
  await sixMinutesPass()
  await everythingIsSettled(world)
  assert.equal(await statusOf(world, offer), 'Failed')
  held.release()
  sleeper.child.kill('SIGCONT')
  const answer = await answered
  assert.equal(answer.status, 502, answer.text)
  assert.equal(answer.json.transaction.error_code, 'gateway_no_answer')
  const repeated = await again()
  assert.deepEqual([repeated.status, repeated.text], [answer.status, answer.text])
  await ledgersAgree(world)
})

test('a charge that was made behind a lost answer is found behind the fence, not ended', async t => {
  const victim = await world.spawnVictim()
  t.after(() => victim.kill())
  const { offer, ask } = await prepare(world, world.clientOf(victim), 'charge')
  const held = world.gate.holdNext('answer')
  const lost = ask().catch(() => 'lost')
  await held.reached
  await victim.kill()
  held.release()
  assert.equal(await lost, 'lost')
  await sixMinutesPass()
  await everythingIsSettled(world)
  assert.equal(await statusOf(world, offer), 'Successful')
  await ledgersAgree(world)
})

test('3-D Secure that the customer leaves half-way ends after its time, and a late confirmation charges nothing', async () => {
  const client = world.clientOf(world.rescuer)
  const offer = await client.makeOffer({ amount: '4300.01', stock: 10 })
  const asked = await client.charge(offer, await client.storeCard())
  assert.equal(asked.status, 202, asked.text)
  assert.equal(asked.json.transaction.status, 'Further Action Required')
  const moved = await client.ask('sandbox/clock', { form: { advance_s: 31 * 60 } })
  assert.equal(moved.status, 200, moved.text)
  await until('it failed', async () => (await statusOf(world, offer)) === 'Failed')
  const shown = await client.ask(`transactions/${asked.json.transaction.id}`)
  assert.equal(shown.json.transaction.error_code, 'action_expired')
  const [late] = (await world.ledger()).filter(({ transactionId }) => transactionId === asked.json.transaction.id)
  assert.notEqual(await world.challenge(late?.operationId ?? '', 'pass'), 200)
  await ledgersAgree(world)
})

test('3-D Secure that the customer passes or fails settles by itself', async () => {
  const client = world.clientOf(world.rescuer)
  for (const [result, end] of [
    ['pass', 'Successful'],
    ['fail', 'Failed'],
  ] as const) {
    const offer = await client.makeOffer({ amount: '4300.01', stock: 10 })
    const asked = await client.charge(offer, await client.storeCard())
    const [waiting] = (await world.ledger()).filter(({ transactionId }) => transactionId === asked.json.transaction.id)
    assert.equal(await world.challenge(waiting?.operationId ?? '', result), 200)
    await client.ask('sandbox/clock', { form: { advance_s: 10 } })
    assert.equal(await statusOf(world, offer), end)
  }
  await ledgersAgree(world)
})

test('after all of it, every change has just what it owes', async () => {
  await audited(world.database.sql)
})
