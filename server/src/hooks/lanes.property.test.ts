// Whatever is added, sent and ended, in whichever order: the lanes keep to every limit, count right, lose and double
// nothing, and let go whatever can. They are compared with a model that counts by going through everything.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { HeldDelivery } from '../core/delivery.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { heldFor, laneNamed, laterFor, merchantOf } from './samples.test.ts'

const endpoints = ['a.1', 'a.2', 'a.3', 'b.1', 'b.2', 'c.1', 'd.1'] as const

interface Max {
  readonly laneStart: number
  readonly lane: number
  readonly merchant: number
  readonly all: number
  readonly failing: number
  readonly later: number
  readonly atRest: number
}

const isLater = ({ scheduledMade, resendAt }: HeldDelivery) => scheduledMade > 0 || resendAt !== null

class Model {
  readonly max: Max
  readonly lanes: Lanes
  waiting: HeldDelivery[] = []
  inFlight: HeldDelivery[] = []
  readonly width = new Map<string, number>()
  readonly failing = new Set<string>()

  constructor(max: Max) {
    this.max = max
    this.lanes = createLanes(max)
  }

  widthOf = (endpoint: string) => this.width.get(endpoint) ?? this.max.laneStart
  ofLane = (list: readonly HeldDelivery[], endpoint: string) => list.filter(({ endpointId }) => endpointId === endpoint)
  ofMerchant = (list: readonly HeldDelivery[], endpoint: string) =>
    list.filter(({ merchantId }) => merchantId === merchantOf(endpoint))
  ofFailing = (list: readonly HeldDelivery[]) => list.filter(({ endpointId }) => this.failing.has(endpointId))

  mayGo(held: HeldDelivery): boolean {
    const { max, inFlight } = this
    const endpoint = held.endpointId
    return (
      inFlight.length < max.all &&
      this.ofLane(inFlight, endpoint).length < this.widthOf(endpoint) &&
      this.ofMerchant(inFlight, endpoint).length < max.merchant &&
      (!this.failing.has(endpoint) || this.ofFailing(inFlight).length < max.failing) &&
      (!isLater(held) || inFlight.filter(isLater).length < max.later)
    )
  }

  roomIn(endpoint: string): number {
    const { max, inFlight, waiting } = this
    const inMemory = [...inFlight, ...waiting]
    const rooms = [
      2 * this.widthOf(endpoint) - this.ofLane(inMemory, endpoint).length,
      2 * max.merchant - this.ofMerchant(inMemory, endpoint).length,
      2 * max.all - inMemory.length,
      this.failing.has(endpoint) ? 2 * max.failing - this.ofFailing(inMemory).length : Number.POSITIVE_INFINITY,
    ]
    return Math.max(0, Math.min(...rooms))
  }

  add(held: HeldDelivery): void {
    this.lanes.add(held)
    this.waiting.push(held)
  }

  next(): void {
    const held = this.lanes.next()
    if (held === null) {
      assert.deepEqual(
        this.waiting.filter(each => this.mayGo(each)),
        [],
        'these can go',
      )
      return
    }
    assert.ok(this.waiting.includes(held), 'it was added, and not sent yet')
    assert.ok(this.mayGo(held), 'there is room for it')
    this.waiting = this.waiting.filter(each => each !== held)
    this.inFlight.push(held)
  }

  done(which: number, accepted: boolean): void {
    const held = this.inFlight[which % this.inFlight.length]
    if (held === undefined) return
    this.lanes.done(held, accepted)
    this.inFlight = this.inFlight.filter(each => each !== held)
    const before = this.widthOf(held.endpointId)
    this.width.set(held.endpointId, accepted ? Math.min(this.max.lane, before + 1) : Math.max(1, before >> 1))
    if (accepted) this.failing.delete(held.endpointId)
    else this.failing.add(held.endpointId)
  }

  empty(): void {
    const ids = (list: readonly HeldDelivery[]) => list.map(({ id }) => id).sort()
    assert.deepEqual(ids(this.lanes.empty()), ids(this.waiting))
    for (const { id } of this.waiting) assert.ok(!this.lanes.has(id))
    this.waiting = []
  }

  assertCounts(): void {
    assert.deepEqual([this.lanes.inFlight, this.lanes.waiting], [this.inFlight.length, this.waiting.length])
    for (const { id } of [...this.inFlight, ...this.waiting]) assert.ok(this.lanes.has(id))
    for (const endpoint of endpoints) {
      assert.equal(this.lanes.roomIn(laneNamed(endpoint)), this.roomIn(endpoint), `room in ${endpoint}`)
    }
  }
}

const anyEndpoint = fc.constantFrom(...endpoints)
const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), endpoint: anyEndpoint, later: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('next' as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('done' as const), which: fc.nat(), accepted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('empty' as const) }) },
)
const few = fc.integer({ min: 1, max: 4 })
const anyMax = fc.record({
  ...{ laneStart: few, lane: fc.integer({ min: 4, max: 6 }), merchant: few, failing: few, later: few },
  ...{ all: fc.integer({ min: 1, max: 8 }), atRest: fc.constant(100) },
})

test('any sequence keeps to the limits and the counts, and what can go goes', () => {
  fc.assert(
    fc.property(anyMax, fc.array(anyStep, { maxLength: 120, size: 'max' }), (max, steps) => {
      const model = new Model(max)
      for (const step of steps) {
        if (step.do === 'add') model.add(step.later ? laterFor(step.endpoint) : heldFor(step.endpoint))
        else if (step.do === 'next') model.next()
        else if (step.do === 'done') model.done(step.which, step.accepted)
        else model.empty()
        model.assertCounts()
      }
      while (model.waiting.length > 0) {
        const before = model.waiting.length
        while (model.inFlight.length > 0) model.done(0, before % 2 === 0)
        model.next()
        assert.ok(model.waiting.length < before, 'nothing is in flight and something waits: one goes')
      }
    }),
    { numRuns: 1_000 },
  )
})
