// The promise: kill the worker as often as you like while payments pass, and every notification arrives at least once,
// with a signature that verifies. The receiver's own list, the database and the audit agree in the end.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findingsOfAudit } from './support/audited.ts'
import { Client } from './support/client.ts'
import { freshDatabase } from './support/database.ts'
import { startReceiver } from './support/hook-receiver.ts'
import { expireLeases } from './support/leases.ts'
import { addEndpoint, removeEndpoints } from './support/merchant-endpoint.ts'
import { type ServiceProcess, spawnService } from './support/process.ts'
import { repetitions } from './support/repetitions.ts'
import { until } from './support/until.ts'

/** A hundred for each kill. */
const payments = repetitions(500, 5_000)
const kills = Math.ceil(payments / 100)
const customersAtOnce = 12

test(`${payments} payments while the worker is killed ${kills} times: no notification is lost`, {
  timeout: 400_000,
}, async t => {
  const database = await freshDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-lost-'))
  const environment = {
    DATABASE_URL: database.url,
    TILLBELL_DATA: folder,
    TILLBELL_LOG: 'warn',
    TILLBELL_REQUESTS_PER_S: '100000',
  }
  const spawnApi = () => spawnService({ ...environment, TILLBELL_LOG: 'info', TILLBELL_ROLES: 'api' })
  const spawnWorker = () => spawnService({ ...environment, TILLBELL_LOG: 'info', TILLBELL_ROLES: 'api,worker' })
  const api = await spawnApi()
  let victim: ServiceProcess | null = null
  t.after(async () => {
    await victim?.kill()
    await api.kill()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  const { sql } = database
  const sheetFile = join(folder, 'demo.json')
  await until('the demo is made', () =>
    readFile(sheetFile).then(
      () => true,
      () => false,
    ),
  )
  const sheet = JSON.parse(await readFile(sheetFile, 'utf8'))
  const receiver = await startReceiver(sheet.private_key)
  t.after(() => receiver.close())
  await removeEndpoints(sql)
  for (const kind of ['transaction', 'error']) await addEndpoint(sql, sheet.merchant, { url: receiver.url, kind })
  receiver.mood = () => (['fails', 'breaks', 'answers late'] as const)[Math.floor(Math.random() * 60)] ?? 'accepts'

  let paid = 0
  let killed = 0
  const next = Array.from({ length: payments }, (_, index) => index).values()
  const pay = async (index: number): Promise<void> => {
    const key = `payment-${index}`
    for (let mayAskVictim = index % 2 === 0; ; mayAskVictim = false) {
      const asked = mayAskVictim && victim !== null ? victim : api
      const answer = await new Client(asked.baseUrl, sheet.api_key, sheet.api_secret)
        .charge(sheet.offer, sheet.card, { key })
        .catch(() => null)
      // Lost with its process, or still in doubt there: the sweeper of a living one settles it, under the same key.
      if (answer !== null && [200, 202, 409].includes(answer.status)) return
      if (answer !== null) assert.ok(answer.status >= 500, answer.text)
    }
  }
  const customer = async () => {
    for (const index of next) {
      // Payments and kills go side by side to the end.
      while (paid > ((killed + 1) * payments) / kills) await delay(5)
      await pay(index)
      paid += 1
    }
  }
  const killer = async () => {
    for (; killed < kills; killed += 1) {
      victim = await spawnWorker()
      await until('payments pass', async () => paid >= (killed * payments) / kills, 60_000)
      await delay(Math.random() * 300)
      await victim.kill('SIGKILL')
      victim = null
    }
  }
  await Promise.all([killer(), ...Array.from({ length: customersAtOnce }, customer)])
  assert.deepEqual([paid, killed], [payments, kills])

  victim = await spawnWorker()
  receiver.mood = () => 'accepts'
  await expireLeases(sql)
  const client = new Client(api.baseUrl, sheet.api_key, sheet.api_secret)
  await until(
    'every payment is settled',
    async () => (await sql`select from transaction where status = 'Processing' limit 1`).length === 0,
    60_000,
  )
  // A dead worker is in the list of workers until it is buried: what it held is told from what is in hand by being sent.
  const held = () => sql`select from owed_delivery where holder is not null limit 1`
  await until('what dead workers held was sent', async () => (await held()).length === 0, 40_000)
  // What the receiver refused comes again on the schedule.
  const { status } = await client.ask('sandbox/clock', { form: { advance_s: 30 * 3_600 } })
  assert.equal(status, 200)

  const events = await sql<{ name: string }[]>`select transaction_id || ' ' || type as name from event`
  assert.equal(events.length, payments)
  const missing = events.filter(({ name }) => !receiver.accepted.has(name))
  assert.deepEqual(missing, [], 'a notification never arrived')
  assert.equal(receiver.accepted.size, events.length, 'something arrived that nobody owed')
  assert.equal(receiver.badSignatures, 0)
  const states = await sql`select state, count(*)::int from whole_delivery group by state`
  assert.deepEqual([...states], [{ state: 'delivered', count: payments }])
  assert.deepEqual(await findingsOfAudit(sql), [])
  const doubled = [...receiver.accepted.values()].filter(times => times > 1).length
  t.diagnostic(`${receiver.requests} requests for ${payments} notifications; ${doubled} arrived more than once`)
})
