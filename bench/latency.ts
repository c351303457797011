// How long a merchant waits to be told, at a steady rate of payments: from the commit, as the database dates it, to the arrival.

import type { Result } from './result.ts'
import { measuredAt, openWorld } from './world.ts'

const perSecond = 200
const seconds = 20
const warmUpSeconds = 20

export async function latency(): Promise<Result> {
  const world = await openWorld()
  try {
    await world.addEndpoint('transaction', world.receiver.url)
    await measuredAt(world, perSecond, warmUpSeconds)
    const row = await measuredAt(world, perSecond, seconds)
    return {
      name: 'latency',
      title: `From commit to receiver, at ${perSecond} payments in a second`,
      bars: [
        { label: 'median', value: row.p50Ms, unit: 'ms', kind: 'ours' },
        { label: 'of 100, the slowest', value: row.p99Ms, unit: 'ms', kind: 'ours' },
        { label: 'Convoy’s p95, as published', value: 124, unit: 'ms', kind: 'theirs' },
      ],
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
