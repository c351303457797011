// How long a merchant waits to be told, at a steady rate of payments: from the commit, as the database dates it, to the arrival.

import type { Result } from './result.ts'
import { measuredAt, openWorld } from './world.ts'

const perSecond = 200
const seconds = 20
const warmUpSeconds = 20

export async function latency(): Promise<Result> {
  const world = await openWorld()
  try {
    await world.addEndpoint('transaction', world.receiverUrl)
    await measuredAt(world, perSecond, warmUpSeconds)
    const row = await measuredAt(world, perSecond, seconds)
    return {
      name: 'latency',
      settings: { perSecond, seconds, warmUpSeconds },
      rows: [row],
      goals: [
        { goal: 'p50 ≤ 10 ms', value: row.p50Ms, met: row.p50Ms <= 10 },
        { goal: 'p99 ≤ 50 ms', value: row.p99Ms, met: row.p99Ms <= 50 },
        { goal: 'none refused', value: row.refused, met: row.refused === 0 },
      ],
    }
  } finally {
    await world.close()
  }
}
