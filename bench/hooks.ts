// How fast notifications that are committed already reach a receiver, with their results durable: Tillbell, queues that do the
// same, and a bare loop that does nothing but send. They take turns, so that what the machine does meanwhile falls on all alike.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '../server/test/support/until.ts'
import { openBenchDatabase } from './database.ts'
import { atOnce, type Surroundings } from './hooks/contestant.ts'
import type { Pace } from './pace.ts'
import { installPeers, peerVersion } from './peer-packages.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { openRedis } from './redis.ts'
import { type Bar, quantile, type Result, timesOf } from './result.ts'

const notifications = 20_000
/**
 * Most code is compiled by then: V8's own threads took 29 to 44 µs of CPU for each of Tillbell's first 20,000, 6 to 16 for each of the next, then one
 * to three. Of the others it was not measured.
 */
const warmUp = 40_000
/** As many as the time allows, and an odd number, so that one of them is in the middle. */
const rounds = { least: 5, most: 15, forS: 120 } as const
const peers = ['graphile-worker', 'bullmq', 'pg-boss'] as const
const limit = 'bare-sockets'

export async function hooks(pace: Pace): Promise<Result> {
  await installPeers()
  const redis = await openRedis()
  if (redis === null) process.stderr.write('BullMQ is left out: there is no redis-server on this machine.\n')
  const there = peers.filter(peer => peer !== 'bullmq' || redis !== null)
  const receiver = await openReceiver()
  const entered: Entered[] = []
  try {
    for (const name of [...there, 'tillbell', limit]) entered.push(await enter(name, receiver, redis?.port ?? null))
    for (const each of entered) await deliverAll(each.child, receiver, warmUp)
    const perSecond = new Map(entered.map(({ name }): [string, number[]] => [name, []]))
    const untilMs = performance.now() + rounds.forS * 1_000
    for (let round = 0; !isEnough(round, untilMs); round++) {
      // There and back, so that nobody always comes after the same one.
      for (const { name, child } of round % 2 === 0 ? entered : entered.toReversed()) {
        pace.sample()
        perSecond.get(name)?.push(notifications / ((await deliverAll(child, receiver, notifications)) / 1_000))
      }
    }
    return resultOf(perSecond, there)
  } finally {
    for (const { leave } of entered) await leave()
    receiver.close()
    await redis?.close()
  }
}

function isEnough(round: number, untilMs: number): boolean {
  if (round < rounds.least || round % 2 === 0) return false
  return round >= rounds.most || performance.now() > untilMs
}

interface Entered {
  readonly name: string
  readonly child: ChildProcess
  leave(): Promise<void>
}

/** In a process of its own, and with a PostgreSQL of its own: both stay until the end, so that each round finds them warm. */
async function enter(name: string, receiver: Receiver, redisPort: number | null): Promise<Entered> {
  const database = await openBenchDatabase()
  const child = fork(join(import.meta.dirname, 'hooks/contestant-process.ts'))
  const surroundings: Surroundings = { receiverUrl: receiver.url, databaseUrl: database.url, redisPort }
  await tell(child, { enter: name, surroundings })
  return {
    name,
    child,
    async leave() {
      await tell(child, 'stop').catch(() => {})
      child.disconnect()
      await database.close()
    },
  }
}

const labels: { readonly [name: string]: string } = {
  tillbell: 'Tillbell',
  [limit]: 'bare sockets, no database',
  bullmq: 'BullMQ',
}

function kindOf(who: string): Bar['kind'] {
  if (who === 'tillbell') return 'ours'
  return who === limit ? 'limit' : 'theirs'
}

function resultOf(perSecond: Map<string, number[]>, there: readonly string[]): Result {
  const of = (name: string) => perSecond.get(name) ?? []
  const median = (name: string) => quantile(of(name), 0.5)
  const overBest = Math.min(...there.map(peer => timesOf(of('tillbell'), of(peer))))
  const ofLimit = timesOf(of('tillbell'), of(limit))
  return {
    name: 'hooks',
    title: 'Notifications delivered in a second, results durable',
    bars: [...perSecond.keys()].map(who => ({
      label: labels[who] ?? who,
      value: median(who),
      unit: '/s',
      kind: kindOf(who),
    })),
    settings: {
      ...{
        notifications,
        warmUp,
        rounds: of('tillbell').length,
        roundsForS: rounds.forS,
        atOnce,
        fsync: 'on',
        synchronousCommit: 'on',
        appendfsync: 'always',
      },
      ...Object.fromEntries(there.map(peer => [peer, peerVersion(peer)])),
    },
    rows: [...perSecond].map(([who, all]) => ({
      who,
      perSecond: Math.round(median(who)),
      slowest: Math.round(Math.min(...all)),
      fastest: Math.round(Math.max(...all)),
      'of the limit': timesOf(all, of(limit)),
      rounds: all.map(Math.round).join(' '),
    })),
    goals: [
      { goal: '≥ 2.2 × the best peer', value: overBest, met: overBest >= 2.2 },
      { goal: '≥ 0.6 × the limit', value: ofLimit, met: ofLimit >= 0.6 },
    ],
  }
}

/** How many ms, from the first to arrive until the last result is durable. */
async function deliverAll(child: ChildProcess, receiver: Receiver, count: number): Promise<number> {
  await tell(child, { load: count })
  await until(`${count} have arrived`, async () => (await receiver.count()) >= count, 60_000)
  let endedAtMs = 0
  const isDurable = async () => {
    endedAtMs = Date.now() // before it is asked: some take longer to answer than others
    return (await tell(child, 'left')) === 0
  }
  await until('all results are durable', isDurable, 60_000, 5)
  await tell(child, 'tidy')
  const arrived = await receiver.empty()
  const different = new Set(arrived.map(([transaction]) => transaction)).size
  if (arrived.length !== count || different !== count)
    throw new Error(`${count} were sent; ${arrived.length} arrived, ${different} different ones`)
  return endedAtMs - Math.min(...arrived.map(([, atMs]) => atMs))
}

async function tell(child: ChildProcess, told: object | string): Promise<number> {
  child.send(told)
  const [{ done, failed }] = (await once(child, 'message')) as [{ done?: number; failed?: string }]
  if (failed !== undefined) throw new Error(failed)
  return done ?? 0
}
