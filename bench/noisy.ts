// A dead neighbour: one endpoint hangs, with a long queue due before it; another merchant's is healthy. Measured against the healthy one alone, in pairs, each in a fresh world.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { spawnTillbell } from '../server/test/support/process.ts'
import { fill } from './fill.ts'
import { quantile, type Result } from './result.ts'
import { measuredAt, openWorld, type World } from './world.ts'

const perSecond = 50
const seconds = 10
const warmUpSeconds = 5
const backlog = 100_000
const pairs = 5

export async function noisy(): Promise<Result> {
  const rows: Row[] = []
  for (let pair = 1; pair <= pairs; pair++) rows.push(await measuredPair(pair))
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

/** Who goes first changes from pair to pair. */
async function measuredPair(pair: number): Promise<Row> {
  const first = await run(pair % 2 === 0)
  const second = await run(pair % 2 !== 0)
  const [aloneP99Ms, besideP99Ms] = pair % 2 === 0 ? [second, first] : [first, second]
  return { pair, aloneP99Ms, besideP99Ms, ratio: besideP99Ms / aloneP99Ms }
}

async function run(hangs: boolean): Promise<number> {
  const world = await openWorld()
  const hanging = createServer(socket => void socket.on('error', () => {}).resume())
  await new Promise<void>(resolve => hanging.listen(0, '127.0.0.1', resolve))
  const { port } = hanging.address() as AddressInfo
  try {
    await world.addEndpoint('transaction', world.receiver.url)
    const { merchant, endpoint } = await addNeighbour(world, `http://127.0.0.1:${port}/`)
    // The same rows are there each time; where there is no neighbour, they wait for an endpoint that is paused.
    if (!hangs) await world.sql`update hook_endpoint set status = 'paused' where id = ${endpoint}`
    await fill(world.sql, merchant, endpoint, backlog)
    if (!hangs) await world.sql`update owed_delivery set parked = true where merchant_id = ${merchant}`
    await world.sql.unsafe('vacuum analyze tillbell.delivery, tillbell.owed_delivery')
    await measuredAt(world, perSecond, warmUpSeconds)
    return (await measuredAt(world, perSecond, seconds)).p99Ms
  } finally {
    hanging.close()
    await world.close()
  }
}

/** Another merchant, with keys of its own. */
async function addNeighbour({ sql, environment }: World, url: string) {
  const words = ['merchant', 'create', '--name', 'Neighbour', '--email', 'neighbour@example.com', '--json']
  const chunks: Buffer[] = []
  for await (const chunk of spawnTillbell(words, environment).stdout) chunks.push(chunk)
  const { merchant } = JSON.parse(Buffer.concat(chunks).toString())
  const [row] = await sql<{ id: string }[]>`
    insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    values (${merchant}, gen_random_uuid(), 'transaction', ${url}, 15, 'enabled', now()) returning id`
  return { merchant: String(merchant), endpoint: row?.id ?? '' }
}
