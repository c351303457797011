// A dead neighbour: one endpoint hangs, with a long queue due before it; another merchant's is healthy. Measured against the healthy one
// alone, in pairs, in one service that is warm: each time the neighbour is paused, what it was sent has ended, and it is resumed.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { spawnTillbell } from '../server/test/support/process.ts'
import { until } from '../server/test/support/until.ts'
import { fill } from './fill.ts'
import { quantile, type Result } from './result.ts'
import { measuredAt, openWorld, type World } from './world.ts'

const perSecond = 100
const seconds = 8
const warmUpSeconds = 12
/** Longer than the neighbour is waited for. */
const endsWithinMs = 20_000
const backlog = 100_000
const pairs = 5

export async function noisy(): Promise<Result> {
  const rows = await measured()
  const median = quantile(
    rows.map(({ ratio }) => ratio),
    0.5,
  )
  return {
    name: 'noisy',
    title: 'p99 beside an endpoint that hangs: times that of the healthy one alone',
    bars: rows.map(({ pair, ratio }) => ({ label: `pair ${pair}`, value: ratio, unit: '×', kind: 'ours' })),
    settings: { perSecond, seconds, warmUpSeconds, backlog },
    rows,
    goals: [{ goal: 'p99 beside it ≤ 1.2 × alone (median of pairs)', value: median, met: median <= 1.2 }],
  }
}

interface Row {
  readonly [column: string]: number
  readonly ratio: number
}

async function measured(): Promise<Row[]> {
  const world = await openWorld()
  const waiting = new Set<Socket>()
  const hanging = createServer(socket => {
    waiting.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => waiting.delete(socket))
      .resume()
  })
  await new Promise<void>(resolve => hanging.listen(0, '127.0.0.1', resolve))
  const { port } = hanging.address() as AddressInfo
  const letGo = () => {
    for (const socket of waiting) socket.destroy()
  }
  try {
    await world.addEndpoint('transaction', world.receiver.url)
    const neighbour = { ...(await addNeighbour(world, `http://127.0.0.1:${port}/`)), letGo }
    await fill(world.sql, neighbour.merchant, neighbour.endpoint, backlog)
    await turn(world, neighbour, 'paused')
    await measuredAt(world, perSecond, warmUpSeconds)
    const rows: Row[] = []
    for (let pair = 1; pair <= pairs; pair++) rows.push(await measuredPair(world, neighbour, pair))
    return rows
  } finally {
    hanging.close()
    await world.close()
  }
}

async function measuredPair(world: World, neighbour: Neighbour, pair: number): Promise<Row> {
  const { p99Ms: aloneP99Ms } = await measuredAt(world, perSecond, seconds)
  await turn(world, neighbour, 'enabled')
  const { p99Ms: besideP99Ms } = await measuredAt(world, perSecond, seconds)
  await turn(world, neighbour, 'paused')
  return { pair, aloneP99Ms, besideP99Ms, ratio: besideP99Ms / aloneP99Ms }
}

interface Neighbour {
  readonly merchant: string
  readonly endpoint: string
  /** Ends what waits for its answer. */
  letGo(): void
}

/** The same rows are there each time, and all of them due; where it is paused, they wait for it. */
async function turn({ sql }: World, { merchant, endpoint, letGo }: Neighbour, to: 'paused' | 'enabled'): Promise<void> {
  await sql`update hook_endpoint set status = ${to}, failing_since = null where id = ${endpoint}`
  const isInHand = async () => {
    letGo()
    const held =
      await sql`select from claim where endpoint_id = ${endpoint} union all select from owed_delivery where merchant_id = ${merchant} and holder is not null`
    return held.length > 0
  }
  if (to === 'paused') await until('the neighbour is left alone', async () => !(await isInHand()), endsWithinMs)
  await sql`update owed_delivery set parked = ${to === 'paused'}, due_at = created_at where merchant_id = ${merchant}`
  await sql.unsafe('vacuum analyze tillbell.owed_delivery')
  await sql.unsafe('checkpoint') // what this wrote is not to be written while others are measured
}

/** Another merchant, with keys of its own. */
async function addNeighbour({ sql, environment }: World, url: string): Promise<Omit<Neighbour, 'letGo'>> {
  const words = ['merchant', 'create', '--name', 'Neighbour', '--email', 'neighbour@example.com', '--json']
  const chunks: Buffer[] = []
  for await (const chunk of spawnTillbell(words, environment).stdout) chunks.push(chunk)
  const { merchant } = JSON.parse(Buffer.concat(chunks).toString())
  const [row] = await sql<{ id: string }[]>`
    insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    values (${merchant}, gen_random_uuid(), 'transaction', ${url}, 15, 'enabled', now()) returning id`
  return { merchant: String(merchant), endpoint: row?.id ?? '' }
}
