// What a claim costs while many notifications wait, against the same claim when nothing else does; and what such a backlog
// does to the service: how long it takes to start, and how much memory it holds.

import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { ClaimId, EndpointId, MerchantId, WorkerId } from '../server/src/core/ids.ts'
import { claimDeliveries, endClaims } from '../server/src/store/claims.ts'
import { listLanes } from '../server/src/store/deliveries.ts'
import { spawnService } from '../server/test/support/process.ts'
import { fill } from './fill.ts'
import { quantile, type Result } from './result.ts'
import { openWorld, type World } from './world.ts'

const claimed = 64
const rounds = 60
const backlogs = [10_000, 100_000, 1_000_000]

export async function backlog(): Promise<Result> {
  const hanging = createServer(socket => void socket.on('error', () => {}).resume())
  await new Promise<void>(resolve => hanging.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`
  // Without the worker: it would take what is measured.
  const environment = { TILLBELL_ROLES: 'api' }
  const [empty, full] = [await openWorld(environment), await openWorld(environment)]
  const rows: { waiting: number; claimMs: number; emptyMs: number; ratio: number }[] = []
  try {
    const lanes = { empty: await lane(empty, url), full: await lane(full, url) }
    await fill(empty.sql, empty.merchant, lanes.empty, claimed)
    let waiting = 0
    for (const backlog of backlogs) {
      await fill(full.sql, full.merchant, lanes.full, backlog - waiting)
      waiting = backlog
      await full.sql.unsafe('vacuum analyze tillbell.delivery, tillbell.owed_delivery')
      const { a, b } = await alternate(
        () => claimOnce(empty, lanes.empty),
        () => claimOnce(full, lanes.full),
      )
      rows.push({ waiting, claimMs: b, emptyMs: a, ratio: b / a })
    }
    const starts = await alternate(
      () => startOnce(empty),
      () => startOnce(full),
      5,
    )
    const residentMb = await memoryOf(full)
    const last = rows.at(-1)?.ratio ?? Number.NaN
    const slower = starts.b / starts.a
    return {
      name: 'backlog',
      title: 'A claim of 64 while notifications wait: times that of one beside none',
      bars: rows.map(({ waiting, ratio }) => {
        return { label: `${waiting.toLocaleString('en-US')} wait`, value: ratio, unit: '×', kind: 'ours' as const }
      }),
      settings: { claimed, rounds },
      rows,
      goals: [
        { goal: 'a claim beside 10^6 ≤ 2 × alone', value: last, met: last <= 2 },
        { goal: 'a start beside 10^6 ≤ 1.2 × alone', value: slower, met: slower <= 1.2 },
        { goal: 'resident memory beside 10^6 ≤ 300 MB', value: residentMb, met: residentMb <= 300 },
      ],
    }
  } finally {
    hanging.close()
    await empty.close()
    await full.close()
  }
}

const lane = (world: World, url: string) => world.addEndpoint('transaction', url)

/** Medians of two things done by turns. */
async function alternate(first: () => Promise<number>, second: () => Promise<number>, times = rounds) {
  const taken = { a: [] as number[], b: [] as number[] }
  for (let round = 0; round < times; round++) {
    taken.a.push(await first())
    taken.b.push(await second())
  }
  return { a: quantile(taken.a, 0.5), b: quantile(taken.b, 0.5) }
}

/** A look at the lanes and a claim, as a worker does; then it is undone. */
async function claimOnce({ sql, merchant }: World, endpoint: string): Promise<number> {
  const holder = crypto.randomUUID() as WorkerId
  const name = { merchantId: merchant as MerchantId, endpointId: endpoint as EndpointId }
  const beganMs = performance.now()
  const lanes = await listLanes(sql)
  const id = crypto.randomUUID() as ClaimId
  const now = new Date(Date.now() + 60_000)
  const held = await claimDeliveries(sql, name, { id, holder, now, limit: claimed, goesOn: false })
  const tookMs = performance.now() - beganMs
  if (lanes.length !== 1 || held.length !== claimed) throw new Error(`${lanes.length} lanes, ${held.length} claimed`)
  await endClaims(sql, name.merchantId, [id])
  return tookMs
}

async function startOnce(world: World): Promise<number> {
  const beganMs = performance.now()
  const service = await spawnService(world.environment)
  const tookMs = performance.now() - beganMs
  await service.kill()
  return tookMs
}

/** After half a minute of work on a backlog whose endpoint hangs, with payments beside it. */
async function memoryOf(world: World): Promise<number> {
  const service = await spawnService({ ...world.environment, TILLBELL_ROLES: 'api,worker' })
  try {
    for (let round = 0; round < 30; round++) {
      await Promise.all([world.pay(), world.pay(), new Promise(resolve => setTimeout(resolve, 1_000))])
    }
    const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1] ?? Number.NaN) / 1_024)
  } finally {
    await service.kill()
  }
}
