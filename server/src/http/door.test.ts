import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDoor, type Place, type Reason } from './door.ts'

const waitMaxMs = 250

function opened(t: TestContext, places: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reasons: Reason[] = []
  const door = createDoor({ places, waitMaxMs, turnedAway: reason => reasons.push(reason) })
  /** Lets in as many as there are places for. */
  const fill = (name: string): Place[] => {
    const place = door.enter(name)
    return place === null || place instanceof Promise ? [] : [place, ...fill(name)]
  }
  return { door, reasons, fill, pass: (ms: number) => t.mock.timers.tick(ms) }
}

const entered = (place: Place | null | Promise<Place | null>): Place => {
  if (place === null || place instanceof Promise) assert.fail('was not let in at once')
  return place
}

test('one name has half of the places, a second half of what is left, and a third is let in too', t => {
  const { door, fill } = opened(t, 16)
  assert.equal(fill('flood').length, 8)
  assert.equal(fill('second').length, 4)
  entered(door.enter('third'))
  assert.equal(door.counts.inHand, 13)
})

test('eight names that each take what they may leave a place for one more', t => {
  const { fill, door } = opened(t, 256)
  for (let index = 0; index < 8; index++) assert.ok(fill(`hog ${index}`).length > 0)
  entered(door.enter('newcomer'))
})

test('whoever waits is let in when a place comes free, names in turn and each in its order', async t => {
  const { door } = opened(t, 4)
  const held = ['a', 'b', 'c', 'd'].map(name => entered(door.enter(name)))
  const order: string[] = []
  const waits = ['a', 'a', 'b'].map(async (name, index) => {
    const place = await door.enter(name)
    order.push(`${name}${index}`)
    return place
  })
  assert.deepEqual(door.counts, { inHand: 4, waiting: 3 })
  for (const place of held) place.leave()
  assert.ok((await Promise.all(waits)).every(place => place !== null))
  assert.deepEqual(order, ['a0', 'b2', 'a1'])
  assert.deepEqual(door.counts, { inHand: 3, waiting: 0 })
})

test('who has waited too long is turned away, and who comes to a full line at once', async t => {
  const { door, reasons, pass } = opened(t, 4)
  for (const name of ['a', 'b', 'c', 'd']) entered(door.enter(name))
  const waits = ['a', 'b', 'c', 'd'].map(name => door.enter(name))
  assert.equal(door.enter('e'), null)
  assert.deepEqual(reasons, ['full'])
  pass(waitMaxMs)
  assert.deepEqual(await Promise.all(waits), [null, null, null, null])
  assert.deepEqual(reasons, ['full', 'waited', 'waited', 'waited', 'waited'])
  assert.deepEqual(door.counts, { inHand: 4, waiting: 0 })
})

test('in a full line a flood makes room for whoever has less in it, with its newest', async t => {
  const { door, reasons, pass } = opened(t, 8)
  for (let index = 0; index < 4; index++) entered(door.enter('flood'))
  const floods = Array.from({ length: 8 }, () => door.enter('flood'))
  assert.equal(door.enter('flood'), null)
  for (const name of ['b', 'c', 'd', 'e']) entered(door.enter(name))
  const others = ['b', 'b', 'c'].map(name => door.enter(name))
  assert.deepEqual(await Promise.all(floods.slice(5)), [null, null, null])
  assert.deepEqual(reasons, ['full', 'full', 'full', 'full'])
  assert.deepEqual(door.counts, { inHand: 8, waiting: 8 })
  pass(waitMaxMs)
  assert.deepEqual(await Promise.all(others), [null, null, null])
})

test('a place is given back once, however often it is left', t => {
  const { door } = opened(t, 4)
  const place = entered(door.enter('a'))
  entered(door.enter('b'))
  place.leave()
  place.leave()
  assert.deepEqual(door.counts, { inHand: 1, waiting: 0 })
})
