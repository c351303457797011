// The promise: kill the process at any step of a charge, a refund, a capture or a void, and afterwards the gateway's
// ledger and ours agree: nothing charged twice, nothing lost, nothing stuck that proof could settle.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audited } from './support/audited.ts'
import type { ServiceProcess } from './support/process.ts'
import {
  everythingIsSettled,
  expectedEnd,
  expireLeases,
  type Flow,
  flows,
  ledgersAgree,
  prepare,
  removePreSale,
  type Step,
  statusOf,
} from './support/steps.ts'
import { type CrashWorld, openCrashWorld } from './support/world.ts'

let world: CrashWorld
/** Starts while what the one before it left is settled: each is killed once, and to start takes as long as to settle. */
let nextVictim: Promise<ServiceProcess>
before(async () => {
  world = await openCrashWorld()
  nextVictim = world.spawnVictim()
})
after(async () => {
  await (await nextVictim).kill()
  await world.close()
})

async function killedAt(flow: Flow, step: Step): Promise<void> {
  const victim = await nextVictim
  const { offer, ask, again } = await prepare(world, world.clientOf(victim), flow)
  const held = await step.hold(world)
  const lost = ask().then(
    ({ status, text }) => assert.fail(`it was answered: ${status} ${text}`),
    () => 'lost',
  )
  await held.reached
  await victim.kill('SIGKILL')
  nextVictim = world.spawnVictim()
  await held.release()
  assert.equal(await lost, 'lost')
  await expireLeases(world)
  await everythingIsSettled(world)
  const end = expectedEnd(flow, step.name)
  assert.equal(await statusOf(world, offer), end)
  await ledgersAgree(world)
  if (flow === 'charge after Pre-Sale') await removePreSale(world)
  await repeats(again, end)
  await ledgersAgree(world)
  await audited(world.database.sql)
}

/** The client, who heard nothing, asks again under its key: it learns what happened, and nothing happens twice. */
async function repeats(again: () => Promise<{ status: number; text: string }>, end: string): Promise<void> {
  const first = await again()
  assert.equal(first.status, end === 'Failed' ? 424 : 200, first.text)
  const second = await again()
  assert.deepEqual([second.status, second.text], [first.status, first.text])
}

for (const [flow, steps] of Object.entries(flows)) {
  for (const step of steps) {
    test(`a ${flow} killed ${step.name}`, () => killedAt(flow as Flow, step))
  }
}
