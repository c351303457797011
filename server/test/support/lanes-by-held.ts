// Lanes as the tests look at them: by the deliveries themselves.

import assert from 'node:assert/strict'
import type { HeldDelivery } from '../../src/core/delivery.ts'
import type { DeliveryId } from '../../src/core/ids.ts'
import type { Taken } from '../../src/hooks/lane.ts'
import { createLanes, type Lanes } from '../../src/hooks/lanes.ts'

export interface LanesByHeld extends Omit<Lanes, 'next' | 'done' | 'ids'> {
  next(): HeldDelivery | null
  done(held: HeldDelivery, accepted: boolean | null): void
  has(id: DeliveryId): boolean
}

export function createLanesByHeld(...given: Parameters<typeof createLanes>): LanesByHeld {
  const lanes = createLanes(...given)
  const onWire = new Map<HeldDelivery, Taken>()
  return Object.create(lanes, {
    next: {
      value() {
        const taken = lanes.next()
        if (taken !== null) onWire.set(taken.held, taken)
        return taken?.held ?? null
      },
    },
    done: {
      value(held: HeldDelivery, accepted: boolean | null) {
        const taken = onWire.get(held)
        assert.ok(taken !== undefined, 'it is on the wire')
        onWire.delete(held)
        lanes.done(taken, accepted)
      },
    },
    has: { value: (id: DeliveryId) => lanes.ids().has(id) },
  })
}
