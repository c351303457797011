// Ten times as many payments as a process can make: it turns away what is too much, at once and in so many words, and makes the rest as
// promptly as ever.

import assert from 'node:assert/strict'
import http from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { answered, answeredAbout } from './support/answers.ts'
import {
  type BusyService,
  type Payment,
  pay,
  paymentsOf,
  places,
  type Shop,
  startBusyService,
  turnedAway,
} from './support/busy-service.ts'
import { send } from './support/client.ts'
import { type Asked, inTurns, offer, percentile, timed } from './support/load.ts'
import { measure } from './support/metrics.ts'
import { repetitions } from './support/repetitions.ts'
import { until } from './support/until.ts'

const overloadS = repetitions(8, 60)
const gatewayLatencyMs = 100
const acceptedWithinMs = 1_000
const recoversWithinMs = 5_000
/** Of which V8's young generation alone may take 128. */
const memoryGrowthMaxMiB = 256

/** As many as a few busy merchants keep open. A new connection for each would measure how fast the system makes connections. */
const connections = 128
/** Who is kept waiting for longer by the machine itself cannot tell how long something else took. */
const lagMaxMs = 50

let service: BusyService
before(async () => {
  http.globalAgent = new http.Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  service = await startBusyService()
})
after(() => service.stop())

const get = (path: string) => send(`${service.busy.baseUrl}${path}`, { method: 'GET', headers: {}, body: null })
const isMade = ({ answer }: Asked<Payment>) => answer.status === 200

/** What it does when nothing is too much for it. */
async function atItsOwnPace(shops: readonly Shop[], forMs: number) {
  const beganMs = performance.now()
  const isOver = () => performance.now() > beganMs + forMs
  const asked = await inTurns({ clients: places / 2, isOver }, paymentsOf(shops), pay)
  return { asked, perS: asked.filter(isMade).length / ((performance.now() - beganMs) / 1_000) }
}

/** Load of so many in a second, and what else the process is asked meanwhile. */
async function overload(perS: number, floods: readonly Shop[], polite: Shop) {
  let isDone = false
  const one = { clients: 1, isOver: () => isDone }
  const now = { ...one, pauseMs: 50 }
  const nothing = () => null
  const lag = monitorEventLoopDelay()
  lag.enable()
  let memoryMiB = 0
  const weigh = async () => {
    while (!isDone) {
      memoryMiB = Math.max(memoryMiB, await service.residentMiB())
      await delay(250)
    }
  }
  const flood = offer({ perS, forMs: overloadS * 1_000 }, paymentsOf(floods), pay).finally(() => {
    isDone = true
  })
  const [asked, polites, lives, readies, office] = await Promise.all([
    flood,
    inTurns(one, paymentsOf([polite]), pay),
    inTurns(now, nothing, () => get('/healthz')),
    inTurns(now, nothing, () => get('/readyz')),
    inTurns(now, nothing, () => get('/console/transactions')),
    weigh(),
  ])
  return { asked, polites, lives, readies, office, memoryMiB, lagMs: lag.percentile(99) / 1e6 }
}

async function recovery(shop: Shop) {
  const beganMs = performance.now()
  const asked: Asked<Payment>[] = []
  const isServed = async () => {
    const once = await timed(paymentsOf([shop])(), pay)
    asked.push(once)
    return isMade(once)
  }
  await until('it serves again', isServed, recoversWithinMs)
  return { asked, tookMs: performance.now() - beganMs }
}

/** What clients were told, what is written here, and what the gateway has: the same, each once. */
async function holdInTheBooks({ merchant, gateway }: Shop, asked: readonly Asked<Payment>[]): Promise<void> {
  const made = asked.filter(each => isMade(each) && each.of.shop.merchant === merchant)
  const told = made.map(({ answer }) => String(answer.json.transaction.id)).sort()
  const rows = await service.beside.database.sql<{ id: string; status: string }[]>`select id, status from transaction
    where merchant_id = ${merchant}`
  assert.ok(rows.every(({ status }) => status === 'Successful'))
  assert.deepEqual(rows.map(({ id }) => id).sort(), told)
  const ledger = await gateway.ledger()
  assert.deepEqual(ledger.map(({ transactionId }) => transactionId).sort(), told)
}

/** Under the same keys: made once, and from then on the same answer. */
async function canBeAskedAgain(away: readonly Asked<Payment>[]): Promise<void> {
  for (const { of } of away) {
    const first = answeredAbout(await pay(of), 200)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    const second = answeredAbout(await pay(of), 200)
    assert.equal(second.headers['idempotent-replayed'], 'true')
    assert.equal(second.text, first.text)
    const booked = (await of.shop.gateway.ledger()).filter(row => row.transactionId === first.json.transaction.id)
    assert.equal(booked.length, 1)
  }
}

const inMs = (asked: readonly { readonly tookMs: number }[]) =>
  `p50 ${percentile(asked, 50).toFixed(0)}, p99 ${percentile(asked, 99).toFixed(0)} ms`

test('what is too much is turned away and can be asked again, what is made is made once and in time, and all else goes on', async t => {
  const floods = await Promise.all(Array.from({ length: 2 }, () => service.openShop(gatewayLatencyMs)))
  const polite = await service.openShop(gatewayLatencyMs)
  const first = await atItsOwnPace(floods, 1_000) // the first of a process take longer than all others
  const own = await atItsOwnPace(floods, 2_000)
  await Promise.all(Array.from({ length: connections }, () => get('/healthz')))
  const memoryMiB = await service.residentMiB()
  const { asked, polites, lives, readies, office, ...during } = await overload(own.perS * 20, floods, polite)
  const recovered = await recovery(floods[0] ?? polite)
  const [made, away] = [asked.filter(isMade), asked.filter(each => !isMade(each))]
  for (const line of [
    `half of its places made ${own.perS.toFixed(0)} in a second, ${inMs(own.asked)}`,
    `${asked.length} offered in ${overloadS} s: ${made.length} made, ${inMs(made)}; ${away.length} turned away, ${inMs(away)}`,
    `who keeps within its share: ${polites.length}, ${inMs(polites)}; health: ${lives.length}, ${inMs(lives)}`,
    `memory: ${memoryMiB}, at most ${during.memoryMiB}, then ${await service.residentMiB()} MiB`,
    `served again after ${recovered.tookMs.toFixed(0)} ms; whoever measured was kept waiting for up to ${during.lagMs.toFixed(0)} ms`,
  ])
    t.diagnostic(line)

  for (const { answer } of away) turnedAway(answer)
  assert.ok(away.length > asked.length / 2, `only ${away.length} of ${asked.length} were too many`)
  if (during.lagMs > lagMaxMs) t.diagnostic('NOT MEASURED: the machine is too busy to tell how long anything takes')
  else {
    assert.ok(made.length > (own.perS * overloadS) / 2, `it made only ${made.length}`)
    assert.ok(percentile([...made, ...polites], 99) < acceptedWithinMs, `it took more than ${acceptedWithinMs} ms`)
    assert.ok(polites.every(isMade), 'a merchant within its share was turned away')
  }
  assert.ok(polites.filter(isMade).length > polites.length / 2, 'a merchant within its share was mostly turned away')
  for (const { answer } of [...lives, ...readies]) answered(answer, 200)
  for (const { answer } of office) answered(answer, 401)
  assert.ok(during.memoryMiB < memoryMiB + memoryGrowthMaxMiB)
  const all = [...first.asked, ...own.asked, ...asked, ...polites, ...recovered.asked]
  const counted = (await measure(service.busy))('tillbell_requests_turned_away_total', 'door="rest"')
  assert.equal(counted, all.filter(each => !isMade(each)).length)
  await service.nothingIsInHand()
  const said = service.busy.logged().match(/requests are turned away/g) ?? []
  assert.ok(said.length >= 1 && said.length <= 2 * (1 + overloadS / 60), `it was said ${said.length} times`)
  for (const shop of [...floods, polite]) await holdInTheBooks(shop, all)
  await canBeAskedAgain(away.slice(0, 20))
})
