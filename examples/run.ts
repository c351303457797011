// `npm run examples`: each Node example as a merchant has it, out of this repository, installed from npm with the sdk as it is
// packed, and told by a real service. It is not part of `npm test`: Next.js alone is 200 MB, and its build takes a while.
// What is installed stays in .cache/tillbell-examples of your home, where none of our packages can help out.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { answered } from '../server/test/support/answers.ts'
import { ordersIn, rowsIn } from '../server/test/support/orders-in-sqlite.ts'
import { type RunningShop, startShop } from '../server/test/support/running-shop.ts'
import { startTestService, type TestService } from '../server/test/support/service.ts'
import { hard } from '../server/test/support/shop-hooks.ts'
import { until } from '../server/test/support/until.ts'

const run = promisify(execFile)
const examples = import.meta.dirname
const installed = join(homedir(), '.cache/tillbell-examples')
let service: TestService
let sdk: string
before(async () => {
  await mkdir(installed, { recursive: true })
  await run(process.execPath, [join(examples, '../sdk/build.ts')])
  const packed = await run('npm', ['pack', '--json', '--pack-destination', installed, join(examples, '../sdk/dist')])
  sdk = join(installed, JSON.parse(packed.stdout)[0].filename)
  service = await startTestService()
})
after(() => service.stop())

/** The example's files in a folder of their own, with what its package.json asks for. */
async function install(name: string): Promise<string> {
  const folder = join(installed, name)
  await cp(join(examples, name), folder, { recursive: true })
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  manifest.dependencies['@tillbell/sdk'] = `file:${sdk}`
  await writeFile(file, JSON.stringify(manifest))
  await rm(join(folder, 'package-lock.json'), { force: true }) // it would hold an older sdk
  await rm(join(folder, 'shop.sqlite'), { force: true })
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
  return folder
}

async function isToldOnce(shop: RunningShop, database: string): Promise<void> {
  const { demo } = service
  const made: string[] = []
  for (const kind of ['pre_sale', 'transaction']) {
    const form = { kind, url: `${shop.url}/hooks/${kind}` }
    made.push(answered(await demo.ask('hook_endpoints', { form }), 200).json.hook_endpoint.id)
  }
  const offer = await demo.makeOffer({ title: hard })
  answered(await demo.charge(offer, demo.card, { quantity: 6 }), 409)
  const { id } = answered(await demo.charge(offer, demo.card), 200).json.transaction
  const told = () => demo.ask(`hook_deliveries?transaction=${id}&endpoint=${made[1]}`)
  await until('it is told', async () => (await told()).json[0].state === 'delivered')
  const { id: delivery } = (await told()).json[0]
  answered(await demo.ask(`hook_deliveries/${delivery}/resend`, { method: 'POST' }), 200)
  await until('it is told again', async () => (await told()).json[0].attempts === 2)
  assert.deepEqual(ordersIn(database), [{ id, item: hard, quantity: 1, amount: '100.00', email: 'ada@example.com' }])
  const forged = await fetch(`${shop.url}/hooks/transaction`, { method: 'POST', body: 'details={}&signature=x' })
  assert.equal(forged.status, 403)
  assert.equal((await fetch(`${shop.url}/hooks/transaction`)).status, 405)
  for (const endpoint of made) await demo.ask(`hook_endpoints/${endpoint}`, { method: 'DELETE' })
}

test('Fastify', async t => {
  const folder = await install('fastify')
  const environment = { TILLBELL_PRIVATE_KEY: service.demoSheet.private_key, PORT: '0' }
  const shop = await startShop({ command: [process.execPath, 'server.js'], folder, environment })
  t.after(() => shop.kill())
  await isToldOnce(shop, join(folder, 'shop.sqlite'))
})

test('Next.js, built and started', async t => {
  const folder = await install('nextjs')
  const next = join(folder, 'node_modules/next/dist/bin/next')
  await run(process.execPath, [next, 'build'], { cwd: folder, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } })
  const environment = { TILLBELL_PRIVATE_KEY: service.demoSheet.private_key, NEXT_TELEMETRY_DISABLED: '1' }
  const command = [process.execPath, next, 'start', '--port', '0', '--hostname', '127.0.0.1'] as const
  const shop = await startShop({ command, folder, environment })
  t.after(() => shop.kill())
  await isToldOnce(shop, join(folder, 'shop.sqlite'))
})

test('the shop in Express', async t => {
  const folder = await install('express-shop')
  const { api_key, api_secret, private_key } = service.demoSheet
  const keys = { TILLBELL_API_KEY: `${api_key}`, TILLBELL_API_SECRET: `${api_secret}` }
  const environment = { TILLBELL_URL: service.baseUrl, ...keys, TILLBELL_PRIVATE_KEY: private_key, PORT: '0' }
  const shop = await startShop({ command: [process.execPath, 'server.js'], folder, environment })
  t.after(() => shop.kill())
  const [, offer = ''] = /offers\/([-\w]+)/.exec(await (await fetch(shop.url)).text()) ?? []
  answered(await service.demo.charge(offer, service.demo.card, { quantity: 11 }), 409)
  answered(await service.demo.charge(offer, service.demo.card, { quantity: 10 }), 200)
  const states = () => rowsIn<{ state: string }>(join(folder, 'shop.sqlite'), 'select state from sale')
  await until('it is sold', async () => states().every(({ state }) => state === 'sold'))
  assert.match(await (await fetch(shop.url)).text(), /Sold out/)
})
