import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDoor, type Place, type Reason } from './door.ts'

const waitMaxMs = 250

function opened(t: TestContext, places: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reasons: Reason[] = []
  const door = createDoor({ places, waitMaxMs, turnedAway: reason => reasons.push(reason) })
  const entering = (name: string, merchant: string | null = null) => door.enter({ by: name, for: merchant })
  /** Lets in as many as there are places for. */
  const fill = (name: string, merchant: string | null = null): Place[] => {
    const place = entering(name, merchant)
    return place === null || place instanceof Promise ? [] : [place, ...fill(name, merchant)]
  }
  return { door, entering, reasons, fill, pass: (ms: number) => t.mock.timers.tick(ms) }
}

const entered = (place: Place | null | Promise<Place | null>): Place => {
  if (place === null || place instanceof Promise) assert.fail('was not let in at once')
  return place
}

test('one name has half of the places, a second half of what is left, and a third is let in too', t => {
  const { door, entering, fill } = opened(t, 16)
  assert.equal(fill('flood').length, 8)
  assert.equal(fill('second').length, 4)
  entered(entering('third'))
  assert.equal(door.counts.inHand, 13)
})

test('eight names that each take what they may leave a place for one more', t => {
  const { fill, entering } = opened(t, 256)
  for (let index = 0; index < 8; index++) assert.ok(fill(`hog ${index}`).length > 0)
  entered(entering('newcomer'))
})

test('whoever waits is let in when a place comes free, names in turn and each in its order', async t => {
  const { door, entering } = opened(t, 4)
  const held = ['a', 'b', 'c', 'd'].map(name => entered(entering(name)))
  const order: string[] = []
  const waits = ['a', 'a', 'b'].map(async (name, index) => {
    const place = await entering(name)
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
  const { door, entering, reasons, pass } = opened(t, 4)
  for (const name of ['a', 'b', 'c', 'd']) entered(entering(name))
  const waits = ['a', 'b', 'c', 'd'].map(name => entering(name))
  assert.equal(entering('e'), null)
  assert.deepEqual(reasons, ['full'])
  pass(waitMaxMs)
  assert.deepEqual(await Promise.all(waits), [null, null, null, null])
  assert.deepEqual(reasons, ['full', 'waited', 'waited', 'waited', 'waited'])
  assert.deepEqual(door.counts, { inHand: 4, waiting: 0 })
})

test('in a full line a flood makes room for whoever has less in it, with its newest', async t => {
  const { door, entering, reasons, pass } = opened(t, 8)
  for (let index = 0; index < 4; index++) entered(entering('flood'))
  const floods = Array.from({ length: 8 }, () => entering('flood'))
  assert.equal(entering('flood'), null)
  for (const name of ['b', 'c', 'd', 'e']) entered(entering(name))
  const others = ['b', 'b', 'c'].map(name => entering(name))
  assert.deepEqual(await Promise.all(floods.slice(5)), [null, null, null])
  assert.deepEqual(reasons, ['full', 'full', 'full', 'full'])
  assert.deepEqual(door.counts, { inHand: 8, waiting: 8 })
  pass(waitMaxMs)
  assert.deepEqual(await Promise.all(others), [null, null, null])
})

test('a place is given back once, however often it is left', t => {
  const { door, entering } = opened(t, 4)
  const place = entered(entering('a'))
  entered(entering('b'))
  place.leave()
  place.leave()
  assert.deepEqual(door.counts, { inHand: 1, waiting: 0 })
})

test('strangers who pay a merchant count for it and for their network, and one of them leaves room to others', t => {
  const { entering, fill } = opened(t, 16)
  assert.equal(fill('stranger', 'merchant').length, 4)
  assert.equal(fill('neighbour', 'merchant').length, 2)
  entered(entering('third', 'merchant'))
  entered(entering('stranger', 'another merchant'))
})

test('many networks that pay one merchant have what one name may have', t => {
  const { entering, fill, door } = opened(t, 16)
  for (let network = 0; network < 16; network++) fill(`network ${network}`, 'merchant').length
  assert.equal(door.counts.inHand, 8)
  entered(entering('network 17', 'another merchant'))
})

test('in a full line the customers of one merchant make room for those of another', async t => {
  const { door, entering, reasons, pass } = opened(t, 4)
  for (const network of ['a', 'b']) entered(entering(network, 'busy'))
  const waits = ['c', 'd', 'e', 'f'].map(network => entering(network, 'busy'))
  assert.equal(entering('g', 'busy'), null)
  entered(entering('h', 'idle'))
  const next = entering('i', 'idle')
  assert.equal(await waits[3], null)
  assert.deepEqual(reasons, ['full', 'full'])
  assert.equal(door.counts.waiting, 4)
  pass(waitMaxMs)
  assert.equal(await next, null)
})
