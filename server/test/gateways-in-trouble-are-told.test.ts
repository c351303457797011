// Why a charge was not carried out, and what an operator sees of a gateway in trouble: a line in the log with all the names,
// a count by type of gateway and code, and the cause in `doubt show`.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { answered, answeredAbout } from './support/answers.ts'
import { type Client, send } from './support/client.ts'
import { tillbell } from './support/command.ts'
import { startTestService, type TestService } from './support/service.ts'
import { type Connected, connectStripe } from './support/stripe/connected.ts'
import { busy, suspended, unauthorized } from './support/stripe/faults.ts'
import { type StripeServer, startStripe } from './support/stripe/server.ts'

let service: TestService
let stripe: StripeServer
let shop: Client & { readonly merchant: string }
let connected: Connected
before(async () => {
  service = await startTestService()
  stripe = await startStripe()
  shop = await service.newMerchant()
  connected = await connectStripe(shop, stripe)
})
after(async () => {
  await service.stop()
  await stripe.close()
})
afterEach(() => stripe.faults.clear())

interface Entry {
  readonly [name: string]: unknown
}

function entries(): Entry[] {
  const lines = service.logged().split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line))
}

const warnings = (msg: string) => entries().filter(each => each.level === 'warn' && each.msg === msg)

async function counted(name: string): Promise<number> {
  const { metricsPort } = entries().find(({ msg }) => msg === 'started') ?? assert.fail()
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const line = text.split('\n').find(each => each.startsWith(`${name} `))
  return line === undefined ? 0 : Number(line.slice(name.length + 1))
}

const notSent = (code: string) => counted(`tillbell_gateway_not_sent_total{gateway="stripe",code="${code}"}`)

async function refusedCharge(): Promise<string> {
  const charged = await shop.charge(await shop.makeOffer(), await connected.card())
  return answeredAbout(charged, 502).json.transaction.id
}

const isCharge = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path === '/v1/payment_intents'

for (const [code, fault] of [
  ['gateway_credentials_refused', unauthorized],
  ['gateway_account_suspended', suspended(403)],
] as const) {
  test(`${code} is one warning with every name and the cause, each time, and counts`, async t => {
    const before = await notSent(code)
    const ids: string[] = []
    for (let times = 0; times < 2; times++) {
      stripe.faults.next(fault, isCharge)
      ids.push(await refusedCharge())
    }
    const told = warnings('a charge was not carried out').filter(each => each.code === code)
    assert.deepEqual(
      told.map(({ merchant, gateway, transaction }) => [merchant, gateway, transaction]),
      ids.map(id => [shop.merchant, connected.gateway, id]),
    )
    assert.equal((await notSent(code)) - before, 2)

    const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
    const shown = await tillbell(t, ['doubt', 'show', ids[0] ?? '', '--json'], place)
    const [operation] = JSON.parse(shown.stdout)
    assert.deepEqual([operation.operation, operation.code], [told[0]?.operation, code])
    assert.equal(operation.last_heard, told[0]?.cause)
    assert.match(operation.last_heard, /Stripe/)
    const { stdout } = await tillbell(t, ['doubt', 'show', ids[0] ?? ''], place)
    assert.ok(stdout.includes(`  code: ${code}\n  last heard: ${operation.last_heard}\n`), stdout)
  })
}

test('a gateway that is away is one warning a minute, however many charges it cannot take, and each counts', async () => {
  const before = await notSent('gateway_busy')
  for (let times = 0; times < 3; times++) {
    stripe.faults.next(busy(3), isCharge)
    await refusedCharge()
  }
  const told = warnings('a charge was not carried out').filter(each => each.code === 'gateway_busy')
  assert.equal(told.length, 1)
  assert.equal((await notSent('gateway_busy')) - before, 3)
})

test('notices that do not prove themselves are one warning a minute, with the sentence and without the notice, and each counts', async () => {
  const name = 'tillbell_gateway_notices_refused_total{gateway="stripe"}'
  const url = `${service.baseUrl}/gateways/${connected.gateway}/events`
  const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': 't=1,v1=00' }
  for (let times = 0; times < 2; times++) {
    const { status } = await send(url, { method: 'POST', headers, body: '{"id":"evt_forged"}' })
    assert.equal(status, 400)
  }
  const told = warnings('a notice was refused')
  assert.deepEqual(
    told.map(({ merchant, gateway }) => [merchant, gateway]),
    [[shop.merchant, connected.gateway]],
  )
  assert.match(String(told[0]?.cause), /sign/)
  assert.equal(await counted(name), 2)
  assert.doesNotMatch(service.logged(), /evt_forged/)
})

test('a gateway that cannot be asked while it is connected is a warning with its sentence, and no key', async () => {
  stripe.faults.next({ kind: 'reset', at: 'before' }, () => true)
  const other = await service.newMerchant()
  const { webhook_secret: _, ...credentials } = stripe.credentials
  answered(await other.ask('gateways', { json: { type: 'stripe', credentials } }), 502)
  const [told, ...others] = warnings('a gateway could not be asked whose it is')
  assert.deepEqual([told?.merchant, told?.type, others], [other.merchant, 'stripe', []])
  assert.match(String(told?.cause), /Stripe/)
  assert.ok(!service.logged().includes(stripe.credentials.secret_key))
})
