// A dead neighbour: one endpoint hangs with a long queue due before it, another merchant's is healthy. Measured against the
// healthy one alone, in pairs, each in a fresh world.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { fill } from './fill.ts'
import { quantile, type Result } from './result.ts'
import { measuredAt, openWorld } from './world.ts'

const perSecond = 50
const seconds = 10
const warmUpSeconds = 3
const backlog = 100_000
const pairs = 5

export async function noisy(): Promise<Result> {
  const rows: { pair: number; aloneP99Ms: number; besideP99Ms: number; ratio: number }[] = []
  for (let pair = 1; pair <= pairs; pair++) {
    const order = pair % 2 === 0 ? ([true, false] as const) : ([false, true] as const)
    const p99Ms = new Map<boolean, number>()
    for (const withNeighbour of order) p99Ms.set(withNeighbour, await run(withNeighbour))
    const aloneP99Ms = p99Ms.get(false) ?? Number.NaN
    const besideP99Ms = p99Ms.get(true) ?? Number.NaN
    rows.push({ pair, aloneP99Ms, besideP99Ms, ratio: besideP99Ms / aloneP99Ms })
  }
  const median = quantile(
    rows.map(({ ratio }) => ratio),
    0.5,
  )
  return {
    name: 'noisy',
    settings: { perSecond, seconds, warmUpSeconds, backlog },
    rows,
    goals: [{ goal: 'p99 beside ≤ 1.2 × alone (median of pairs)', value: median, met: median <= 1.2 }],
  }
}

async function run(withNeighbour: boolean): Promise<number> {
  const world = await openWorld()
  const hanging = createServer(socket => void socket.on('error', () => {}).resume())
  await new Promise<void>(resolve => hanging.listen(0, '127.0.0.1', resolve))
  try {
    await world.addEndpoint('transaction', world.receiverUrl)
    const { port } = hanging.address() as AddressInfo
    const neighbour = await addNeighbour(world.sql, `http://127.0.0.1:${port}/`)
    // Both have the same rows in their database; where the neighbour is not, they wait for an endpoint that is paused.
    if (!withNeighbour) await world.sql`update hook_endpoint set status = 'paused' where id = ${neighbour.endpoint}`
    await fill(world.sql, neighbour.merchant, neighbour.endpoint, backlog)
    if (!withNeighbour) await world.sql`update delivery set parked = true where merchant_id = ${neighbour.merchant}`
    await world.sql.unsafe('vacuum analyze tillbell.delivery')
    await measuredAt(world, perSecond, warmUpSeconds)
    return (await measuredAt(world, perSecond, seconds)).p99Ms
  } finally {
    hanging.close()
    await world.close()
  }
}

/** Another merchant, with all that a delivery needs. */
async function addNeighbour(sql: Awaited<ReturnType<typeof openWorld>>['sql'], url: string) {
  const merchant = 'm_neighbour'
  await sql`insert into merchant (merchant_id, partner, partner_id, name, email, currency, created_at)
    values (${merchant}, gen_random_uuid(), nextval('partner_number'), 'Neighbour', 'n@example.com', 'USD', now())`
  await sql`insert into merchant_key (merchant_id, id, state, public_key, private_key_sealed, created_at)
    select ${merchant}, gen_random_uuid(), 'current', public_key, private_key_sealed, now() from merchant_key limit 1`
  const [row] = await sql<{ id: string }[]>`
    insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    values (${merchant}, gen_random_uuid(), 'transaction', ${url}, 15, 'enabled', now()) returning id`
  return { merchant, endpoint: row?.id ?? '' }
}
