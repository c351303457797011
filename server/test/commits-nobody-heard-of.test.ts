// The line to the database breaks after a commit was made and before anybody heard so, at every commit of a payment: whoever asked is answered as
// if nothing were, and everything is there once.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered } from './support/answers.ts'
import { findingsOfAudit } from './support/audited.ts'
import { type CommitLosingProxy, startCommitLosingProxy } from './support/commit-losing-proxy.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { connectFarGateway, type FarGateway } from './support/far-gateway.ts'
import { type HookReceiver, startReceiver } from './support/hook-receiver.ts'
import { addEndpoint, removeEndpoints } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let database: TestDatabase
let proxy: CommitLosingProxy
let service: TestService
let receiver: HookReceiver
let gateway: FarGateway
let lost = 0
/** Two of three, so that one that must be made again is made. */
let losing = false

before(async () => {
  database = await freshDatabase()
  let commits = 0
  proxy = await startCommitLosingProxy(database.url, () => {
    if (!losing || ++commits % 3 === 0) return 'passes'
    lost += 1
    return 'is not heard of'
  })
  service = await startTestService({ DATABASE_URL: proxy.url })
  // Its books are not in this database: it would be the gateway whose commits are lost.
  gateway = await connectFarGateway(service.demo)
  receiver = await startReceiver(service.demoSheet.private_key)
  await removeEndpoints(database.sql)
  for (const kind of ['generic', 'update']) {
    await addEndpoint(database.sql, service.demoSheet.merchant, { url: receiver.url, kind })
  }
})

after(async () => {
  await service.stop()
  await receiver.close()
  await gateway.goAway()
  await proxy.close()
  await database.drop()
})

/** What the customer or the office does one after the other, and the status that the payment has then. */
interface Life {
  readonly of: string
  readonly card?: string
  readonly form?: { readonly [name: string]: string }
  readonly later?: (
    id: string,
  ) => readonly { readonly path: string; readonly form?: { readonly [name: string]: string } }[]
  readonly ends: string
}

const lives: readonly Life[] = [
  { of: 'a charge', ends: 'Successful' },
  { of: 'a charge that is declined', card: '4012888888881881', ends: 'Failed' },
  {
    of: 'a refund in two parts',
    later: id =>
      ['30.00', '70.00'].map(amount => ({ path: 'transactions/refunds', form: { transaction: id, amount } })),
    ends: 'Refunded',
  },
  {
    of: 'an authorisation that is captured',
    form: { authorization_only: 'true' },
    later: id => [{ path: `transactions/${id}/capture`, form: { amount: '60.00' } }],
    ends: 'Successful',
  },
  {
    of: 'an authorisation that is voided',
    form: { authorization_only: 'true' },
    later: id => [{ path: `transactions/${id}/void`, form: {} }],
    ends: 'Voided',
  },
]

async function live(name: string, { card, form = {}, later = () => [] }: Life, offer: string): Promise<string> {
  const { demo } = service
  const token = await demo.storeCard(card)
  const keyed = (step: number) => ({ headers: { 'idempotency-key': `${name.replaceAll(/\W+/g, '-')}-${step}` } })
  losing = true
  const charged = await demo.charge(offer, token, { form, ...keyed(0) })
  const { id } = answered(charged, card === undefined ? 200 : 402).json.transaction
  for (const [index, { path, form }] of later(id).entries()) {
    answered(await demo.ask(path, { ...keyed(index + 1), ...(form !== undefined && { form }) }), 200)
  }
  return id
}

for (const life of lives) {
  for (const stock of [null, 10]) {
    const name = stock === null ? life.of : `${life.of}, of an offer that is counted`
    test(`${name}: answered as made, and there once`, async () => {
      const { demo } = service
      const lostBefore = lost
      for (let round = 0; round < 3; round++) {
        const offer = await demo.makeOffer(stock === null ? {} : { stock })
        const id = await live(`${name} ${round}`, life, offer).finally(() => {
          losing = false
        })
        const { transaction } = answered(await demo.ask(`transactions/${id}`), 200).json
        assert.equal(transaction.status, life.ends)
        const rows = await database.sql<{ stockLeft: number }[]>`select stock_left from offer where id = ${offer}`
        const isBack = ['Failed', 'Voided'].includes(life.ends)
        assert.equal(rows[0]?.stockLeft, stock === null ? null : stock - (isBack ? 0 : 1))
      }
      assert.ok(lost - lostBefore >= 4, `${lost - lostBefore} commits were lost`)
    })
  }
}

test('of all that, every hook arrives, and the books fit', async () => {
  const events = await database.sql<{ name: string }[]>`
    select transaction_id || ' ' || type as name from event where ${true}`
  // A refund in two parts has two of one name.
  const times = (wanted: string) => events.filter(({ name }) => name === wanted).length
  await until('every hook arrived', async () =>
    events.every(({ name }) => (receiver.accepted.get(name) ?? 0) >= times(name)),
  )
  const owed = () => database.sql`select from owed_delivery where state = ${'pending'}`
  await until('nothing is owed', async () => (await owed()).length === 0)
  assert.equal((await database.sql`select from delivery where ${true}`).length, events.length)
  assert.equal((await database.sql`select from transaction where ${true}`).length, lives.length * 6)
  assert.deepEqual(await findingsOfAudit(database.sql), [])
  assert.doesNotMatch(service.logged(), /request failed/)
})
