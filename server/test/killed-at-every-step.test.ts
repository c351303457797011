// The promise: kill the process at any step of a charge, a refund, a capture or a void, and afterwards the gateway's
// ledger and ours agree: nothing charged twice, nothing lost, nothing stuck that proof could settle.
//
// Each process has one of the kind in hand at every step when it dies: to start one takes longer than everything else here.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audited } from './support/audited.ts'
import type { Answer, Client } from './support/client.ts'
import { holdWorks } from './support/held-works.ts'
import { expireLeases } from './support/leases.ts'
import type { ServiceProcess } from './support/process.ts'
import {
  addPreSale,
  everythingIsSettled,
  expectedEnd,
  type Flow,
  flows,
  ledgersAgree,
  placeOf,
  prepare,
  removePreSale,
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

async function killedAtEveryStep(flow: Flow) {
  const victim = await nextVictim
  const asked = await heldAtEveryStep(flow, world.clientOf(victim))
  await victim.kill('SIGKILL')
  nextVictim = world.spawnVictim()
  asked.held.releaseMessages()
  await asked.held.releaseCommits()
  for (const { lost } of asked.works) assert.equal(await lost(), 'lost')
  await expireLeases(world.database.sql)
  await everythingIsSettled(world)
  return asked.works
}

async function heldAtEveryStep(flow: Flow, client: Client) {
  const works = []
  for (const step of flows[flow]) {
    const { offer, ask, again } = await prepare(world, client, flow)
    let answered: Promise<Answer | 'lost'> | undefined
    const begin = async () => {
      answered = ask().catch(() => 'lost')
    }
    works.push({ name: step.name, offer, at: placeOf(world, step), begin, again, lost: async () => answered })
  }
  if (flow === 'charge after Pre-Sale') await addPreSale(world)
  return { works, held: await holdWorks(world.database.sql, works) }
}

/** The client, who heard nothing, asks again under its key: it learns what happened, and nothing happens twice. */
async function repeats(again: () => Promise<Answer>, end: string): Promise<void> {
  const first = await again()
  assert.equal(first.status, end === 'Failed' ? 424 : 200, first.text)
  const second = await again()
  assert.deepEqual([second.status, second.text], [first.status, first.text])
}

for (const flow of Object.keys(flows) as Flow[]) {
  test(`a ${flow} killed`, async t => {
    const works = await killedAtEveryStep(flow)
    for (const { name, offer } of works) {
      await t.test(name, async () => assert.equal(await statusOf(world, offer), expectedEnd(flow, name)))
    }
    await t.test('and the books agree', () => ledgersAgree(world))
    if (flow === 'charge after Pre-Sale') await removePreSale(world)
    for (const { name, again } of works) {
      await t.test(`${name}, and asked again`, () => repeats(again, expectedEnd(flow, name)))
    }
    await t.test('and the books agree still', async () => {
      await ledgersAgree(world)
      await audited(world.database.sql)
    })
  })
}
