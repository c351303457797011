// The promise, where one gateway is tried after the other: kill the process between the first one's decline and the
// second one's answer, and the buyer is charged once or not at all.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { audited } from './support/audited.ts'
import { holdCommit } from './support/held-commit.ts'
import { everythingIsSettled, expireLeases, ledgersAgree, type Step, statusOf } from './support/steps.ts'
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
const between = (moment: 'before' | 'committing') => (of: CrashWorld) =>
  holdCommit(of.database.sql, { table: 'operation', on: 'update', moment })

const steps: readonly (Step & { readonly end: 'Successful' | 'Failed'; readonly charges: number })[] = [
  // Only the request itself tries the next one: by the time that somebody sweeps, the buyer is gone.
  { name: 'before the second charge is committed', hold: between('before'), end: 'Failed', charges: 1 },
  { name: 'when the second charge is being committed', hold: between('committing'), end: 'Successful', charges: 2 },
  {
    name: 'when the second charge is on its way',
    hold: async of => of.gate.holdNext('request'),
    end: 'Successful',
    charges: 2,
  },
]

async function killedAt({ hold, end, charges }: (typeof steps)[number], t: TestContext): Promise<void> {
  const victim = await world.spawnVictim()
  t.after(() => victim.kill())
  const helper = world.clientOf(world.rescuer)
  const offer = await helper.makeOffer({ amount: '25.00', stock: 10 })
  const at = { own: near, other: world.gateway }
  const card = await cardAtBoth(helper, at, { own: 'card_declined', other: 'success' })
  const key = `key-${offer}`
  const held = await hold(world)
  const lost = world
    .clientOf(victim)
    .charge(offer, card, { key })
    .then(
      ({ status, text }) => assert.fail(`it was answered: ${status} ${text}`),
      () => 'lost',
    )
  await held.reached
  await victim.kill('SIGKILL')
  await held.release()
  assert.equal(await lost, 'lost')
  await expireLeases(world)
  await everythingIsSettled(world)
  assert.equal(await statusOf(world, offer), end)
  const rows = await world.database.sql`select from operation o join transaction t on t.id = o.transaction_id
    where t.offer_id = ${offer} and o.kind = 'charge'`
  assert.equal(rows.length, charges)
  await ledgersAgree(world)
  const again = await helper.charge(offer, card, { key })
  assert.equal(again.status, end === 'Failed' ? 402 : 200, again.text)
  await ledgersAgree(world)
  await audited(world.database.sql)
}

for (const step of steps) test(`a charge at two gateways killed ${step.name}`, t => killedAt(step, t))
