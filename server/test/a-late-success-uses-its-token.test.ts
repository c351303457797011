// A payment by mail failed, which gave its token and its units back, and then the gateway reports that it had succeeded. Who
// accepts that takes both again: or the same token would pay once more.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { type BadLine, connectBadLine } from './support/bad-line.ts'
import type { Client } from './support/client.ts'
import { tillbell } from './support/command.ts'
import { askByMail } from './support/letters.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const ada = 'ada@example.com'

let service: TestService
let seller: Client & { readonly merchant: string }
let line: BadLine
before(async () => {
  service = await startTestService()
  seller = await service.newMerchant()
  line = await connectBadLine(seller)
})
after(async () => {
  await line.close()
  await service.stop()
})

async function resolve(t: TestContext, operation: string, as: string, ...more: string[]): Promise<void> {
  const words = ['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen at the gateway.', ...more]
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'fatal' }
  const { code, stderr } = await tillbell(t, words, place)
  assert.deepEqual([code, stderr], [0, ''])
}

const statusOf = async (id: string) => answered(await seller.ask(`transactions/${id}`), 200).json.transaction.status
const stockOf = async (offer: string) => answered(await seller.ask(`offers/${offer}`), 200).json.offer.stock
const outcomesOf = async (id: string) => {
  const rows = await service.database.sql<
    { outcome: string }[]
  >`select outcome from operation where transaction_id = ${id}`
  return rows.map(({ outcome }) => outcome)
}
const usersOf = async (tokenSha256: string) => {
  const rows = await service.database.sql<{ id: string }[]>`select transaction_id as id from token_use
    where box_sha256 = ${Buffer.from(tokenSha256, 'hex')}`
  return rows.map(({ id }) => id)
}

/** By a token for one customer; settled as not made, after which the gateway reports a success. */
async function failedWithLateSuccess(t: TestContext) {
  const offer = await seller.makeOffer({ stock: 2, email: ada })
  const tokenSha256 = randomBytes(32).toString('hex')
  const asked = { merchant: seller.merchant, offer, sender: ada, isProven: true, tokenSha256, hasConsent: true }
  const ask = () => askByMail(service, asked)
  line.loses = true
  const id = await ask()
  await until('it is in doubt', async () => (await outcomesOf(id)).includes('unknown'))
  line.loses = false
  const [row] = await service.database.sql<{ id: string }[]>`update operation
    set next_ask_at = now() + interval '1 year' where transaction_id = ${id} returning id`
  const operation = row?.id ?? assert.fail('no operation')
  assert.deepEqual([await usersOf(tokenSha256), await stockOf(offer)], [[id], 1], 'held while in doubt')
  await resolve(t, operation, 'not-made')
  assert.deepEqual([await statusOf(id), await usersOf(tokenSha256), await stockOf(offer)], ['Failed', [], 2])
  await service.database.sql`update operation set for_person = 'The gateway reports a success.' where id = ${operation}`
  return { offer, tokenSha256, id, operation, ask }
}

test('a late success that is accepted takes its token and its units again', async t => {
  const { offer, tokenSha256, id, operation, ask } = await failedWithLateSuccess(t)
  await resolve(t, operation, 'succeeded', '--gateway-ref', `late-${operation}`)
  assert.deepEqual(
    [await statusOf(id), await usersOf(tokenSha256), await stockOf(offer)],
    ['Successful', [id], 1],
    'it is used again',
  )
  const before = line.sendings
  await assert.rejects(ask, /It came to nothing: .*token.* used/i, 'the token pays once')
  assert.equal(line.sendings, before)
  await audited(service.database.sql)
})

test('one whose token has paid meanwhile is accepted all the same, and the record says so', async t => {
  const { offer, tokenSha256, id, operation, ask } = await failedWithLateSuccess(t)
  const other = await ask()
  await until('the other is settled', async () => (await outcomesOf(other)).includes('succeeded'))
  assert.deepEqual([await statusOf(other), await usersOf(tokenSha256)], ['Successful', [other]])
  await resolve(t, operation, 'succeeded', '--gateway-ref', `late-${operation}`)
  assert.deepEqual(
    [await statusOf(id), await usersOf(tokenSha256), await stockOf(offer)],
    ['Successful', [other], 0],
    'the use stays with who has it, and the money is in the books',
  )
  const [row] = await service.database.sql<{ cause: string }[]>`select cause from operation where id = ${operation}`
  assert.match(row?.cause ?? '', new RegExp(`Its token was used by transaction ${other} meanwhile\\.$`))
  await audited(service.database.sql)
})
