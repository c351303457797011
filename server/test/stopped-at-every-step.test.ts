// The promise: stop the process at any step, for longer than every lease, so that another takes over; when it wakes up
// it cannot charge, and says what is true by then.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audited } from './support/audited.ts'
import type { Answer } from './support/client.ts'
import { holdWorks } from './support/held-works.ts'
import { expireLeases } from './support/leases.ts'
import type { ServiceProcess } from './support/process.ts'
import {
  addPreSale,
  everythingIsSettled,
  type Flow,
  flows,
  ledgersAgree,
  placeOf,
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
  if (flow === 'charge after Pre-Sale') await addPreSale(world)
  let answered: Promise<Answer> | undefined
  const begin = async () => {
    answered = ask()
  }
  const held = await holdWorks(world.database.sql, [{ offer, at: placeOf(world, step), begin }])
  sleeper.child.kill('SIGSTOP')
  held.releaseMessages()
  await held.releaseCommits()
  await expireLeases(world.database.sql)
  await everythingIsSettled(world)
  sleeper.child.kill('SIGCONT')
  const answer = (await answered) ?? assert.fail()
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
