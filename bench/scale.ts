// Whether processes that share a database get in each other's way: the same backlog of notifications, delivered by one process,
// by two and by four on the same machine. More processes than cores cannot be faster; they must not be slower, and none of them
// may send what another has sent.

import { deliveriesChannel } from '../server/src/join-hooks.ts'
import { spawnService } from '../server/test/support/process.ts'
import { until } from '../server/test/support/until.ts'
import { fill } from './fill.ts'
import { tidying } from './hooks/contestant.ts'
import { quantile, type Result, timesOf } from './result.ts'
import { openWorld, type World } from './world.ts'

const notifications = 15_000
/**
 * For each process: it compiles its code by itself. After 10,000 V8's own threads still took 51 and 60 µs of CPU for each delivery of four processes, 22 and 23 of
 * one; after 30,000 it was five to eight, whatever their number.
 */
const warmUp = 30_000
const rounds = 3
const counts = [1, 2, 4] as const
const most = Math.max(...counts)

export async function scale(): Promise<Result> {
  const perSecond = new Map<number, number[]>(counts.map(count => [count, []]))
  // Its own process serves: the workers are beside it.
  const world = await openWorld({ TILLBELL_ROLES: 'api' })
  try {
    const endpoint = await world.addEndpoint('transaction', world.receiver.url)
    for (let round = 0; round < rounds; round++) {
      for (const [processes, value] of await measured(world, endpoint)) perSecond.get(processes)?.push(value)
    }
  } finally {
    await world.close()
  }
  return resultOf(perSecond)
}

function resultOf(perSecond: Map<number, number[]>): Result {
  const of = (processes: number) => perSecond.get(processes) ?? []
  const median = (processes: number) => quantile(of(processes), 0.5)
  const ofOne = (processes: number) => timesOf(of(processes), of(1))
  const goal = (processes: number, least: number) => {
    const value = ofOne(processes)
    return { goal: `${processes} processes ≥ ${least} × one`, value, met: value >= least }
  }
  return {
    name: 'scale',
    title: 'Notifications in a second, by processes on one database',
    bars: counts.map(count => ({
      label: count === 1 ? 'one' : String(count),
      value: median(count),
      unit: '/s',
      kind: 'ours',
    })),
    settings: { notifications, warmUp, rounds, order: '4 2 1', fsync: 'on', synchronousCommit: 'on' },
    rows: [...perSecond].map(([processes, all]) => ({
      processes,
      perSecond: Math.round(median(processes)),
      slowest: Math.round(Math.min(...all)),
      fastest: Math.round(Math.max(...all)),
      'of one': ofOne(processes),
      rounds: all.map(Math.round).join(' '),
    })),
    // That each came once and only once is asked of every run: one that lost or doubled any has no result.
    goals: [goal(2, 0.95), goal(4, 0.9)],
  }
}

/** All of them new, and as warm as each other; then fewer and fewer of the same, which by then have done a third more. */
async function measured(world: World, endpoint: string): Promise<[processes: number, perSecond: number][]> {
  const worker = () => spawnService({ ...world.environment, TILLBELL_ROLES: 'worker' })
  const workers = await Promise.all(Array.from({ length: most }, worker))
  const leave = async (processes: number) => {
    while (workers.length > processes) await workers.pop()?.kill('SIGTERM')
  }
  try {
    await deliverAll(world, endpoint, warmUp * most)
    const values: [number, number][] = []
    for (const processes of counts.toReversed()) {
      await leave(processes)
      // What the others left behind is not for these to clear away.
      for (const statement of tidying) await world.sql.unsafe(statement)
      values.push([processes, await deliverAll(world, endpoint, notifications)])
    }
    return values
  } finally {
    await leave(0)
  }
}

/** How many in a second. */
async function deliverAll({ sql, merchant, receiver }: World, endpoint: string, count: number): Promise<number> {
  await fill(sql, merchant, endpoint, count)
  await sql.notify(deliveriesChannel)
  await until(`${count} have arrived`, async () => (await receiver.count()) >= count, 60_000)
  await until('all results are durable', async () => {
    const [row] = await sql<{ left: number }[]>`select count(*)::int as left from owed_delivery where state = 'pending'`
    return row?.left === 0
  })
  const endedAtMs = Date.now()
  const arrived = await receiver.empty()
  const different = new Set(arrived.map(([transaction]) => transaction)).size
  if (arrived.length !== count || different !== count)
    throw new Error(`${count} were owed; ${arrived.length} arrived, ${different} different ones`)
  return count / ((endedAtMs - Math.min(...arrived.map(([, atMs]) => atMs))) / 1_000)
}
