// What a benchmark of hooks needs around it: a PostgreSQL, the whole service, and a receiver, each a process of its own.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Database } from '../server/src/store/database.ts'
import { Client } from '../server/test/support/client.ts'
import { type ServiceProcess, spawnService } from '../server/test/support/process.ts'
import { until } from '../server/test/support/until.ts'
import { openBenchDatabase } from './database.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { quantile } from './result.ts'

export interface World {
  readonly sql: Database
  readonly merchant: string
  /** The demo's, and what it says of itself. */
  readonly client: Client
  readonly sheet: { readonly offer: string; readonly card: string }
  readonly service: ServiceProcess
  /** Of the service: another one can be started beside it. */
  readonly environment: { readonly [name: string]: string }
  /** Pays the demo offer. */
  pay(): Promise<{ readonly status: number }>
  /** Adds an endpoint; its id. */
  addEndpoint(kind: string, url: string): Promise<string>
  readonly receiver: Receiver
  /** From the commit of an outcome to the arrival of its hook; in ms, since last asked. */
  waitsMs(): Promise<number[]>
  close(): Promise<void>
}

export async function openWorld(environment: World['environment'] = {}): Promise<World> {
  const database = await openBenchDatabase()
  const { folder, url } = database
  const receiver = await openReceiver()
  const whole = { DATABASE_URL: url, TILLBELL_DATA: folder, ...environment }
  const service = await spawnService(whole)
  const sql = connect({ address: url, connectionsMax: 2, name: 'bench' })
  const sheetFile = join(folder, 'demo.json')
  await until('the demo is made', () =>
    readFile(sheetFile).then(
      () => true,
      () => false,
    ),
  )
  const sheet = JSON.parse(await readFile(sheetFile, 'utf8'))
  await sql`update hook_endpoint set deleted_at = now()`
  const client = new Client(service.baseUrl, sheet.api_key, sheet.api_secret)
  return {
    sql,
    merchant: sheet.merchant,
    client,
    sheet,
    service,
    environment: whole,
    receiver,
    pay: () => client.charge(sheet.offer, sheet.card),
    async addEndpoint(kind, endpointUrl) {
      const { json, text, status } = await client.ask('hook_endpoints', { form: { kind, url: endpointUrl } })
      if (status !== 200) throw new Error(text)
      return json.hook_endpoint.id
    },
    waitsMs: () => waitsAt(receiver, sql),
    async close() {
      receiver.close()
      await service.kill('SIGTERM')
      await sql.end()
      await database.close()
    },
  }
}

async function waitsAt(receiver: Receiver, sql: Database): Promise<number[]> {
  const arrivedAtMs = await receiver.empty()
  const ids = arrivedAtMs.map(([id]) => id)
  const events = await sql<{ id: string; atMs: number }[]>`
    select transaction_id as id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at_ms
    from event where transaction_id = any(${ids}::uuid[])`
  const committedAtMs = new Map(events.map(({ id, atMs }) => [id, atMs]))
  return arrivedAtMs.map(([id, atMs]) => atMs - (committedAtMs.get(id) ?? Number.NaN))
}

/** Each leaves at its time, whether or not earlier ones are back: a slow service is not spared. */
export async function payAtRate(world: World, perSecond: number, seconds: number): Promise<{ refused: number }> {
  const running: Promise<void>[] = []
  let refused = 0
  const beganMs = performance.now()
  for (let index = 0; index < perSecond * seconds; index++) {
    const waitMs = beganMs + (index * 1_000) / perSecond - performance.now()
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs))
    const paid = world.pay().then(
      ({ status }) => status === 200,
      () => false,
    )
    running.push(
      paid.then(ok => {
        refused += Number(!ok)
      }),
    )
  }
  await Promise.all(running)
  return { refused }
}

/** All of one run at a rate, once everything of it has arrived. */
export async function measuredAt(world: World, perSecond: number, seconds: number) {
  const { refused } = await payAtRate(world, perSecond, seconds)
  const waitsMs: number[] = []
  await until('all have arrived', async () => {
    waitsMs.push(...(await world.waitsMs()))
    return waitsMs.length >= perSecond * seconds - refused
  })
  const at = (q: number) => Number(quantile(waitsMs, q).toFixed(2))
  return { payments: waitsMs.length, refused, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
