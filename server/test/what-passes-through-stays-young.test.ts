// What lives for milliseconds is collected while it is young. A Map of deliveries, a second listener of a connection or a function that is
// written into a member can each make all of it old, and then the collector costs as much as the network. What the old part of the heap grew
// by is looked at, not the clock.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { freshDatabase } from './support/database.ts'
import { newLane, owe } from './support/owed.ts'
import { spawnService } from './support/process.ts'
import { startRaw } from './support/raw-endpoint.ts'
import { emptyFolder } from './support/temporary-folder.ts'
import { until } from './support/until.ts'

/** After these all code is compiled, and the heap has its size. */
const warmUp = 20_000
const deliveries = 8_000
/**
 * Node's own streams hold themselves by a function written into a member, but for where V8 has compiled their constructor with all that it
 * calls; a stream of another kind can undo that for some thousand. So a few batches may be bad; two must be good.
 */
const batchesMax = 6
const goodOnes = 2
/** It is a hundred; of one that is kept to the next full collection it would be thousands. */
const bytesEachMax = 400
const oldSpace = /^nodejs_heap_space_size_used_bytes\{space="old"[^}]*\} (\S+)$/m

async function openWorld(t: TestContext) {
  const [database, folder] = [await freshDatabase(), await emptyFolder(t)]
  const service = await spawnService({ DATABASE_URL: database.url, TILLBELL_DATA: folder })
  t.after(async () => {
    await service.kill('SIGTERM')
    await database.drop()
  })
  const demo = await untilThere(join(folder, 'demo.json'))
  const started =
    service
      .logged()
      .split('\n')
      .find(line => line.includes('"started"')) ?? assert.fail()
  return { sql: database.sql, merchantId: demo.merchant as MerchantId, metricsPort: JSON.parse(started).metricsPort }
}

async function untilThere(file: string) {
  await until(file, () =>
    readFile(file).then(
      () => true,
      () => false,
    ),
  )
  return JSON.parse(await readFile(file, 'utf8'))
}

test('deliveries leave nothing in the old part of the heap', async t => {
  const { sql, merchantId, metricsPort } = await openWorld(t)
  const endpoint = await startRaw(t, socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  const lane = await newLane(sql, merchantId)
  await sql`update hook_endpoint set url = ${`http://127.0.0.1:${endpoint.port}/`} where id = ${lane.endpointId}`
  const oldBytes = async () =>
    Number(oldSpace.exec(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text())?.[1])
  const left = async () => (await sql`select from owed_delivery limit 1`).length

  /** What the old part grew by meanwhile. */
  const deliver = async (count: number) => {
    await owe(sql, lane, count, new Date(Date.now() + 3_600_000))
    await sql`update event set details = ${`"${'x'.repeat(1_300)}"`} where details = '{}'`
    await sql`update owed_delivery set due_at = now()`
    let grownBytes = 0
    let before = await oldBytes()
    await until(
      'all are delivered',
      async () => {
        const now = await oldBytes()
        grownBytes += Math.max(0, now - before)
        before = now
        return (await left()) === 0
      },
      60_000,
    )
    return grownBytes
  }
  await deliver(warmUp)
  const bytesEach: number[] = []
  const good = () => bytesEach.filter(bytes => bytes < bytesEachMax).length
  while (good() < goodOnes && bytesEach.length < batchesMax) {
    bytesEach.push(Math.round((await deliver(deliveries)) / deliveries))
  }
  assert.equal(good(), goodOnes, `of each, batch by batch: ${bytesEach} bytes`)
})
