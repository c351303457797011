// The endpoint that leads to the demo merchant's inbox: made once, kept where the process listens, and left alone once its
// developer has other plans for it.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import { openFoundation } from '../src/foundation.ts'
import { startService } from '../src/main.ts'
import { openLog } from '../src/observe/log.ts'
import { demoGreeting, ensureDemo } from '../src/setup/demo.ts'
import { answered } from './support/answers.ts'
import { Client } from './support/client.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { until } from './support/until.ts'

const baseUrl = 'https://tillbell.test/shop'
let database: TestDatabase
let dataFolder = ''
before(async () => {
  database = await freshDatabase()
  dataFolder = await mkdtemp(join(tmpdir(), 'tillbell-inbox-'))
})
after(async () => {
  await database.drop()
  await rm(dataFolder, { recursive: true, force: true })
})

/** A whole start of the same installation, behind a proxy; each listens on another port. */
async function whileServing<T>(
  roles: string,
  work: (demo: Client, at: { readonly ownUrl: string; readonly inboxUrl: string | null }) => Promise<T>,
): Promise<T> {
  const ports = { TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_BASE_URL: baseUrl }
  const where = { TILLBELL_DATA: dataFolder, DATABASE_URL: database.url }
  const log = openLog('silent')
  const foundation = await openFoundation(readConfig({ ...ports, ...where, TILLBELL_ROLES: roles }), 'owner', log)
  const service = await startService(foundation, log)
  try {
    const sheet = await ensureDemo(foundation, service)
    assert.ok(sheet !== null)
    const greeting = demoGreeting(sheet, dataFolder)
    assert.equal(sheet.inbox_url === null, !greeting.includes('See the hook arrive'))
    if (sheet.inbox_url !== null) assert.ok(greeting.includes(`  ${sheet.inbox_url}\n`))
    const demo = new Client(service.ownUrl, sheet.api_key, sheet.api_secret)
    return await work(demo, { ownUrl: service.ownUrl, inboxUrl: sheet.inbox_url })
  } finally {
    await service.stop()
    await foundation.close()
  }
}

const endpoints = async (demo: Client) => answered(await demo.ask('hook_endpoints'), 200).json
const pathOf = (inboxUrl: string | null) => String(inboxUrl).slice(baseUrl.length)

test('a process that serves no pages has no inbox to lead to', () =>
  whileServing('api,worker', async (demo, { ownUrl, inboxUrl }) => {
    assert.equal(inboxUrl, null)
    assert.deepEqual(await endpoints(demo), [])
    assert.equal((await fetch(`${ownUrl}/inbox/any`)).status, 404)
  }))

test('one generic endpoint leads to the process itself, and follows it to another port', async () => {
  const first = await whileServing('all', async (demo, { ownUrl, inboxUrl }) => {
    assert.match(pathOf(inboxUrl), /^\/inbox\/[\w-]{43}$/)
    assert.ok(inboxUrl?.startsWith(baseUrl))
    const [endpoint, ...others] = await endpoints(demo)
    assert.deepEqual(others, [])
    assert.deepEqual([endpoint.kind, endpoint.status], ['generic', 'enabled'])
    assert.equal(endpoint.url, `${ownUrl}${pathOf(inboxUrl)}/endpoint`)
    return { id: endpoint.id, url: endpoint.url, inboxUrl }
  })
  await whileServing('all', async (demo, { ownUrl, inboxUrl }) => {
    const [endpoint, ...others] = await endpoints(demo)
    assert.deepEqual([endpoint.id, inboxUrl, others], [first.id, first.inboxUrl, []])
    assert.equal(endpoint.url, `${ownUrl}${pathOf(inboxUrl)}/endpoint`)
    assert.notEqual(endpoint.url, first.url)
    const [offer] = answered(await demo.ask('offers'), 200).json
    const [card] = answered(await demo.ask('credit_cards'), 200).json
    const { id } = answered(await demo.charge(offer.offer_id, card.service_token), 200).json.transaction
    await until('the hook arrives although nobody is at the base address', async () => {
      const { hooks } = (await (await fetch(`${ownUrl}${pathOf(inboxUrl)}/hooks`)).json()) as {
        hooks: { verified: boolean; details: { transaction: string } }[]
      }
      return hooks.some(({ verified, details }) => verified && details.transaction === id)
    })
  })
})

test('a process without pages tells where the inbox of another is, and does not move its endpoint', async () => {
  const before = await whileServing('all', endpoints)
  await whileServing('api', async (demo, { inboxUrl }) => {
    assert.match(pathOf(inboxUrl), /^\/inbox\/[\w-]{43}$/)
    assert.deepEqual(await endpoints(demo), before)
  })
})

test('one that was pointed to another application stays there, one that was deleted stays deleted', async () => {
  const url = 'http://127.0.0.1:9/my/application'
  await whileServing('all', async demo => {
    const [{ id }] = await endpoints(demo)
    answered(await demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { url } }), 200)
  })
  await whileServing('all', async demo => {
    const [endpoint, ...others] = await endpoints(demo)
    assert.deepEqual([endpoint.url, others], [url, []])
    answered(await demo.ask(`hook_endpoints/${endpoint.id}`, { method: 'DELETE' }), 200)
  })
  await whileServing('all', async demo => assert.deepEqual(await endpoints(demo), []))
})
