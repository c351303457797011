// Whether processes that share a database get in each other's way: the same backlog of notifications, delivered by one process,
// by two and by four on the same machine. More processes than cores cannot be faster; they must not be slower, and none of them
// may send what another has sent.

import { deliveriesChannel } from '../server/src/join-hooks.ts'
import { type ServiceProcess, spawnService } from '../server/test/support/process.ts'
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
const rounds = 5
const counts = [1, 2, 4] as const
const most = Math.max(...counts)

export async function scale(): Promise<Result> {
  const perSecond = new Map<number, number[]>(counts.map(count => [count, []]))
  // Its own process serves: the workers are beside it.
  const world = await openWorld({ TILLBELL_ROLES: 'api' })
  const worker = () => spawnService({ ...world.environment, TILLBELL_ROLES: 'worker' })
  const workers: ServiceProcess[] = []
  try {
    const endpoint = await world.addEndpoint('transaction', world.receiver.url)
    while (workers.length < most) workers.push(await worker()) // one by one: where one does not start, the others are ended
    await deliverAll(world, endpoint, warmUp * most)
    let awake = most
    for (let round = 0; round < rounds; round++) {
      // There and back, so that none always comes after the same one.
      for (const processes of round % 2 === 0 ? counts.toReversed() : counts) {
        // Stopped, not ended: started anew they would have to be warmed anew.
        for (const each of workers.slice(processes, awake)) await stopAtRest(world, each)
        if (processes > awake) await wake(world, workers.slice(0, processes))
        awake = processes
        // What the others left behind is not for these to clear away.
        for (const statement of tidying) await world.sql.unsafe(statement)
        perSecond.get(processes)?.push(await deliverAll(world, endpoint, notifications))
      }
    }
  } finally {
    for (const { child } of workers) child.kill('SIGCONT')
    for (const each of workers) await each.kill('SIGTERM')
    await world.close()
  }
  return resultOf(perSecond)
}

/** One that was stopped for long was buried by the others, and takes another name with its next beat. */
async function wake(world: World, workers: readonly ServiceProcess[]): Promise<void> {
  const before = await beats(world)
  for (const { child } of workers) child.kill('SIGCONT')
  await until('all of them have beaten', async () => {
    const beaten = [...(await beats(world))].filter(([id, made]) => before.get(id) !== made)
    return beaten.length >= workers.length
  })
}

/** Not in the midst of a transaction, or it would keep what that has locked. */
async function stopAtRest({ sql }: World, { child, pid }: ServiceProcess): Promise<void> {
  await until('a worker is at rest', async () => {
    child.kill('SIGSTOP')
    const busy =
      await sql`select from pg_stat_activity where application_name like ${`tillbell ${pid} %`} and xact_start is not null`
    if (busy.length > 0) child.kill('SIGCONT')
    return busy.length === 0
  })
}

async function beats({ sql }: World): Promise<Map<string, bigint>> {
  const workers = await sql<{ id: string; beats: bigint }[]>`select id, beats from worker`
  return new Map(workers.map(each => [each.id, each.beats]))
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
    settings: { notifications, warmUp, rounds, order: '4 2 1 1 2 4', fsync: 'on', synchronousCommit: 'on' },
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
