// The promise, where one gateway is tried after the other: kill the process between the first one's decline and the
// second one's answer, and the buyer is charged once or not at all.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audited } from './support/audited.ts'
import type { Answer } from './support/client.ts'
import type { HeldAt } from './support/held-commit.ts'
import { holdWorks } from './support/held-works.ts'
import { expireLeases } from './support/leases.ts'
import type { ServiceProcess } from './support/process.ts'
import { everythingIsSettled, ledgersAgree, placeOf, type Step, statusOf } from './support/steps.ts'
import { cardAtBoth } from './support/two-gateways.ts'
import { type CrashWorld, openCrashWorld } from './support/world.ts'

let world: CrashWorld
let near: string
before(async () => {
  world = await openCrashWorld()
  const helper = world.clientOf(world.rescuer)
  near = (await helper.ask('gateways')).json.find(({ id }: { id: string }) => id !== world.gateway).id
  await helper.ask(`gateways/${world.gateway}`, { method: 'PATCH', form: { fallback: 1 } })
})
after(() => world.close())

/** The first change of an operation is the commit that ends the first charge and begins the second. */
const between = (moment: HeldAt['moment']): HeldAt => ({ table: 'operation', on: 'update', moment })

const steps: readonly (Step & { readonly end: 'Successful' | 'Failed'; readonly charges: number })[] = [
  // Only the request itself tries the next one: by the time that somebody sweeps, the buyer is gone.
  { name: 'before the second charge is committed', at: between('before'), end: 'Failed', charges: 1 },
  { name: 'when the second charge is being committed', at: between('committing'), end: 'Successful', charges: 2 },
  { name: 'when the second charge is on its way', at: 'request', end: 'Successful', charges: 2 },
]

async function prepared(step: (typeof steps)[number], victim: ServiceProcess) {
  const helper = world.clientOf(world.rescuer)
  const offer = await helper.makeOffer({ amount: '25.00', stock: 10 })
  const at = { own: near, other: world.gateway }
  const card = await cardAtBoth(helper, at, { own: 'card_declined', other: 'success' })
  const key = `key-${offer}`
  let answered: Promise<Answer | 'lost'> | undefined
  return {
    ...step,
    offer,
    at: placeOf(world, step),
    async begin() {
      answered = world
        .clientOf(victim)
        .charge(offer, card, { key })
        .catch(() => 'lost')
    },
    lost: async () => answered,
    again: () => helper.charge(offer, card, { key }),
  }
}

/** At all steps at once, each with a charge of its own. */
test('a charge at two gateways killed', async t => {
  const victim = await world.spawnVictim()
  t.after(() => victim.kill())
  const works = []
  for (const step of steps) works.push(await prepared(step, victim))
  const held = await holdWorks(world.database.sql, works)
  await victim.kill('SIGKILL')
  held.releaseMessages()
  await held.releaseCommits()
  for (const { lost } of works) assert.equal(await lost(), 'lost')
  await expireLeases(world.database.sql)
  await everythingIsSettled(world)
  for (const { name, offer, end, charges } of works) {
    await t.test(name, async () => {
      assert.equal(await statusOf(world, offer), end)
      const rows = await world.database.sql`select from operation o join transaction t on t.id = o.transaction_id
        where t.offer_id = ${offer} and o.kind = 'charge'`
      assert.equal(rows.length, charges)
    })
  }
  await t.test('and the books agree', () => ledgersAgree(world))
  for (const { name, again, end } of works) {
    await t.test(`${name}, and asked again`, async () => {
      const { status, text } = await again()
      assert.equal(status, end === 'Failed' ? 402 : 200, text)
    })
  }
  await t.test('and the books agree still', async () => {
    await ledgersAgree(world)
    await audited(world.database.sql)
  })
})
