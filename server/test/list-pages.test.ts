// Lists: a page is bounded in bytes as well as in rows, little more is read than it shows, and one merchant's lists leave
// the database and the process to others.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { listSales } from '../src/store/sale-listing.ts'
import { answered, answeredAbout, refused } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { signedIn } from './support/console.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const pageBytesMax = 256 * 1024
const largeData = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`key${index}`, 'value']))

async function makeOffer(client: Client, isLarge: boolean): Promise<string> {
  const answer = await client.ask('offers', { json: { amount: '1.00', ...(isLarge && { custom_data: largeData }) } })
  return answered(answer, 200).json.offer.offer_id
}

/** All pages from the first to the last, as a client finds them by the Link header. */
async function followLinks(client: Client, path: string): Promise<Answer[]> {
  const pages: Answer[] = []
  const rest = `${client.baseUrl}/api/v5/rest/`
  for (let next: string | undefined = path; next !== undefined; ) {
    assert.ok(pages.length < 200, 'the pages never end')
    const page: Answer = answered(await client.ask(next), 200)
    pages.push(page)
    next = /^<([^>]+)>; rel="next"$/.exec(String(page.headers.link))?.[1]?.slice(rest.length)
  }
  return pages
}

function assertBounded(pages: readonly Answer[]): void {
  for (const { text, json } of pages) {
    const bytes = Buffer.byteLength(text)
    assert.ok(bytes <= pageBytesMax || json.length === 1, `a page of ${json.length} rows has ${bytes} bytes`)
  }
}

test('a page ends before its text passes 256 KiB, and following Link shows each row once', async () => {
  const client = await service.newMerchant()
  const card = await client.storeCard()
  const [offers, transactions]: [string[], string[]] = [[], []]
  for (let index = 0; index < 45; index++) {
    const offer = await makeOffer(client, index % 3 !== 0)
    offers.unshift(offer)
    transactions.unshift(answered(await client.charge(offer, card), 200).json.transaction.id)
  }
  for (const limit of [100, 17]) {
    const pagesOfOffers = await followLinks(client, `offers?limit=${limit}`)
    assertBounded(pagesOfOffers)
    assert.deepEqual(
      pagesOfOffers.flatMap(({ json }) => json.map((row: { offer_id: string }) => row.offer_id)),
      offers,
    )
    const pagesOfSales = await followLinks(client, `transactions?limit=${limit}&status=Successful`)
    assertBounded(pagesOfSales)
    assert.deepEqual(
      pagesOfSales.flatMap(({ json }) => json.map((row: { id: string }) => row.id)),
      transactions,
    )
  }
})

test('a row that is larger than a page is a page by itself', async () => {
  const client = await service.newMerchant()
  const card = await client.storeCard()
  const [offer, ids] = [await client.makeOffer(), [] as string[]]
  for (let index = 0; index < 4; index++) {
    ids.unshift(answered(await client.charge(offer, card), 200).json.transaction.id)
  }
  await reportRefunds(client.merchant, ids[1] ?? assert.fail(), 100, '\u0001'.repeat(2_500))
  const pages = await followLinks(client, 'transactions?limit=100')
  assertBounded(pages)
  assert.deepEqual(
    pages.map(({ json }) => json.map((row: { id: string }) => row.id)),
    [[ids[0]], [ids[1]], [ids[2], ids[3]]],
  )
})

/** Rows as the service writes them for refunds that were made at the gateway. */
async function reportRefunds(merchant: string, id: string, count: number, reason: string): Promise<void> {
  const { sql } = service.database
  await sql`insert into operation select p.merchant_id, uuidv7(), p.transaction_id, 'refund', p.gateway_id, 1, p.currency, p.created_at,
      'succeeded', 0, 0, null, 're_' || n || p.transaction_id, null, null, p.settled_at, null, 'gateway', ${reason}::text, p.lease_no, p.lease_until
    from operation p cross join generate_series(1, ${count}::int) n
    where p.merchant_id = ${merchant} and p.transaction_id = ${id} and p.kind = 'charge'`
}

test('a list shows the newest 100 refunds of a payment, and the record all', async () => {
  const client = await service.newMerchant()
  const id = answered(await client.charge(await client.makeOffer(), await client.storeCard()), 200).json.transaction.id
  await reportRefunds(client.merchant, id, 130, 'Returned')
  const { refunds: all, refund: newest } = answered(await client.ask(`transactions/${id}`), 200).json.transaction
  const [listed] = answered(await client.ask('transactions'), 200).json
  assert.equal(all.length, 130)
  assert.deepEqual([listed.refunds, listed.refund], [all.slice(-100), newest])
})

test('one reading of payments ends once it has many refunds in it', async () => {
  const client = await service.newMerchant()
  const [offer, card] = [await client.makeOffer(), await client.storeCard()]
  for (let index = 0; index < 10; index++) {
    const { id } = answered(await client.charge(offer, card), 200).json.transaction
    await reportRefunds(client.merchant, id, 60, 'Returned')
  }
  const everything = { status: null, source: null, offer: null, email: null, createdAfter: null, createdBefore: null }
  const { sql } = service.database
  const sales = await listSales(sql, client.merchant as MerchantId, { limit: 10, after: null, ...everything })
  const operations = sales.reduce((sum, sale) => sum + sale.operations.length, 0)
  assert.ok(sales.length > 0 && operations < 200, `${operations} operations of ${sales.length} payments were read`)
  const pages = await followLinks(client, 'transactions?limit=100')
  assert.equal(pages.flatMap(({ json }) => json).length, 10)
})

/** Reads of the table hang until it is let go. */
async function holdTable(
  { database: { sql } }: TestService,
  table: 'letter' | 'dispute' | 'payment_page' | 'owed_delivery',
) {
  const held = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const lock = sql.begin(async scope => {
    await scope.unsafe(`lock table ${table} in access exclusive mode`)
    held.resolve()
    await letGo.promise
  })
  await Promise.race([held.promise, lock])
  return {
    /** How many statements that begin so wait for it. */
    async waiting(statement: string) {
      const { length } = await sql`select from pg_locks l join pg_stat_activity a using (pid)
        where l.relation = ${table}::regclass and not l.granted and a.query like ${statement}`
      return length
    },
    async release() {
      letGo.resolve()
      await lock
    },
  }
}

/** Payments know nothing of mails, and workers do not list them. */
async function holdLetters(service: TestService) {
  const { waiting, release } = await holdTable(service, 'letter')
  return { reading: () => waiting('%from letter where merchant_id = % order by id desc limit %'), release }
}

test("two lists of a merchant are read at once, some wait, the rest get 429, and nobody's payments wait for them", async () => {
  const [busy, other] = [await service.newMerchant(), await service.newMerchant()]
  const shops = await Promise.all(
    [busy, other].map(async client => ({ client, offer: await client.makeOffer(), card: await client.storeCard() })),
  )
  const letters = await holdLetters(service)
  const refusedLists: Answer[] = []
  const lists = Array.from({ length: 42 }, async () => {
    const answer = await busy.ask('letters?limit=100')
    if (answer.status !== 200) refusedLists.push(answer)
    return answer
  })
  try {
    await until('the lists that find no room are refused', async () => refusedLists.length === 8)
    for (const answer of refusedLists) {
      refused(answer, 429, ['general'])
      assert.equal(answer.headers['retry-after'], '1')
    }
    assert.equal(await letters.reading(), 2)
    for (const { client, offer, card } of shops) {
      const { id } = answeredAbout(await client.charge(offer, card), 200).json.transaction
      answered(await client.ask(`transactions/${id}`), 200)
      answeredAbout(await client.ask('transactions/refunds', { form: { transaction: id } }), 200)
    }
    answered(await other.ask('transactions'), 200)
    assert.equal(await letters.reading(), 2)
  } finally {
    await letters.release()
  }
  const statuses = (await Promise.all(lists)).map(({ status }) => status)
  assert.equal(statuses.filter(status => status === 200).length, 34)
  answered(await busy.ask('letters'), 200)
})

test('a list that waits for others leaves its place to payments of the same merchant', async t => {
  const small = await startTestService({ TILLBELL_REQUESTS_AT_ONCE: '16' })
  t.after(() => small.stop())
  const { demo } = small
  const letters = await holdLetters(small)
  // Alone, a merchant may have half of the places: 8.
  const lists = Array.from({ length: 12 }, () => demo.ask('letters'))
  try {
    await until('lists are read', async () => (await letters.reading()) === 2)
    for (let index = 0; index < 5; index++) answeredAbout(await demo.charge(demo.offer, demo.card), 200)
    assert.equal(await letters.reading(), 2)
  } finally {
    await letters.release()
  }
  for (const answer of await Promise.all(lists)) answered(answer, 200)
})

test('many readings of one merchant’s payments, which may be large, take four connections, and others are charged meanwhile', async () => {
  const [busy, other] = [await service.newMerchant(), await service.newMerchant()]
  const { id } = answeredAbout(await busy.charge(await busy.makeOffer(), await busy.storeCard()), 200).json.transaction
  const [offer, card] = [await other.makeOffer(), await other.storeCard()]
  const { waiting, release } = await holdTable(service, 'dispute')
  const readings = Array.from({ length: 60 }, () => busy.ask(`transactions/${id}`))
  try {
    await until('payments are read', async () => (await waiting('%')) === 4)
    answeredAbout(await other.charge(offer, card), 200)
    answered(await busy.ask('offers'), 200)
    assert.equal(await waiting('%'), 4)
  } finally {
    await release()
  }
  for (const answer of await Promise.all(readings)) answered(answer, 200)
})

test('many counts before a range is sent again take two connections', async () => {
  const busy = await service.newMerchant()
  const form = { kind: 'transaction', url: 'http://127.0.0.1:1' }
  const { id } = answered(await busy.ask('hook_endpoints', { form }), 200).json.hook_endpoint
  const viewer = await signedIn(service.baseUrl, await service.newLogin(busy.merchant, 'viewer'))
  const { waiting, release } = await holdTable(service, 'owed_delivery')
  const path = `resends/count?endpoint=${id}&created_after=2020-01-01T00:00:00Z`
  const refusedCounts: number[] = []
  const counts = Array.from({ length: 42 }, async () => {
    const { status } = await viewer.ask(path)
    if (status !== 200) refusedCounts.push(status)
    return status
  })
  try {
    await until('those that find no room are refused', async () => refusedCounts.length === 8)
    assert.deepEqual([...new Set(refusedCounts)], [429])
    assert.equal(await waiting('%created_at > %'), 2)
  } finally {
    await release()
  }
  assert.equal((await Promise.all(counts)).filter(status => status === 200).length, 34)
})

test('many changes of one merchant take four connections, and others are charged meanwhile', async () => {
  const [busy, other] = [await service.newMerchant(), await service.newMerchant()]
  const [offer, card] = [await other.makeOffer(), await other.storeCard()]
  const { waiting, release } = await holdTable(service, 'payment_page')
  const change = { method: 'PATCH', form: { button_color: '#0a7a3d' } }
  const changes = Array.from({ length: 40 }, () => busy.ask('payment_page', change))
  try {
    await until('changes wait', async () => (await waiting('%')) > 0)
    for (let charges = 0; charges < 10; charges++) answeredAbout(await other.charge(offer, card), 200)
    assert.ok((await waiting('%')) <= 4, `${await waiting('%')} wait`)
  } finally {
    await release()
  }
  for (const answer of await Promise.all(changes)) answered(answer, 200)
})
