// Whatever is added, sent and ended, in whichever order: the lanes keep to every limit, count right, lose and double
// nothing, and let go whatever can. They are compared with a model that counts by going through everything.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { heldFor, laneNamed, laterFor, merchantOf } from '../../test/support/delivery-samples.ts'
import { createLanesByHeld, type LanesByHeld } from '../../test/support/lanes-by-held.ts'
import type { HeldDelivery } from '../core/delivery.ts'
import { depthMin, meanOf } from './lane.ts'

const endpoints = ['a.1', 'a.2', 'a.3', 'b.1', 'b.2', 'c.1', 'd.1'] as const

interface Max {
  readonly laneStart: number
  readonly lane: number
  readonly quickLane: number
  readonly quickMs: number
  readonly merchant: number
  readonly merchantSockets: number
  readonly merchantUnwritten: number
  readonly all: number
  readonly failing: number
  readonly later: number
  readonly atRest: number
  readonly laneMin: number
  readonly sockets: number
  readonly failingPerRound: number
  readonly takesLongMs: number
  readonly depth: number
  readonly waitMs: number
}

const isLater = ({ scheduledMade, resendAt }: HeldDelivery) => scheduledMade > 0 || resendAt !== null

class Model {
  readonly max: Max
  readonly lanes: LanesByHeld
  waiting: HeldDelivery[] = []
  /** In the order in which they began. */
  inFlight: HeldDelivery[] = []
  readonly slow = new Set<HeldDelivery>()
  unsettled: HeldDelivery[] = []
  /** Since the last round, by failing lane. */
  readonly begun = new Map<string, number>()
  nowMs = 0
  readonly width = new Map<string, number>()
  readonly failing = new Set<string>()

  constructor(max: Max) {
    this.max = max
    this.lanes = createLanesByHeld(max, () => this.nowMs)
  }

  readonly sinceMs = new Map<HeldDelivery, number>()
  readonly tookMs = new Map<string, number>()

  depthOf = (endpoint: string) => {
    const timesAs = Math.floor(this.max.waitMs / (this.tookMs.get(endpoint) ?? 0))
    return Math.min(this.max.depth, Math.max(depthMin, timesAs))
  }
  widthOf = (endpoint: string) => this.width.get(endpoint) ?? this.max.laneStart
  ofLane = (list: readonly HeldDelivery[], endpoint: string) => list.filter(({ endpointId }) => endpointId === endpoint)
  ofMerchant = (list: readonly HeldDelivery[], endpoint: string) =>
    list.filter(({ merchantId }) => merchantId === merchantOf(endpoint))
  ofFailing = (list: readonly HeldDelivery[]) => list.filter(({ endpointId }) => this.failing.has(endpointId))

  failingOrSlowOf = (endpoint: string) => this.ofMerchant([...this.ofFailing(this.fast), ...this.slow], endpoint).length
  /** Of each merchant only half of the room counts. */
  get roomToFail(): number {
    const ofEach = ['a.1', 'b.1', 'c.1', 'd.1'].map(endpoint => this.failingOrSlowOf(endpoint))
    return ofEach.reduce((room, own) => room - Math.min(own, Math.ceil(this.max.failing / 2)), this.max.failing)
  }

  get fast(): HeldDelivery[] {
    return this.inFlight.filter(held => !this.slow.has(held))
  }

  mayGo(held: HeldDelivery): boolean {
    const { max, inFlight, fast, slow, unsettled } = this
    const endpoint = held.endpointId
    const ofMerchant = this.ofMerchant(fast, endpoint).length
    const slowOfMerchant = this.ofMerchant([...slow], endpoint).length
    return (
      fast.length < max.all &&
      inFlight.length < max.sockets &&
      (!this.failing.has(endpoint) || (this.begun.get(endpoint) ?? 0) < max.failingPerRound) &&
      this.ofLane(inFlight, endpoint).length < this.widthOf(endpoint) &&
      ofMerchant < max.merchant &&
      ofMerchant + slowOfMerchant < max.merchantSockets &&
      ofMerchant + this.ofMerchant(unsettled, endpoint).length < max.merchantUnwritten &&
      (!this.failing.has(endpoint) || this.failingOrSlowOf(endpoint) < this.roomToFail) &&
      (!isLater(held) || fast.filter(isLater).length < max.later)
    )
  }

  roomIn(endpoint: string): number {
    const { max, fast, inFlight, waiting } = this
    const inMemory = [...fast, ...waiting]
    const rooms = [
      this.depthOf(endpoint) * this.widthOf(endpoint) - this.ofLane([...inFlight, ...waiting], endpoint).length,
      max.depth * max.merchant - this.ofMerchant(inMemory, endpoint).length,
      max.depth * max.all - inMemory.length,
      this.failing.has(endpoint) ? max.depth * max.failing - this.ofFailing(inMemory).length : Number.POSITIVE_INFINITY,
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
    this.sinceMs.set(held, this.nowMs)
    const { endpointId } = held
    if (this.failing.has(endpointId)) this.begun.set(endpointId, (this.begun.get(endpointId) ?? 0) + 1)
  }

  /** With a result, or without one having been made. */
  done(which: number, accepted: boolean | null): void {
    const held = this.inFlight[which % this.inFlight.length]
    if (held === undefined) return
    if (accepted !== null) {
      this.lanes.unsettled(held)
      this.unsettled.push(held)
    }
    this.lanes.done(held, accepted)
    this.inFlight = this.inFlight.filter(each => each !== held)
    this.slow.delete(held)
    if (accepted !== null) this.note(held)
    if (accepted !== null) this.judge(held, accepted)
  }

  note(held: HeldDelivery): void {
    const tookMs = this.nowMs - (this.sinceMs.get(held) ?? 0)
    this.tookMs.set(held.endpointId, meanOf(this.tookMs.get(held.endpointId) ?? 0, tookMs))
  }

  judge({ endpointId }: HeldDelivery, accepted: boolean): void {
    const { lane, quickLane, quickMs, laneMin } = this.max
    const widest = (this.tookMs.get(endpointId) ?? 0) < quickMs ? quickLane : lane
    const before = this.widthOf(endpointId)
    this.width.set(endpointId, accepted ? Math.min(widest, before + 1) : Math.max(laneMin, before >> 1))
    if (accepted) this.begun.delete(endpointId)
    if (accepted) this.failing.delete(endpointId)
    else this.failing.add(endpointId)
  }

  settle(which: number): void {
    const held = this.unsettled[which % this.unsettled.length]
    if (held === undefined) return
    this.lanes.settled(held)
    this.unsettled = this.unsettled.filter(each => each !== held)
  }

  waitLong(): void {
    this.nowMs += this.max.takesLongMs
    this.round()
    for (const held of this.fast) {
      this.slow.add(held)
      this.judge(held, false)
    }
  }

  round(): void {
    this.lanes.noteRound()
    this.begun.clear()
  }

  giveBack(endpoint: string): void {
    const surplus = this.lanes.surplusOf(laneNamed(endpoint))
    const inLane = this.ofLane([...this.inFlight, ...this.waiting], endpoint).length
    const waits = this.ofLane(this.waiting, endpoint).length
    const tooMany = Math.min(waits, Math.max(0, inLane - this.max.depth * this.widthOf(endpoint)))
    assert.equal(surplus.length, tooMany)
    for (const held of surplus) assert.ok(this.waiting.includes(held) && !this.lanes.has(held.id))
    this.waiting = this.waiting.filter(each => !surplus.includes(each))
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
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('done' as const),
      which: fc.nat(),
      accepted: fc.constantFrom(true, true, false, false, null),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('waitLong' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('round' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('giveBack' as const), endpoint: anyEndpoint }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('empty' as const) }) },
)
const few = fc.integer({ min: 1, max: 4 })
const anyMax = fc.record({
  ...{
    laneStart: few,
    lane: fc.integer({ min: 4, max: 6 }),
    quickLane: fc.integer({ min: 6, max: 9 }),
    quickMs: fc.constant(50),
    merchant: few,
    merchantSockets: fc.integer({ min: 1, max: 6 }),
    merchantUnwritten: fc.integer({ min: 1, max: 8 }),
    failing: few,
    later: few,
  },
  ...{ all: fc.integer({ min: 1, max: 8 }), atRest: fc.constant(100), laneMin: fc.integer({ min: 1, max: 2 }) },
  ...{
    sockets: fc.integer({ min: 6, max: 12 }),
    takesLongMs: fc.constant(2_000),
    failingPerRound: few,
    depth: few,
    waitMs: fc.constant(500),
  },
})

test('any sequence keeps to the limits and the counts, and what can go goes', () => {
  fc.assert(
    fc.property(anyMax, fc.array(anyStep, { maxLength: 120, size: 'max' }), (max, steps) => {
      const model = new Model(max)
      for (const step of steps) {
        if (step.do === 'add') model.add(step.later ? laterFor(step.endpoint) : heldFor(step.endpoint))
        else if (step.do === 'next') model.next()
        else if (step.do === 'done') model.done(step.which, step.accepted)
        else if (step.do === 'settle') model.settle(step.which)
        else if (step.do === 'waitLong') model.waitLong()
        else if (step.do === 'round') model.round()
        else if (step.do === 'giveBack') model.giveBack(step.endpoint)
        else model.empty()
        model.assertCounts()
      }
      while (model.waiting.length > 0) {
        const before = model.waiting.length
        while (model.inFlight.length > 0) model.done(0, before % 2 === 0)
        while (model.unsettled.length > 0) model.settle(0)
        model.round()
        model.next()
        assert.ok(model.waiting.length < before, 'nothing is in flight and something waits: one goes')
      }
    }),
    { numRuns: 1_000 },
  )
})
