// The examples as they stand in examples/, told by a real service. Those in other languages than ours run in
// hooks-verify-in-any-language.test.ts as well, where each interpreter is started once.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, mock, test } from 'node:test'
import { hookBody } from '@tillbell/sdk'
import { answered } from './support/answers.ts'
import { ordersIn, rowsIn } from './support/orders-in-sqlite.ts'
import { type RunningShop, startShop } from './support/running-shop.ts'
import { startTestService, type TestService } from './support/service.ts'
import { shopConformance } from './support/shop-conformance.ts'
import { hard, preSaleHook } from './support/shop-hooks.ts'
import { fastifyShop, nextShop } from './support/shops-in-our-language.ts'
import { until } from './support/until.ts'

const examples = resolve(import.meta.dirname, '../../examples')
let service: TestService
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillbell-examples-'))
  service = await startTestService()
  // What the examples say of each hook that they refuse is for whoever runs them.
  for (const method of ['log', 'error'] as const) mock.method(console, method, () => {})
})
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

shopConformance('the example in Fastify', () => fastifyShop(folder))
shopConformance('the example in Next.js', () => nextShop(folder))

interface Delivery {
  readonly id: string
  readonly url: string
  readonly attempts: number
}

/** Resolves when the shop was told once more. */
async function replay(transaction: string, shopUrl: string): Promise<void> {
  const { demo } = service
  const told: Delivery[] = (await demo.ask(`hook_deliveries?transaction=${transaction}&kind=transaction`)).json
  const { id, attempts } = told.find(({ url }) => url.startsWith(shopUrl)) ?? assert.fail('it was not told')
  answered(await demo.ask(`hook_deliveries/${id}/resend`, { method: 'POST' }), 200)
  const isSent = async () => (await demo.ask(`hook_deliveries/${id}`)).json.hook_delivery.attempts.length > attempts
  await until('the hook is sent again', isSent)
}

const servers = {
  fastify: { program: process.execPath, file: 'server.js' },
  python: { program: 'python3', file: 'server.py' },
} as const

for (const [name, { program, file }] of Object.entries(servers)) {
  test(`the server in ${name} is told of a sale, and remembers it when it comes again after a restart`, async t => {
    if (spawnSync(program, ['--version']).error !== undefined) return t.skip(`${program} is not installed`)
    const { demo, demoSheet } = service
    const database = join(folder, `${name}-server.sqlite`)
    const environment = { TILLBELL_PRIVATE_KEY: demoSheet.private_key, SHOP_DATABASE: database }
    const start = (PORT: string) =>
      startShop({ command: [program, file], folder: join(examples, name), environment: { ...environment, PORT } })
    let shop = await start('0')
    t.after(() => shop.kill())
    for (const kind of ['pre_sale', 'transaction']) {
      const { json } = answered(
        await demo.ask('hook_endpoints', { form: { kind, url: `${shop.url}/hooks/${kind}` } }),
        200,
      )
      t.after(() => demo.ask(`hook_endpoints/${json.hook_endpoint.id}`, { method: 'DELETE' }))
    }
    const offer = await demo.makeOffer({ title: hard })
    answered(await demo.charge(offer, demo.card, { quantity: 6 }), 409)
    const { id } = answered(await demo.charge(offer, demo.card, { quantity: 5 }), 200).json.transaction
    const orders = [{ id, item: hard, quantity: 5, amount: '500.00', email: 'ada@example.com' }]
    await until('the order is there', async () => ordersIn(database).length > 0)
    await shop.kill()
    shop = await start(new URL(shop.url).port)
    await replay(id, shop.url)
    assert.deepEqual(ordersIn(database), orders)
  })
}

test('the server in python waits for no body whose length is too large, or is none', async t => {
  if (spawnSync('python3', ['--version']).error !== undefined) return t.skip('python3 is not installed')
  const environment = { TILLBELL_PRIVATE_KEY: 'k', SHOP_DATABASE: join(folder, 'python-lengths.sqlite'), PORT: '0' }
  const shop = await startShop({ command: ['python3', 'server.py'], folder: join(examples, 'python'), environment })
  t.after(() => shop.kill())
  for (const [length, status] of [
    ['262145', 413],
    ['999999999999', 413],
    ['-1', 400],
    ['many', 400],
    ['', 403],
  ] as const) {
    const socket = connect(Number(new URL(shop.url).port), '127.0.0.1').setTimeout(10_000)
    socket.once('timeout', () => socket.destroy(new Error(`no answer to a length of ${length}`)))
    socket.write(`POST /hooks/transaction HTTP/1.1\r\nHost: shop\r\nContent-Length: ${length}\r\n\r\n`)
    assert.match(await text(socket), new RegExp(`^HTTP/1\\.[01] ${status} `))
  }
})

describe('the shop in Express', () => {
  let shop: RunningShop
  let offer: string
  const database = () => join(folder, 'express.sqlite')
  const start = (more: { readonly PORT: string; readonly SHOP_HOLD_S: string }) => {
    const { api_key, api_secret, private_key } = service.demoSheet
    const keys = { TILLBELL_API_KEY: `${api_key}`, TILLBELL_API_SECRET: `${api_secret}` }
    const ours = { TILLBELL_URL: service.baseUrl, ...keys, TILLBELL_PRIVATE_KEY: private_key }
    const environment = { ...ours, SHOP_DATABASE: database(), SHOP_STOCK: '4', ...more }
    return startShop({ command: [process.execPath, 'server.js'], folder: join(examples, 'express-shop'), environment })
  }
  before(async () => {
    shop = await start({ PORT: '0', SHOP_HOLD_S: '900' })
    offer = /offers\/([-\w]+)/.exec(await page())?.[1] ?? assert.fail('the page leads to no offer')
  })
  after(() => shop.kill())

  const page = async () => (await fetch(shop.url)).text()
  const isLeft = async (units: number) => assert.ok((await page()).includes(`, ${units} left`), await page())
  const stateOf = (id: string) => {
    const sales = rowsIn<{ id: string; state: string }>(database(), 'select id, state from sale')
    return sales.find(sale => sale.id === id)?.state
  }
  const becomes = (state: string, id: string) => until(`${id} is ${state}`, async () => stateOf(id) === state)
  const shipped = () => shop.printed.filter(line => line === 'ship 1 × Brass bell to ada@example.com').length
  const charge = async (status: number, card = service.demo.card, quantity = 1): Promise<string> =>
    answered(await service.demo.charge(offer, card, { quantity }), status).json.transaction.id
  const sold: string[] = []
  /** A customer who is at the bank, and a transaction of which nobody will ever hear again. */
  let waiting: string
  const forgotten = randomUUID()

  test('what is paid is shipped, and gone from the shelf', async () => {
    const id = await charge(200)
    await becomes('sold', id)
    await isLeft(3)
    await until('it is shipped', async () => shipped() === 1)
    sold.push(id)
  })

  test('what this merchant sells elsewhere takes nothing from the shelf, and is not shipped from here', async () => {
    const { demo } = service
    const cheaper = await demo.makeOffer({ title: 'Postcard', amount: '1.00' })
    const { id } = answered(await demo.charge(cheaper, demo.card), 200).json.transaction
    await until('the shop is told', async () => {
      const told: { state: string; url: string }[] = (
        await demo.ask(`hook_deliveries?transaction=${id}&kind=transaction`)
      ).json
      return told.some(({ state, url }) => url.startsWith(shop.url) && state === 'delivered')
    })
    assert.equal(stateOf(id), undefined)
    assert.equal(shipped(), 1)
    await isLeft(3)
  })

  test('a declined card gives back what was reserved for it', async () => {
    await becomes('released', await charge(402, await service.demo.storeCard('4012888888881881')))
    await isLeft(3)
  })

  test('what is reserved is not sold to another', async () => {
    waiting = await charge(202, await service.demo.storeCard('4000001000016006'))
    assert.equal(stateOf(waiting), 'reserved')
    const details = preSaleHook(forgotten).details.replaceAll('"ref_id":""', '"ref_id":"brass-bell"')
    const body = hookBody(details, service.demoSheet.private_key)
    for (let time = 1; time <= 2; time += 1) {
      const { status } = await fetch(`${shop.url}/hooks/pre_sale`, { method: 'POST', body })
      assert.equal(status, 200)
      await isLeft(1)
    }
    const refused = await charge(409, service.demo.card, 2)
    assert.equal(stateOf(refused), undefined)
  })

  test('what is sold out is not charged', async () => {
    const last = await charge(200)
    await becomes('sold', last)
    sold.push(last)
    assert.match(await page(), /, 0 left.*Sold out/s)
    const refused = await charge(409)
    const { json } = await service.demo.ask(`transactions/${refused}`)
    assert.equal(json.transaction.status, 'Failed')
    const operations = await service.database.sql`select from operation where transaction_id = ${refused}`
    assert.equal(operations.length, 0)
  })

  test('what comes again changes nothing, and a restart forgets nothing', async () => {
    for (const id of sold) await replay(id, shop.url)
    assert.equal(shipped(), 2)
    await isLeft(0)
    await shop.kill()
    shop = await start({ PORT: new URL(shop.url).port, SHOP_HOLD_S: '1' })
    for (const id of sold) await replay(id, shop.url)
    assert.equal(shipped(), 0)
    for (const id of sold) assert.equal(stateOf(id), 'sold')
    const endpoints: { url: string }[] = (await service.demo.ask('hook_endpoints?limit=100')).json
    assert.equal(endpoints.filter(({ url }) => url.startsWith(shop.url)).length, 3)
  })

  test('a reservation that hears nothing more expires, unless the customer is still at it', async () => {
    await becomes('released', forgotten)
    assert.equal(stateOf(waiting), 'reserved')
    await isLeft(1)
    assert.ok((await page()).includes(offer), 'it is the same offer as before')
  })
})
