// How long payments take while one stranger floods the same process, with mails that are hard to read or with requests for pages
// and searches, compared with how long they take without. In pairs, by turns, in one service that is warm.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '../server/test/support/until.ts'
import { quantile, type Result } from './result.ts'
import { openWorld, type World } from './world.ts'

const perSecond = 50
const seconds = Number(process.env.SECONDS ?? 15)
const warmUpSeconds = Number(process.env.SECONDS ?? 15)
const pairs = Number(process.env.PAIRS ?? 5)
const timesMax = 3
const startsWithinMs = 60_000

interface FloodOf {
  readonly name: string
  readonly title: string
  readonly connections: number
  /** What the flooding process is told. */
  readonly words: (world: World) => readonly string[]
}

export const mailFlood = () =>
  flooded({
    name: 'mail-flood',
    title: 'p99 of payments while the mail port is flooded: times that without',
    connections: 4,
    words: ({ service }) => ['mails', String(service.mailPort)],
  })

export const pageFlood = () =>
  flooded({
    name: 'page-flood',
    title: 'p99 of payments while one host asks for pages and searches: times that without',
    connections: 32,
    words: ({ service, sheet }) => ['pages', service.baseUrl, sheet.offer],
  })

export const refusalFlood = () =>
  flooded({
    name: 'refusal-flood',
    title: 'p99 of payments while one host is refused on a thousand connections: times that without',
    connections: 1_000,
    words: ({ service }) => ['refused', new URL(service.baseUrl).port],
  })

async function flooded(of: FloodOf): Promise<Result> {
  const world = await openWorld()
  const rows: { readonly [column: string]: number; readonly ratio: number }[] = []
  try {
    await paymentsMs(world, warmUpSeconds)
    for (let pair = 1; pair <= pairs; pair += 1) rows.push({ pair, ...(await measuredPair(world, of)) })
  } finally {
    await world.close()
  }
  const ratios = rows.map(({ ratio }) => ratio)
  const median = quantile(ratios, 0.5)
  return {
    name: of.name,
    title: of.title,
    bars: rows.map(({ pair, ratio }) => ({ label: `pair ${pair}`, value: ratio, unit: '×', kind: 'ours' })),
    settings: { perSecond, seconds, warmUpSeconds, connections: of.connections },
    rows,
    goals: [
      { goal: `p99 while flooded < ${timesMax} × without (median of pairs)`, value: median, met: median < timesMax },
    ],
  }
}

async function measuredPair(world: World, { connections, words }: FloodOf) {
  const alone = await paymentsMs(world, seconds)
  const flood = startFlood([String(connections), ...words(world)])
  // Starting the process that floods takes more of the machine than the flood itself.
  await until('the flood is under way', async () => flood.answered() >= connections, startsWithinMs)
  const before = flood.answered()
  const during = await paymentsMs(world, seconds)
  const answered = flood.answered() - before
  await flood.stop()
  const [aloneP99Ms, floodedP99Ms] = [quantile(alone, 0.99), quantile(during, 0.99)]
  return { aloneP99Ms, floodedP99Ms, answeredPerS: answered / seconds, ratio: floodedP99Ms / aloneP99Ms }
}

/** Each leaves at its time, whether or not earlier ones are back: how long each took, from when it should have left. */
async function paymentsMs(world: World, forSeconds: number): Promise<number[]> {
  const beganMs = performance.now()
  const took = Array.from({ length: perSecond * forSeconds }, async (_, index) => {
    const leavesMs = beganMs + (index * 1_000) / perSecond
    await new Promise(resolve => setTimeout(resolve, Math.max(0, leavesMs - performance.now())))
    const { status } = await world.pay()
    if (status !== 200) throw new Error(`a payment was answered ${status}`)
    return performance.now() - leavesMs
  })
  return Promise.all(took)
}

interface Flood {
  answered(): number
  stop(): Promise<void>
}

function startFlood(words: readonly string[]): Flood {
  const program = join(import.meta.dirname, 'flood-process.ts')
  const flood: ChildProcess = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let answered = 0
  flood.stdout?.on('data', chunk => {
    answered += String(chunk).split('\n').length - 1
  })
  return {
    answered: () => answered,
    async stop() {
      const closed = once(flood, 'close')
      flood.kill('SIGKILL')
      await closed
    },
  }
}
