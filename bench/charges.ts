// How many payments in a second: Pre-Sale over HTTP, a gateway over HTTP, three commits, a Transaction hook. Held against a bare program that does
// just that and nothing else (charges/bare-process.ts); both stay until the end and take turns, so that each round finds them warm.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { spawnTillbell } from '../server/test/support/process.ts'
import { connections, type Shop, type Sold } from './charges/shop.ts'
import { openBenchDatabase } from './database.ts'
import { openReceiver } from './receiver.ts'
import { quantile, type Result } from './result.ts'
import { openWorld } from './world.ts'

const seconds = 8
const warmUpSeconds = 20
const rounds = 3

interface Contestant {
  readonly shop: Shop
  close(): Promise<void>
}

export async function charges(): Promise<Result> {
  const sold = new Map<string, Sold[]>([
    ['tillbell', []],
    ['bare', []],
  ])
  const receiver = await openReceiver()
  const gateway = await openGateway()
  const shop = fork(join(import.meta.dirname, 'charges/shop-process.ts'))
  const entered = new Map<string, Contestant>()
  try {
    entered.set('tillbell', await openTillbell(receiver.url, gateway.url))
    entered.set('bare', await openBare(receiver.url, gateway.url))
    for (const contestant of entered.values()) await sell(shop, contestant.shop, warmUpSeconds)
    for (let round = 0; round < rounds; round++) {
      for (const [name, contestant] of entered) sold.get(name)?.push(await sell(shop, contestant.shop, seconds))
    }
  } finally {
    shop.disconnect()
    for (const contestant of entered.values()) await contestant.close()
    gateway.close()
    receiver.close()
  }
  return resultOf(sold)
}

function resultOf(sold: Map<string, Sold[]>): Result {
  const perSecond = (name: string) =>
    quantile(
      (sold.get(name) ?? []).map(each => each.perSecond),
      0.5,
    )
  const ratio = perSecond('tillbell') / perSecond('bare')
  return {
    name: 'charges',
    title: 'Payments in a second: Pre-Sale, gateway, three commits, hook',
    bars: [...sold.keys()].map(who => {
      const kind = who === 'bare' ? ('limit' as const) : ('ours' as const)
      return { label: who === 'bare' ? 'a bare program' : 'Tillbell', value: perSecond(who), unit: '/s', kind }
    }),
    settings: { connections, seconds, warmUpSeconds, rounds, fsync: 'on', synchronousCommit: 'on' },
    rows: [...sold].map(([who, all]) => ({
      who,
      perSecond: Math.round(perSecond(who)),
      slowest: Math.round(Math.min(...all.map(each => each.perSecond))),
      fastest: Math.round(Math.max(...all.map(each => each.perSecond))),
      p50Ms: quantile(
        all.map(({ p50Ms }) => p50Ms),
        0.5,
      ),
      p99Ms: quantile(
        all.map(({ p99Ms }) => p99Ms),
        0.5,
      ),
    })),
    goals: [{ goal: '≥ 0.6 × the bare program', value: ratio, met: ratio >= 0.6 }],
  }
}

async function sell(shop: ChildProcess, told: Shop, seconds: number): Promise<Sold> {
  shop.send({ ...told, seconds })
  const [sold] = (await once(shop, 'message')) as [Sold]
  if (sold.refused > 0) throw new Error(`${sold.refused} payments were refused:\n${sold.lastRefusal}`)
  return sold
}

async function openGateway(): Promise<{ url: string; close(): void }> {
  const gateway = spawnTillbell(['sandbox-gateway', '--port', '0', '--json'], {})
  const [line] = await once(createInterface({ input: gateway.stdout }), 'line')
  return { url: JSON.parse(line).url, close: () => gateway.kill() }
}

async function openTillbell(receiverUrl: string, gatewayUrl: string): Promise<Contestant> {
  const world = await openWorld({ TILLBELL_REQUESTS_PER_S: '100000' })
  const { service, client, sheet } = world
  await world.addEndpoint('pre_sale', receiverUrl)
  await world.addEndpoint('transaction', receiverUrl)
  const made = async (path: string, json: object) => {
    const answer = await client.ask(path, { json })
    if (answer.status !== 200) throw new Error(answer.text)
    return answer.json
  }
  const { gateway } = await made('gateways', { type: 'test', credentials: { url: gatewayUrl } })
  const year = new Date().getUTCFullYear() + 3
  const { card } = await made('sandbox/cards', {
    ...{ email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', gateway: gateway.id },
    ...{ number: '4111111111111111', expiry_month: 12, expiry_year: year, cvc: '123' },
  })
  return {
    shop: {
      port: Number(new URL(service.baseUrl).port),
      path: '/api/v5/rest/transactions',
      authorization: client.authorization,
      body: JSON.stringify({ service_offer: sheet.offer, token: card.service_token }),
    },
    close: world.close,
  }
}

async function openBare(receiverUrl: string, gatewayUrl: string): Promise<Contestant> {
  const database = await openBenchDatabase()
  const bare = fork(join(import.meta.dirname, 'charges/bare-process.ts'), [database.url, receiverUrl, gatewayUrl])
  const [{ port, body }] = (await once(bare, 'message')) as [{ port: number; body: object }]
  return {
    shop: { port, path: '/', authorization: 'none', body: JSON.stringify(body) },
    async close() {
      bare.disconnect()
      await once(bare, 'exit')
      await database.close()
    },
  }
}
