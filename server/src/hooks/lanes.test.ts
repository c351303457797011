import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { heldFor, laneNamed, laterFor, merchantOf } from '../../test/support/delivery-samples.ts'
import { createLanesByHeld as createLanes, type LanesByHeld as Lanes } from '../../test/support/lanes-by-held.ts'
import type { HeldDelivery } from '../core/delivery.ts'

/** So wide that only the limits that a test sets are met. */
const wide = {
  ...{
    laneStart: 100,
    lane: 100,
    quickLane: 100,
    laneMin: 1,
    merchant: 100,
    merchantSockets: 1_000,
    merchantUnwritten: 100,
    all: 100,
    failing: 100,
    later: 100,
    atRest: 100,
  },
  ...{ sockets: 1_000, takesLongMs: 2_000, failingPerRound: 1_000, depth: 2, waitMs: 500, quickMs: 50 },
}

function addMany(lanes: Lanes, endpoint: string, count: number, make = heldFor): void {
  for (let i = 0; i < count; i++) lanes.add(make(endpoint))
}

function sendAll(lanes: Lanes): HeldDelivery[] {
  const sent: HeldDelivery[] = []
  for (let held = lanes.next(); held !== null; held = lanes.next()) sent.push(held)
  return sent
}

/** One attempt of its own, so that the lane is known by how it ended. */
function attemptOne(lanes: Lanes, endpoint: string, accepted: boolean): void {
  lanes.add(heldFor(endpoint))
  const [held] = sendAll(lanes)
  assert.ok(held !== undefined)
  lanes.done(held, accepted)
}

const endpointsOf = (sent: readonly HeldDelivery[]) => sent.map(({ endpointId }) => String(endpointId))

describe('in flight', () => {
  test('there are no more of a lane than it is wide', () => {
    const lanes = createLanes({ ...wide, laneStart: 8 })
    addMany(lanes, 'a.1', 20)
    assert.equal(sendAll(lanes).length, 8)
    assert.deepEqual([lanes.inFlight, lanes.waiting], [8, 12])
  })

  test('there are no more of a merchant than its part, and one that ends makes room for another lane', () => {
    const lanes = createLanes({ ...wide, merchant: 3 })
    for (const endpoint of ['a.1', 'a.2', 'a.3', 'a.4']) addMany(lanes, endpoint, 2)
    addMany(lanes, 'b.1', 2)
    const sent = sendAll(lanes)
    assert.equal(sent.filter(({ merchantId }) => merchantId === 'a').length, 3)
    assert.equal(sent.filter(({ merchantId }) => merchantId === 'b').length, 2)
    lanes.done(sent.find(({ merchantId }) => merchantId === 'a') as HeldDelivery, true)
    assert.deepEqual(endpointsOf(sendAll(lanes)), ['a.4'])
  })

  test('results that are not written yet count with those of a merchant that are in flight', () => {
    const lanes = createLanes({ ...wide, merchant: 3, merchantUnwritten: 4 })
    addMany(lanes, 'a.1', 9)
    const [first, second, third] = sendAll(lanes) as [HeldDelivery, HeldDelivery, HeldDelivery]
    const end = (held: HeldDelivery) => {
      lanes.unsettled(held)
      lanes.done(held, true)
    }
    end(first)
    assert.equal(sendAll(lanes).length, 1, 'three in flight, one unwritten')
    end(second)
    end(third)
    assert.equal(sendAll(lanes).length, 0, 'one in flight, three unwritten')
    lanes.settled(first)
    lanes.settled(second)
    assert.equal(sendAll(lanes).length, 2)
  })

  test('and still do when the lane that made them is forgotten', () => {
    const lanes = createLanes({ ...wide, merchantUnwritten: 2, atRest: 1 })
    addMany(lanes, 'a.1', 2)
    const unwritten = sendAll(lanes)
    for (const held of unwritten) {
      lanes.unsettled(held)
      lanes.done(held, true)
    }
    addMany(lanes, 'b.1', 1)
    for (const held of sendAll(lanes)) lanes.done(held, true) // now b.1 is the one that is remembered
    addMany(lanes, 'a.1', 2)
    assert.equal(sendAll(lanes).length, 0)
    for (const held of unwritten) lanes.settled(held)
    assert.equal(sendAll(lanes).length, 2)
  })

  test('there are no more in all than the house holds', () => {
    const lanes = createLanes({ ...wide, all: 5 })
    for (const endpoint of ['a.1', 'b.1', 'c.1']) addMany(lanes, endpoint, 3)
    const sent = sendAll(lanes)
    assert.equal(sent.length, 5)
    lanes.done(sent[0] as HeldDelivery, false)
    assert.equal(sendAll(lanes).length, 1)
  })

  test('of a failing lane only a few begin between two rounds, however soon they end; of a working one all', () => {
    const lanes = createLanes({ ...wide, failingPerRound: 3 })
    for (const endpoint of ['a.1', 'b.1']) addMany(lanes, endpoint, 20)
    const begun = new Map<string, number>()
    const sendEach = () => {
      for (let held = lanes.next(); held !== null; held = lanes.next()) {
        begun.set(held.endpointId, (begun.get(held.endpointId) ?? 0) + 1)
        lanes.done(held, held.endpointId === 'b.1')
      }
    }
    sendEach()
    assert.deepEqual([begun.get('a.1'), begun.get('b.1')], [1 + 3, 20], 'the first one told that it fails')
    lanes.noteRound()
    sendEach()
    assert.equal(begun.get('a.1'), 1 + 3 + 3)
  })

  test('merchants take turns, and with each turn of a merchant its lanes do', () => {
    const lanes = createLanes({ ...wide, all: 8 })
    for (const endpoint of ['a.1', 'a.2', 'a.3']) addMany(lanes, endpoint, 5)
    addMany(lanes, 'b.1', 5)
    const turns = ['a.1', 'b.1', 'a.2', 'b.1', 'a.3', 'b.1', 'a.1', 'b.1']
    assert.deepEqual(endpointsOf(sendAll(lanes)), turns)
  })

  test('of the room for those that fail a merchant has as much as is free, however many of it take long', () => {
    let nowMs = 0
    const lanes = createLanes({ ...wide, failing: 8 }, () => nowMs)
    for (const endpoint of ['a.3', 'b.1', 'c.1']) attemptOne(lanes, endpoint, false)
    addMany(lanes, 'a.1', 40)
    assert.equal(sendAll(lanes).length, 40, 'they begin before anybody knows')
    nowMs += wide.takesLongMs
    lanes.noteRound()
    for (const endpoint of ['a.2', 'a.3', 'b.1', 'c.1']) addMany(lanes, endpoint, 4)
    assert.deepEqual(endpointsOf(sendAll(lanes)).sort(), ['a.2', 'a.2', 'a.2', 'a.2', 'b.1', 'b.1', 'c.1'])
  })

  test('there are no more of a merchant with those that take long than it may have sockets', () => {
    let nowMs = 0
    const lanes = createLanes({ ...wide, merchantSockets: 6 }, () => nowMs)
    addMany(lanes, 'a.1', 4)
    sendAll(lanes)
    nowMs += wide.takesLongMs
    lanes.noteRound()
    addMany(lanes, 'a.2', 4)
    addMany(lanes, 'b.1', 1)
    const sent = sendAll(lanes)
    assert.deepEqual(endpointsOf(sent).sort(), ['a.2', 'a.2', 'b.1'])
    lanes.done(sent.find(({ endpointId }) => String(endpointId) === 'a.2') as HeldDelivery, true)
    assert.deepEqual(endpointsOf(sendAll(lanes)), ['a.2'])
  })

  test('lanes take turns', () => {
    const lanes = createLanes({ ...wide, all: 7 })
    addMany(lanes, 'a.1', 5)
    addMany(lanes, 'b.1', 3)
    addMany(lanes, 'c.1', 1)
    assert.deepEqual(endpointsOf(sendAll(lanes)), ['a.1', 'b.1', 'c.1', 'a.1', 'b.1', 'a.1', 'b.1'])
  })
})

describe('a lane', () => {
  const width = (lanes: Lanes, endpoint: string) => lanes.roomIn(laneNamed(endpoint)) / 2

  test('is halved by each failure, down to one at a time, and widened by each success, up to the limit', () => {
    const lanes = createLanes({ ...wide, laneStart: 8, lane: 10, quickLane: 10 })
    const widths = [false, false, false, false, true, true, false, true, true, true, true].map(accepted => {
      attemptOne(lanes, 'a.1', accepted)
      return width(lanes, 'a.1')
    })
    assert.deepEqual(widths, [4, 2, 1, 1, 2, 3, 1, 2, 3, 4, 5])
    for (let i = 0; i < 20; i++) attemptOne(lanes, 'a.1', true)
    assert.equal(width(lanes, 'a.1'), 10)
  })

  test('that narrows while it waits for its turn sends nothing beyond its new width', () => {
    const lanes = createLanes({ ...wide, laneStart: 4, all: 3 })
    addMany(lanes, 'a.1', 9)
    const [first, second] = sendAll(lanes)
    lanes.done(first as HeldDelivery, false)
    lanes.done(second as HeldDelivery, false)
    assert.equal(lanes.inFlight, 1)
    assert.equal(lanes.next(), null, 'its width is one, and one is in flight')
  })

  test('of an endpoint that is known to fail begins with one at a time, among those that fail', () => {
    for (const [failing, expected] of [
      [100, ['a.1', 'b.1']],
      [1, ['a.1']],
    ] as const) {
      const lanes = createLanes({ ...wide, failing })
      for (const endpoint of ['a.1', 'a.1', 'b.1', 'b.1']) lanes.add(heldFor(endpoint, { endpointFails: true }))
      assert.deepEqual(endpointsOf(sendAll(lanes)), expected)
    }
  })

  test('that is busy does not starve its retries', () => {
    const lanes = createLanes({ ...wide, laneStart: 1, lane: 1, quickLane: 1 })
    addMany(lanes, 'a.1', 2, laterFor)
    addMany(lanes, 'a.1', 10)
    const order = Array.from({ length: 9 }, () => {
      lanes.add(heldFor('a.1'))
      const held = lanes.next() as HeldDelivery
      lanes.done(held, true)
      return held.scheduledMade
    })
    assert.deepEqual(order, [0, 0, 0, 1, 0, 0, 0, 1, 0])
  })

  test('keeps in memory at most twice its width, and is worth a claim when half of that is gone', () => {
    const lanes = createLanes({ ...wide, laneStart: 4 })
    assert.deepEqual([lanes.roomIn(laneNamed('a.1')), lanes.hasRoomForMore(laneNamed('a.1'))], [8, true])
    addMany(lanes, 'a.1', 8)
    assert.deepEqual([lanes.roomIn(laneNamed('a.1')), lanes.hasRoomForMore(laneNamed('a.1'))], [0, false])
    assert.deepEqual([lanes.fullLanes(merchantOf('a.1')), lanes.fullLanes(merchantOf('b.1'))], [['a.1'], []])
    // A success widens: twice five, less five.
    for (const held of sendAll(lanes).slice(0, 1)) lanes.done(held, true)
    assert.deepEqual([lanes.roomIn(laneNamed('a.1')), lanes.hasRoomForMore(laneNamed('a.1'))], [3, false])
  })
})

describe('failing lanes', () => {
  test('together have no more than their part in flight; working ones pass them', () => {
    const lanes = createLanes({ ...wide, failing: 2 })
    for (const endpoint of ['a.1', 'b.1', 'c.1']) attemptOne(lanes, endpoint, false)
    for (const endpoint of ['a.1', 'b.1', 'c.1', 'd.1']) addMany(lanes, endpoint, 2)
    const sent = endpointsOf(sendAll(lanes))
    assert.equal(sent.filter(endpoint => endpoint !== 'd.1').length, 2)
    assert.equal(sent.filter(endpoint => endpoint === 'd.1').length, 2)
  })

  test('do not fill the memory: working ones keep room there', () => {
    const lanes = createLanes({ ...wide, all: 4, failing: 2 })
    for (const endpoint of ['a.1', 'b.1', 'c.1']) attemptOne(lanes, endpoint, false)
    addMany(lanes, 'a.1', 2)
    addMany(lanes, 'b.1', 2)
    assert.equal(lanes.roomIn(laneNamed('c.1')), 0)
    assert.equal(lanes.roomIn(laneNamed('d.1')), 4)
    assert.equal(lanes.isFull, false)
  })

  test('stand back for none of their merchant’s working lanes', () => {
    const lanes = createLanes({ ...wide, merchant: 1, failing: 1 })
    attemptOne(lanes, 'a.dead', false)
    attemptOne(lanes, 'b.dead', false)
    lanes.add(heldFor('b.dead'))
    lanes.add(heldFor('a.first'))
    const [hanging, first] = sendAll(lanes)
    assert.deepEqual(endpointsOf([hanging, first] as HeldDelivery[]), ['b.dead', 'a.first'])
    lanes.add(heldFor('a.dead'))
    lanes.add(heldFor('a.works'))
    assert.deepEqual(sendAll(lanes), [], 'the merchant has its one in flight')
    lanes.done(first as HeldDelivery, true)
    assert.deepEqual(endpointsOf(sendAll(lanes)), ['a.works'], 'though a.dead, which may not go, stood before it')
  })

  test('are waited for no more by one that works again', () => {
    const lanes = createLanes({ ...wide, failing: 2 })
    lanes.add(heldFor('a.1'))
    lanes.add(heldFor('a.1'))
    const [first, second] = sendAll(lanes)
    lanes.done(first as HeldDelivery, false)
    attemptOne(lanes, 'b.1', false)
    lanes.add(heldFor('b.1'))
    assert.deepEqual(endpointsOf(sendAll(lanes)), ['b.1'])
    addMany(lanes, 'a.1', 2)
    assert.deepEqual(sendAll(lanes), [], 'one of a.1 and one of b.1 are all that may fail at once')
    lanes.done(second as HeldDelivery, true)
    assert.deepEqual(endpointsOf(sendAll(lanes)), ['a.1', 'a.1'])
  })
})

describe('later attempts', () => {
  test('leave room for first ones', () => {
    const lanes = createLanes({ ...wide, all: 5, later: 3 })
    addMany(lanes, 'a.1', 10, laterFor)
    const retries = sendAll(lanes)
    assert.equal(retries.length, 3)
    lanes.add(heldFor('b.1'))
    lanes.add(heldFor('a.1'))
    assert.deepEqual(endpointsOf(sendAll(lanes)).sort(), ['a.1', 'b.1'], 'also of the lane that waits for that room')
    lanes.done(retries[0] as HeldDelivery, true)
    assert.deepEqual(
      sendAll(lanes).map(({ scheduledMade }) => scheduledMade),
      [1],
    )
  })

  test('are resends too', () => {
    const lanes = createLanes({ ...wide, later: 1 })
    for (let i = 0; i < 2; i++) lanes.add(heldFor('a.1', { resendAt: new Date() }))
    assert.equal(sendAll(lanes).length, 1)
  })
})

describe('a memory', () => {
  test('that is full takes no more, of whichever lane', () => {
    const lanes = createLanes({ ...wide, all: 2 })
    for (const endpoint of ['a.1', 'b.1', 'c.1', 'd.1']) lanes.add(heldFor(endpoint))
    assert.deepEqual([lanes.isFull, lanes.roomIn(laneNamed('e.1'))], [true, 0])
  })

  test('takes no more than its part of one merchant', () => {
    const lanes = createLanes({ ...wide, merchant: 2 })
    for (const endpoint of ['a.1', 'a.2', 'a.3', 'a.4']) lanes.add(heldFor(endpoint))
    assert.equal(lanes.roomIn(laneNamed('a.5')), 0)
    assert.notEqual(lanes.roomIn(laneNamed('b.1')), 0)
    assert.deepEqual(lanes.fullLanes(merchantOf('a.1')), ['a.1', 'a.2', 'a.3', 'a.4'])
  })

  test('that was emptied gives what waited, and goes on with what comes', () => {
    const lanes = createLanes({ ...wide, laneStart: 1, failing: 1 })
    for (const endpoint of ['a.1', 'b.1', 'c.1']) attemptOne(lanes, endpoint, false)
    for (const endpoint of ['a.1', 'b.1', 'c.1']) addMany(lanes, endpoint, 2)
    const [hanging] = sendAll(lanes)
    const taken = lanes.empty()
    assert.deepEqual([taken.length, lanes.waiting, lanes.inFlight], [5, 0, 1])
    assert.ok(taken.every(({ id }) => !lanes.has(id)))
    lanes.add(heldFor('c.1'))
    assert.equal(lanes.next(), null)
    lanes.done(hanging as HeldDelivery, false)
    assert.deepEqual(endpointsOf(sendAll(lanes)), ['c.1'], 'lanes that have nothing any more stood before it')
  })

  test('counts right when a delivery that was lost is taken up again while it is on the wire', () => {
    const lanes = createLanes({ ...wide, later: 2 })
    const old = laterFor('a.1')
    lanes.add(old)
    sendAll(lanes)
    const again = { ...old, attempts: 3 }
    lanes.add(again)
    assert.deepEqual(sendAll(lanes), [again])
    lanes.done(old, true)
    assert.ok(lanes.has(again.id), 'it is still on the wire under its new number')
    lanes.done(again, true)
    assert.ok(!lanes.has(again.id))
    addMany(lanes, 'a.1', 2, laterFor)
    assert.equal(sendAll(lanes).length, 2, 'the room of both is free again')
  })

  test('has no more of a lane than it sends in half a second', () => {
    let nowMs = 0
    const lanes = createLanes({ ...wide, laneStart: 4, lane: 4, quickLane: 4, depth: 8 }, () => nowMs)
    const roomAfter = (tookMs: number) => {
      for (let i = 0; i < 100; i++) {
        lanes.add(heldFor('a.1'))
        const [sent] = sendAll(lanes)
        nowMs += tookMs
        lanes.done(sent as HeldDelivery, true)
      }
      return lanes.roomIn(laneNamed('a.1')) / 4
    }
    assert.deepEqual([5, 100, 1_000, 5].map(roomAfter), [8, 5, 2, 8])
  })

  test('sends more at once to a lane that answers quickly, until it does not any more', () => {
    let nowMs = 0
    const lanes = createLanes({ ...wide, laneStart: 4, lane: 6, quickLane: 9 }, () => nowMs)
    const widthAfter = (tookMs: number) => {
      for (let i = 0; i < 50; i++) {
        lanes.add(heldFor('a.1'))
        const [sent] = sendAll(lanes)
        nowMs += tookMs
        lanes.done(sent as HeldDelivery, true)
      }
      addMany(lanes, 'a.1', 20)
      const sent = sendAll(lanes)
      for (const held of sent) lanes.done(held, null)
      lanes.empty()
      return sent.length
    }
    assert.deepEqual([10, 100, 10].map(widthAfter), [9, 6, 9])
  })

  test('does not grow with the endpoints there ever were', () => {
    const lanes = createLanes({ ...wide, laneStart: 8, atRest: 3 })
    for (const number of [1, 2, 3, 4, 5]) attemptOne(lanes, `a.${number}`, false)
    const widths = [1, 2, 3, 4, 5].map(number => lanes.roomIn(laneNamed(`a.${number}`)) / 2)
    assert.deepEqual(widths, [8, 8, 4, 4, 4], 'the three that rested last are remembered')
  })

  test('does not forget a lane that is at work', () => {
    const lanes = createLanes({ ...wide, laneStart: 2, atRest: 1 })
    attemptOne(lanes, 'a.1', true)
    addMany(lanes, 'a.1', 3)
    assert.equal(sendAll(lanes).length, 3)
    for (const endpoint of ['b.1', 'c.1', 'd.1']) attemptOne(lanes, endpoint, true)
    assert.equal(lanes.roomIn(laneNamed('a.1')), 3)
  })
})
