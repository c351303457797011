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

interface Served {
  readonly ownUrl: string
  readonly inboxUrl: string | null
  /** Whether the greeting sends one there to see a hook arrive. */
  readonly isShown: boolean
}

/** A whole start of the same installation, behind a proxy; each listens on another port. */
async function whileServing<T>(roles: string, work: (demo: Client, at: Served) => Promise<T>): Promise<T> {
  const ports = { TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0', TILLBELL_BASE_URL: baseUrl }
  const where = { TILLBELL_DATA: dataFolder, DATABASE_URL: database.url }
  const log = openLog('silent')
  const foundation = await openFoundation(readConfig({ ...ports, ...where, TILLBELL_ROLES: roles }), 'owner', log)
  const service = await startService(foundation, log)
  try {
    const sheet = await ensureDemo(foundation, service)
    assert.ok(sheet !== null)
    const greeting = await demoGreeting(foundation, sheet)
    const isShown = greeting.includes(`See the hook arrive:\n\n  ${sheet.inbox_url}\n`)
    assert.equal(greeting.includes('See the hook arrive'), isShown)
    assert.equal(greeting.includes('Or pay as a customer'), roles === 'all')
    assert.equal(greeting.includes(`\n  ${baseUrl}/offers/${sheet.offer}\n`), roles === 'all')
    const demo = new Client(service.ownUrl, sheet.api_key, sheet.api_secret)
    return await work(demo, { ownUrl: service.ownUrl, inboxUrl: sheet.inbox_url, isShown })
  } finally {
    await service.stop()
    await foundation.close()
  }
}

const endpoints = async (demo: Client) => answered(await demo.ask('hook_endpoints'), 200).json
const pathOf = (inboxUrl: string | null) => String(inboxUrl).slice(baseUrl.length)

test('a process that serves no pages has no inbox to lead to', () =>
  whileServing('api,worker', async (demo, { ownUrl, inboxUrl, isShown }) => {
    assert.deepEqual([inboxUrl, isShown], [null, false])
    assert.deepEqual(await endpoints(demo), [])
    assert.equal((await fetch(`${ownUrl}/inbox/any`)).status, 404)
  }))

test('one generic endpoint leads to the process itself, and follows it to another port', async () => {
  const first = await whileServing('all', async (demo, { ownUrl, inboxUrl, isShown }) => {
    assert.ok(isShown)
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
  await whileServing('api', async (demo, { inboxUrl, isShown }) => {
    assert.ok(isShown)
    assert.match(pathOf(inboxUrl), /^\/inbox\/[\w-]{43}$/)
    assert.deepEqual(await endpoints(demo), before)
  })
})

test('one that was paused, pointed to another application or deleted stays so, and no start sends one to look', async () => {
  const url = 'http://127.0.0.1:9/my/application'
  const change = async (demo: Client, form: { [name: string]: string }) => {
    const [{ id }] = await endpoints(demo)
    answered(await demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', form }), 200)
  }
  await whileServing('all', async (demo, { isShown }) => {
    assert.ok(isShown)
    await change(demo, { status: 'paused' })
  })
  await whileServing('all', async (demo, { isShown }) => {
    assert.equal(isShown, false, 'paused')
    await change(demo, { status: 'enabled', url })
  })
  await whileServing('all', async (demo, { isShown }) => {
    const [endpoint, ...others] = await endpoints(demo)
    assert.deepEqual([endpoint.url, others, isShown], [url, [], false])
    answered(await demo.ask(`hook_endpoints/${endpoint.id}`, { method: 'DELETE' }), 200)
  })
  await whileServing('all', async (demo, { isShown }) =>
    assert.deepEqual([await endpoints(demo), isShown], [[], false]),
  )
})
