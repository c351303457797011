// The promise: stop the process at any step, for longer than every lease, so that another takes over; when it wakes up
// it cannot charge, and says what is true by then.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audited } from './support/audited.ts'
import type { ServiceProcess } from './support/process.ts'
import {
  everythingIsSettled,
  expireLeases,
  type Flow,
  flows,
  ledgersAgree,
  prepare,
  removePreSale,
  type Step,
  statusOf,
  stoppedEnd,
} from './support/steps.ts'
import { type CrashWorld, openCrashWorld } from './support/world.ts'

let world: CrashWorld
let sleeper: ServiceProcess
before(async () => {
  world = await openCrashWorld()
  sleeper = await world.spawnVictim()
})
after(async () => {
  await sleeper.kill()
  await world.close()
})

async function stoppedAt(flow: Flow, step: Step): Promise<void> {
  const { offer, ask, again } = await prepare(world, world.clientOf(sleeper), flow)
  const held = await step.hold(world)
  const answered = ask()
  await held.reached
  sleeper.child.kill('SIGSTOP')
  await held.release()
  await expireLeases(world)
  await everythingIsSettled(world)
  sleeper.child.kill('SIGCONT')
  const answer = await answered
  await everythingIsSettled(world)
  const end = stoppedEnd(flow, step.name)
  assert.equal(await statusOf(world, offer), end)
  assert.equal(answer.status, end === 'Failed' ? 424 : 200, answer.text)
  assert.equal(answer.json.transaction.status, end)
  await ledgersAgree(world)
  if (flow === 'charge after Pre-Sale') await removePreSale(world)
  const repeated = await again()
  assert.deepEqual([repeated.status, repeated.json], [answer.status, answer.json])
  await ledgersAgree(world)
  await audited(world.database.sql)
}

for (const [flow, steps] of Object.entries(flows)) {
  for (const step of steps) {
    test(`a ${flow} stopped ${step.name}`, () => stoppedAt(flow as Flow, step))
  }
}
