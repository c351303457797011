// Who holds places for long, or goes away without waiting for an answer, keeps nobody else out.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answeredAbout } from './support/answers.ts'
import {
  type BusyService,
  type Payment,
  pagePlaces,
  pay,
  paymentsOf,
  places,
  type Shop,
  startBusyService,
  turnedAway,
} from './support/busy-service.ts'
import { encodeForm } from './support/client.ts'
import { sendFrom } from './support/from-address.ts'
import { addEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { hiddenIn } from './support/plain-forms.ts'
import { requestText } from './support/raw.ts'
import { until } from './support/until.ts'

let service: BusyService
before(async () => {
  service = await startBusyService()
})
after(() => service.stop())

test('a merchant whose Pre-Sale endpoint hangs keeps nobody else waiting', async t => {
  const [stuck, other] = await Promise.all([service.openShop(0), service.openShop(0)])
  const endpoint = await startEndpoint(() => {}) // the service gives up after a second
  t.after(() => endpoint.close())
  await addEndpoint(service.beside.database.sql, stuck.merchant, { url: endpoint.url, kind: 'pre_sale' })
  const asked = Array.from({ length: 5 * places }, () => pay(paymentsOf([stuck])()))
  await until('some hang', async () => endpoint.received.length > 0)
  for (let index = 0; index < 5; index++) answeredAbout(await pay(paymentsOf([other])()), 200)
  const answers = await Promise.all(asked)
  const hung = answers.filter(({ status }) => status === 424)
  for (const answer of answers) if (!hung.includes(answer)) turnedAway(answer)
  assert.equal(hung.length, endpoint.received.length)
  assert.ok(hung.length < answers.length)
})

/** As a customer with a network of their own, for an offer that nobody paid with the same card. Resolves with the answer's status. */
async function payOnPageFrom(localAddress: string, { client }: Shop, { number } = testCardThat('success')) {
  const url = new URL(`/offers/${await client.makeOffer()}`, service.busy.baseUrl)
  const { status, text } = await sendFrom(localAddress, url)
  if (status !== 200) return status
  const typed = { email: `${localAddress}@example.org`, first_name: 'Ada', number }
  const form = new URLSearchParams({ ...hiddenIn({ text }), ...typed, expiry: '12/40', cvc: '987' }).toString()
  return (await sendFrom(localAddress, url, { form })).status
}

async function hangingEndpointOf({ merchant }: Shop) {
  const { sql } = service.beside.database
  const endpoint = await startEndpoint(() => {})
  await addEndpoint(sql, merchant, { url: endpoint.url, kind: 'pre_sale' })
  await sql`update hook_endpoint set timeout_s = 30 where merchant_id = ${merchant}`
  return endpoint
}

test('customers of a merchant whose Pre-Sale endpoint hangs keep nobody from another’s pages', async t => {
  const [stuck, other] = await Promise.all([service.openShop(0), service.openShop(0)])
  const endpoint = await hangingEndpointOf(stuck)
  t.after(() => endpoint.close())
  const share = pagePlaces / 2
  const paying: Promise<unknown>[] = []
  for (let customer = 1; customer <= share; customer++) {
    // One card may try five times.
    const card = testCardThat(customer % 2 === 0 ? 'success' : 'three_d_secure')
    paying.push(payOnPageFrom(`127.5.${customer}.1`, stuck, card))
    await until('its endpoint is asked', async () => endpoint.received.length === customer)
  }
  for (let customer = 1; customer <= 5; customer++) assert.equal(await payOnPageFrom(`127.6.${customer}.1`, stuck), 503)
  for (let customer = 1; customer <= 5; customer++) assert.equal(await payOnPageFrom(`127.7.${customer}.1`, other), 303)
  assert.equal(endpoint.received.length, share)
  await endpoint.close()
  await Promise.all(paying)
})

test('one network that pays a merchant whose Pre-Sale endpoint hangs leaves its pages to other customers', async t => {
  const stuck = await service.openShop(0)
  const endpoint = await hangingEndpointOf(stuck)
  t.after(() => endpoint.close())
  const paying: Promise<unknown>[] = []
  for (let payment = 1; payment <= pagePlaces / 4; payment++) {
    paying.push(payOnPageFrom('127.5.100.1', stuck))
    await until('its endpoint is asked', async () => endpoint.received.length === payment)
  }
  const page = new URL(`/offers/${stuck.offer}`, service.busy.baseUrl)
  assert.equal((await sendFrom('127.5.100.1', page)).status, 503)
  assert.equal((await sendFrom('127.5.101.1', page)).status, 200)
  await endpoint.close()
  await Promise.all(paying)
})

/** Sends it whole, and goes without waiting. */
async function hangUpOn({ shop, key }: Payment, before: () => Promise<void>): Promise<void> {
  const body = encodeForm({ service_offer: shop.offer, token: shop.card })
  const headers = {
    Authorization: shop.client.authorization,
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': String(body.length),
    'Idempotency-Key': key,
  }
  const socket = net.connect(Number(new URL(service.busy.baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  await new Promise(sent => socket.write(requestText('POST /api/v5/rest/transactions', headers, body), sent))
  await before()
  socket.destroy()
}

test('what was begun for a client that hangs up is done once, what was not is left, and each place comes free', async () => {
  const shop = await service.openShop(100)
  const { sql } = service.beside.database
  const next = paymentsOf([shop])
  const begun = next()
  await hangUpOn(begun, () =>
    until(
      'it is begun',
      async () => (await sql`select from transaction where merchant_id = ${shop.merchant}`).length > 0,
    ),
  )
  for (let index = 0; index < 3 * places; index++) await hangUpOn(next(), async () => {})
  await service.nothingIsInHand()
  const again = answeredAbout(await pay(begun), 200)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  answeredAbout(await pay(next()), 200)
  const rows = await sql<{ status: string }[]>`select status from transaction where merchant_id = ${shop.merchant}`
  assert.ok(rows.every(({ status }) => status === 'Successful'))
  assert.equal((await shop.gateway.ledger()).length, rows.length)
})

/** The request is there whole, and its connection is gone, before the service has a look at either. */
async function resetBeforeSeen(path: string): Promise<void> {
  const { busy } = service
  const socket = net.connect(Number(new URL(busy.baseUrl).port), '127.0.0.1')
  socket.write(requestText('GET /healthz', { Connection: 'keep-alive' }))
  await once(socket, 'data')
  busy.child.kill('SIGSTOP')
  await new Promise(sent => socket.write(requestText(`GET ${path}`, {}), sent))
  socket.resetAndDestroy()
  await once(socket, 'close')
  busy.child.kill('SIGCONT')
}

test('whose connection was reset has no address any more: it is left alone, and nothing fails for it', async () => {
  const { busy } = service
  for (const path of ['/api/v5/rest/offers', `/offers/${crypto.randomUUID()}`, '/dashboard/']) {
    await resetBeforeSeen(path)
    // Whoever comes later is answered later.
    assert.equal((await fetch(`${busy.baseUrl}/healthz`)).status, 200)
  }
  await service.nothingIsInHand()
  assert.doesNotMatch(busy.logged(), /"level":"error"/)
})
