import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allPromises, FakeWorld, hourMs, silence, success } from '../../test/support/fake-world.ts'
import { after, charge, failed, madeCharge, noon, sale, successful } from '../../test/support/sale-samples.ts'
import { nextRecheckAt } from './doubt.ts'
import type { Operation } from './operation.ts'
import { recheck } from './recheck.ts'

const dayMs = 24 * hourMs
const notMade: Operation = { ...charge, outcome: 'not_sent', settledAt: noon, nextAskAt: noon }

/** Asks for as long as the schedule says, and how often that was. */
async function recheckAll(world: FakeWorld): Promise<number> {
  for (let count = 0; count < 1_000; count++) {
    const held = world.claim()
    if (held.nextAskAt === null) return count
    world.now = held.nextAskAt
    await recheck(world.ports, world.sale, held)
  }
  return assert.fail('it is asked for ever')
}

function worldOf(operation: Operation): FakeWorld {
  const world = new FakeWorld()
  const transaction = operation.outcome === 'succeeded' ? successful : failed
  world.put({ ...sale, transaction, operations: [operation] })
  return world
}

test('the intervals after a decision grow as in doubt, for three days or as long as the gateway keeps keys', () => {
  const afterS = (elapsedMs: number, keysKeptMs = 0) => {
    const at = nextRecheckAt(noon, keysKeptMs, after(noon, elapsedMs))
    return at === null ? null : (at.getTime() - noon.getTime()) / 1_000
  }
  assert.deepEqual(
    [0, 5_000, 35_000, 155_000, 755_000].map(each => afterS(each)),
    [5, 35, 155, 755, 4_355],
  )
  assert.deepEqual([afterS(3 * dayMs - hourMs), afterS(3 * dayMs)], [3 * 86_400, null])
  assert.equal(afterS(3 * dayMs, 7 * dayMs), 3 * 86_400 + 3_600)
})

test('absent behind a fence ends it; absent without one is asked for three days, and then ends it', async () => {
  const fenced = worldOf(notMade)
  assert.equal(await recheckAll(fenced), 1)
  const open = worldOf(notMade)
  open.promises = { ...allPromises, fence: false }
  assert.ok((await recheckAll(open)) > 70)
  for (const world of [fenced, open]) assert.deepEqual([world.kept, world.alerts, world.commits], [[], [], []])
  assert.ok(open.now.getTime() - noon.getTime() > 3 * dayMs - 2 * hourMs)
})

test('a success is kept for a person once, and nothing moves by itself', async () => {
  const world = worldOf(notMade)
  world.fences = false
  world.lookups = [silence, { kind: 'absent' }, success()]
  assert.equal(await recheckAll(world), 3)
  assert.match(world.kept.map(({ sentence }) => sentence).join(), /^The gateway reports a success[^,]*not_sent\.$/)
  assert.deepEqual([world.sale.transaction.status, world.alerts.length], ['Failed', 1])
})

for (const operation of [notMade, { ...madeCharge, settledAt: noon, nextAskAt: noon }]) {
  test(`a gateway that never answers about what is ${operation.outcome} leaves it to a person`, async () => {
    const world = worldOf(operation)
    world.fences = false
    world.lookups = [silence]
    world.notices = { read: () => assert.fail(), payment: async () => silence }
    await recheckAll(world)
    assert.match(String(world.sale.operations[0]?.forPerson), /^The gateway has not answered since the charge was /)
    assert.equal(world.alerts.length, 1)
  })
}

test('all that is asked in a round has one deadline, within the claim of the row', async () => {
  const world = worldOf({ ...madeCharge, settledAt: noon, nextAskAt: noon })
  world.lookups = [success()]
  world.notices = {
    read: () => assert.fail(),
    payment: async (_, signal) => {
      world.deadlines.add(signal)
      return silence
    },
  }
  await recheck(world.ports, world.sale, world.claim())
  assert.deepEqual([world.calls.map(call => call.do), world.deadlines.size], [['lookup', 'listUnderId'], 1])
})

test('an adapter that throws is asked again on the schedule, and ends with a person', async () => {
  const world = worldOf({ ...madeCharge, settledAt: noon, nextAskAt: noon })
  world.notices = { read: () => assert.fail(), payment: () => Promise.reject(new Error('a bug')) }
  const count = await recheckAll(world)
  assert.ok(count > 70)
  assert.equal(world.alerts.length, count + 1)
  assert.match(String(world.sale.operations[0]?.forPerson), /^The gateway has not answered/)
})

test('a success that is written down already, as another capture, is not reported once more', async () => {
  const capture: Operation = { ...notMade, id: 'ours' as Operation['id'], kind: 'capture' }
  const booked: Operation = { ...capture, id: 'booked' as Operation['id'], outcome: 'succeeded', nextAskAt: null }
  const world = new FakeWorld()
  world.put({ ...sale, transaction: successful, operations: [madeCharge, booked, capture] })
  world.lookups = [success()]
  assert.equal(await recheckAll(world), 1)
  assert.deepEqual([world.kept, world.alerts, world.commits], [[], [], []])
  world.put({ ...world.sale, operations: [madeCharge, booked, capture] })
  world.lookups = [success({ amountMinor: 1n })]
  await recheckAll(world)
  assert.equal(world.kept.length, 1, 'but one of another amount is')
})

test('another reference of the same operation at the gateway is for a person', async () => {
  const world = worldOf({ ...madeCharge, nextAskAt: noon })
  world.lookups = [success({ gatewayRef: 'gateway_2' })]
  await recheckAll(world)
  assert.match(
    String(world.kept[0]?.sentence),
    /second payment under the id of this charge: gateway_2, beside gateway_1/,
  )
  assert.deepEqual([world.kept.length, world.alerts.length], [1, 1])
})

const refsKept = ({ kept }: FakeWorld) => kept.map(({ sentence }) => /: (\w+), beside /.exec(sentence)?.[1] ?? sentence)

test('all that the gateway has under the id of an operation is for a person, not only the one that a lookup tells of', async () => {
  const world = worldOf({ ...madeCharge, nextAskAt: noon })
  world.lookups = [success({ gatewayRef: 'gateway_3' })]
  world.underId = ['gateway_1', 'gateway_2', 'gateway_3'].map(gatewayRef => success({ gatewayRef }))
  assert.equal(await recheckAll(world), 1)
  assert.deepEqual(refsKept(world), ['gateway_3', 'gateway_2'])
})

test('one that was declined is looked up like one that was not made, and so is all under its id', async () => {
  const late: Operation = { ...notMade, outcome: 'declined', declineCode: 'card_declined', gatewayRef: 'gateway_1' }
  const world = worldOf(late)
  world.lookups = [{ kind: 'declined', code: 'card_declined' }]
  world.underId = [success({ gatewayRef: 'gateway_1' }), success({ gatewayRef: 'gateway_2' })]
  assert.equal(await recheckAll(world), 1)
  const [first, second] = refsKept(world)
  assert.match(String(first), /a success for a charge that was settled as declined/)
  assert.deepEqual([second, world.kept.length, world.sale.transaction.status], ['gateway_2', 2, 'Failed'])
})

test('a gateway that tells of one and does not list all is asked again', async () => {
  const world = worldOf({ ...madeCharge, settledAt: noon, nextAskAt: noon })
  world.lookups = [success()]
  world.underId = silence
  assert.ok((await recheckAll(world)) > 70)
  assert.match(String(world.sale.operations[0]?.forPerson), /^The gateway has not answered/)
})

test('a second refund that has a row of its own is not listed with the first as well', async () => {
  const refund: Operation = { ...madeCharge, id: 'r1' as Operation['id'], kind: 'refund', gatewayRef: 'refund_1' }
  const second: Operation = { ...refund, id: 'r2' as Operation['id'], gatewayRef: 'refund_2', sendings: 0 }
  const world = new FakeWorld()
  const operations = [madeCharge, { ...second, outcome: 'not_sent' as const }, { ...refund, nextAskAt: noon }]
  world.put({ ...sale, transaction: successful, operations })
  world.lookups = [success({ gatewayRef: 'refund_1' })]
  world.underId = ['refund_1', 'refund_2', 'refund_3'].map(gatewayRef => success({ gatewayRef }))
  assert.equal(await recheckAll(world), 1)
  assert.deepEqual(refsKept(world), ['refund_3'])
})

test('a refund made at the gateway itself, which a person dismissed, is asked for with its payment, not by our id', async () => {
  const refund: Operation = { ...notMade, id: 'reported' as Operation['id'], kind: 'refund', sendings: 0 }
  const world = new FakeWorld()
  world.put({ ...sale, transaction: successful, operations: [madeCharge, refund] })
  const asked: string[] = []
  world.notices = {
    read: () => assert.fail(),
    async payment(ref) {
      asked.push(ref)
      return null
    },
  }
  assert.equal(await recheckAll(world), 1)
  assert.deepEqual([world.calls, asked], [[], [String(madeCharge.gatewayRef)]])
})

test('a refund made at the gateway itself, which a person accepted, is not looked for by our id', async () => {
  const id = 'reported' as Operation['id']
  const refund: Operation = { ...madeCharge, id, kind: 'refund', gatewayRef: 'refund_1', sendings: 0, nextAskAt: noon }
  const world = new FakeWorld()
  world.put({ ...sale, transaction: successful, operations: [madeCharge, refund] })
  world.lookups = [{ kind: 'absent' }]
  await recheckAll(world)
  assert.deepEqual([world.calls, world.kept, world.alerts], [[], [], []])
})

test('a reference that the gateway does not know is for a person at once', async () => {
  const world = worldOf({ ...madeCharge, settledAt: noon, nextAskAt: noon })
  world.notices = { read: () => assert.fail(), payment: async () => null }
  assert.equal(await recheckAll(world), 1)
  assert.match(String(world.sale.operations[0]?.forPerson), /no payment of ours under the reference gateway_1/)
})

test('what was settled otherwise meanwhile is left as it is', async () => {
  const world = worldOf(notMade)
  const held = world.claim()
  world.takeOver({ outcome: 'succeeded', nextAskAt: world.now })
  await recheck(world.ports, world.sale, held)
  assert.deepEqual([world.rechecks, world.sale.operations[0]?.nextAskAt], [[], world.now])
})
