// The core on a real database and a real sandbox gateway, without HTTP: for properties that take many runs.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { readConfig } from '../../src/config.ts'
import type { Gateway } from '../../src/core/gateway.ts'
import type { CardToken, GatewayId, MerchantId, TransactionId } from '../../src/core/ids.ts'
import { defaultCurrency, formatAmount } from '../../src/core/money.ts'
import type { Ports } from '../../src/core/ports.ts'
import type { Tries } from '../../src/core/tries.ts'
import { openFoundation } from '../../src/foundation.ts'
import type { SandboxControls } from '../../src/gateways/sandbox/account.ts'
import { openSandbox } from '../../src/gateways/sandbox/in-process.ts'
import { cardStorer } from '../../src/join-cards.ts'
import { checkoutPorts } from '../../src/join-checkout.ts'
import type { CustomerPost } from '../../src/join-mail.ts'
import { tries } from '../../src/join-tries.ts'
import { join } from '../../src/join-work.ts'
import { newGatewayId, uuidMaker } from '../../src/keys/new-ids.ts'
import { openLog } from '../../src/observe/log.ts'
import { openMetrics } from '../../src/observe/metrics.ts'
import type { CheckoutPorts } from '../../src/pages/checkout/ports.ts'
import { belongsTo, createMerchant } from '../../src/setup/merchant.ts'
import { insertCardCopy } from '../../src/store/cards.ts'
import type { Database } from '../../src/store/database.ts'
import { insertGateway } from '../../src/store/gateways.ts'
import { bringForward, claimAbandoned, claimOperations, findMerchantsDue } from '../../src/store/sweeping.ts'
import { createSweeper } from '../../src/sweeper/sweeper.ts'
import { freshDatabase } from './database.ts'
import { expireLeases } from './leases.ts'

/** A process that ends in the middle of its work: what it leaves behind is the test. */
export class Death extends Error {}

export interface Shop {
  readonly merchantId: MerchantId
  readonly offer: string
  readonly gateway: Gateway & SandboxControls
  card(number: string): Promise<string>
}

/** A second gateway of a shop, which is tried next. */
export interface NextGateway {
  readonly id: GatewayId
  readonly gateway: Gateway & SandboxControls
  /** Stores a copy there that succeeds, once for each card. */
  copy(card: string): Promise<void>
}

export interface Bench {
  readonly sql: Database
  readonly ports: Ports
  readonly tries: Tries
  newShop(): Promise<Shop>
  addNextGateway(shop: Shop): Promise<NextGateway>
  /** The page of an offer, of a process whose gateways are these. */
  pageOf(ports: Ports): CheckoutPorts
  transactionsOf(merchantId: MerchantId): Promise<TransactionId[]>
  asText(amountMinor: bigint): string
  /** Time passes: leases end, and what is due is swept once. */
  pass(minutes: number, ports: Ports): Promise<void>
  /** Time passes until nothing is open. */
  settleAll(ports: Ports): Promise<void>
  close(): Promise<void>
}

const noPost: CustomerPost = { send() {}, reaches: async () => false, stop: async () => {} }

export async function openBench(): Promise<Bench> {
  const database = await freshDatabase()
  const dataFolder = await mkdtemp(joinPath(tmpdir(), 'tillbell-bench-'))
  const config = readConfig({ TILLBELL_DATA: dataFolder, DATABASE_URL: database.url })
  const log = openLog('silent')
  const foundation = await openFoundation(config, 'guest', log)
  const { sql, sealer, newUuid } = foundation
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  const joined = join(foundation, log, openMetrics(), { mode: 'sandbox', baseUrl: 'http://tillbell.test' })
  const newTransactionId = uuidMaker(now) as Ports['newTransactionId']
  const ports = { ...joined.ports, now, newTransactionId }

  async function pass(minutes: number, by: Ports): Promise<void> {
    offsetMs += minutes * 60_000
    await expireLeases(sql)
    const store = {
      worksFor: sql.worksFor,
      findMerchantsDue: (at: Date) => findMerchantsDue(sql, at),
      bringForward: (at: Date) => bringForward(sql, at),
      claimAbandoned: (id: MerchantId, claim: { limit: number; leaseMs: number }) => claimAbandoned(sql, id, claim),
      claimOperations: (id: MerchantId, claim: { now: Date; limit: number; leaseMs: number }) =>
        claimOperations(sql, id, claim),
      findOverdue: async () => [],
      claimSpentCards: async () => [],
      removeCard: async () => 'removed' as const,
      endSilentListeners: async () => 0,
      forgetWhatIsOver: async () => 0,
    }
    const failures: unknown[] = []
    const log = { swept: () => {}, cardNotRemoved: () => {}, failed: (error: unknown) => failures.push(error) }
    await createSweeper(by, store, log).sweepOnce()
    for (const failure of failures) if (!(failure instanceof Death)) throw failure
  }

  return {
    sql,
    ports,
    tries: tries(foundation),
    pass,
    async newShop() {
      const world = { sql, sealer, mode: 'sandbox' as const, now, newUuid }
      const { merchant, gateway } = await createMerchant(world, { name: 'Shop', email: `${newUuid()}@example.com` })
      const offer = newUuid()
      await sql`insert into offer (merchant_id, id, created_at, title, amount_minor, amount_given, currency, custom_fields,
        authorization_only, custom_data, token_content, active)
        values (${merchant}, ${offer}, now(), 'A thing', 10000, '100.00', 'USD', '[]', false, '{}', '', true)`
      await sql`insert into directory (kind, key, merchant_id) values ('offer', ${offer}, ${merchant})`
      const store = cardStorer(foundation, joined)
      const cards = new Map<string, string>()
      const account = { ...joined.gatewayWorld, account: gateway as GatewayId }
      return {
        merchantId: merchant,
        offer,
        gateway: openSandbox(account),
        async card(number) {
          const known = cards.get(number)
          if (known !== undefined) return known
          const details = { number, cvc: null, expiryMonth: 12, expiryYear: 2040 }
          const result = await store(merchant, {
            email: 'a@example.com',
            firstName: null,
            lastName: null,
            gatewayId: null,
            card: details,
          })
          if (!('stored' in result)) throw new Error(result.kind)
          cards.set(number, result.stored.card.token)
          return result.stored.card.token
        },
      }
    },
    async addNextGateway({ merchantId }) {
      const id = newGatewayId()
      const createdAt = now()
      const credentialsSealed = sealer.seal('{}', belongsTo.credentials(merchantId, id))
      const row = { merchantId, id, type: 'test', isDefault: false, fallback: 1, status: 'active', createdAt } as const
      await sql.begin(scope => insertGateway(scope, { ...row, credentialsSealed, account: null }))
      const gateway = openSandbox({ ...joined.gatewayWorld, account: id })
      const copied = new Set<string>()
      return {
        id,
        gateway,
        async copy(card) {
          if (copied.has(card)) return
          copied.add(card)
          const stored = await gateway.storeCard({ reference: 'test:success' }, AbortSignal.timeout(5_000))
          if (stored.kind !== 'stored') throw new Error(stored.kind)
          const { cardRef, fingerprint } = stored
          const copy = { gatewayId: id, cardRef, fingerprint, createdAt }
          await sql.begin(scope => insertCardCopy(scope, merchantId, card as CardToken, copy))
        },
      }
    },
    pageOf: ports => checkoutPorts(foundation, { ...joined, ports }, work => work, noPost),
    async transactionsOf(merchantId) {
      const rows = await sql<
        { id: TransactionId }[]
      >`select id from transaction where merchant_id = ${merchantId} order by id`
      return rows.map(({ id }) => id)
    },
    asText: amountMinor => formatAmount(amountMinor, defaultCurrency),
    async settleAll(by) {
      for (let round = 0; round < 40; round++) {
        const [open] = await sql<
          { count: bigint }[]
        >`select (select count(*) from transaction where status = 'Processing')
          + (select count(*) from operation where outcome in ('pending', 'unknown')) as count`
        if (open?.count === 0n) return
        await pass(61, by)
      }
      const open = await sql`select * from operation where outcome in ('pending', 'unknown')`
      throw new Error(
        `something stays open: ${JSON.stringify(open, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
      )
    },
    async close() {
      await foundation.close()
      await database.drop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
