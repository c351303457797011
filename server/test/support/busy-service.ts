// A process that can do little at once, with merchants whose gateways take their time: so that a test can ask more of it than it can do.

import assert from 'node:assert/strict'
import { answeredAbout, refused } from './answers.ts'
import type { Answer, Client } from './client.ts'
import { connectFarGateway, type FarGateway } from './far-gateway.ts'
import { measure } from './metrics.ts'
import { type ServiceProcess, spawnService } from './process.ts'
import { startTestService, type TestService } from './service.ts'
import { until } from './until.ts'

export const places = 4
/** The least there are. */
export const pagePlaces = 16

export interface Shop {
  /** Of the busy process. */
  readonly client: Client
  readonly merchant: string
  readonly gateway: FarGateway
  readonly offer: string
  readonly card: string
}

export interface Payment {
  readonly shop: Shop
  readonly key: string
}

export interface BusyService {
  /** Beside the busy process, on the same database. */
  readonly beside: TestService
  readonly busy: ServiceProcess
  openShop(latencyMs: number): Promise<Shop>
  residentMiB(): Promise<number>
  nothingIsInHand(): Promise<void>
  stop(): Promise<void>
}

export async function startBusyService(): Promise<BusyService> {
  const allowed = { TILLBELL_HOOKS_ALLOW: '127.0.0.1/32' }
  const beside = await startTestService(allowed)
  const busy = await spawnService({
    ...allowed,
    DATABASE_URL: beside.database.url,
    TILLBELL_DATA: beside.dataFolder,
    TILLBELL_REQUESTS_AT_ONCE: String(places),
  })
  return {
    beside,
    busy,
    async openShop(latencyMs) {
      const owner = await beside.newMerchant()
      const gateway = await connectFarGateway(owner, latencyMs)
      const [offer, card] = [await owner.makeOffer(), await owner.storeCard()]
      const client: Client = Object.assign(Object.create(owner), { baseUrl: busy.baseUrl })
      return { client, merchant: owner.merchant, gateway, offer, card }
    },
    residentMiB: async () => Math.round((await measure(busy))('process_resident_memory_bytes') / 1_048_576),
    nothingIsInHand: () =>
      until('nothing is in hand', async () => (await measure(busy))('tillbell_requests_in_hand') === 0),
    async stop() {
      await busy.kill('SIGTERM')
      await beside.stop()
    },
  }
}

let keys = 0

/** Payments of all shops by turns, each with a key of its own. */
export function paymentsOf(shops: readonly Shop[]): () => Payment {
  return () => ({ shop: shops[keys % shops.length] ?? assert.fail('no shop'), key: `payment-${++keys}` })
}

export const pay = ({ shop, key }: Payment) => shop.client.charge(shop.offer, shop.card, { key })

export function turnedAway(answer: Answer): void {
  refused(answeredAbout(answer, 503), 503, ['general'])
  assert.match(String(answer.headers['retry-after']), /^[1-9][0-9]?$/)
}
