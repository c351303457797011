// A process has some twenty connections to its database. Of one merchant, whose rows are locked for long or whose statements take long,
// half of them wait at most: the others are for everybody else.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createToken } from '@tillbell/sdk/token'
import { answered } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

/** More than there are connections. */
const requests = 40

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

function storeAgain(client: Client) {
  const form = { email: 'ada@example.com', number: '4111111111111111', expiry_month: 12, expiry_year: 2040 }
  return client.ask('sandbox/cards', { form, headers: { 'idempotency-key': 'ada' } })
}

const waitingOnes = async () => {
  const { sql } = service.database
  const [row] = await sql<{ count: number }[]>`select count(*)::int from pg_locks where not granted`
  return row?.count ?? 0
}

test('requests of a merchant that wait for a row leave connections to those of others', async () => {
  const [stuck, other] = [await service.newMerchant(), await service.newMerchant()]
  const first = answered(await storeAgain(stuck), 200)
  const [offer, card] = [await other.makeOffer(), await other.storeCard()]
  const { sql } = service.database
  const held = await sql.reserve()
  await held`begin`
  await held`select from idempotency_key where merchant_id = ${stuck.merchant} for update`
  const repeated = Array.from({ length: requests }, () => storeAgain(stuck))
  await until('as many wait as may', async () => (await waitingOnes()) >= 9)
  answered(await other.ask('offers'), 200)
  answered(await other.charge(offer, card), 200)
  assert.equal(await waitingOnes(), 9)
  await held`rollback`
  held.release()
  for (const answer of await Promise.all(repeated)) assert.equal(answered(answer, 200).text, first.text)
})

test('tokens that strangers register while something is done with their key leave connections to others', async () => {
  const { demoSheet, database, baseUrl } = service
  const other = await service.newMerchant()
  const keys = {
    partnerId: Number(demoSheet.partner_id),
    privateKey: demoSheet.private_key,
    servicePublicKey: String(demoSheet.service_public_key),
  }
  const held = await database.sql.reserve()
  await held`begin`
  await held`select from merchant_key where merchant_id = ${demoSheet.merchant} for update`
  const registered = Array.from({ length: requests }, (_, each) => {
    const token = createToken({ ...keys, target: { email: `${each}@example.com` }, amount: '20.55' })
    return fetch(`${baseUrl}/token/registrations`, { method: 'POST', body: new URLSearchParams({ token }) })
  })
  await until('as many wait as may', async () => (await waitingOnes()) >= 9)
  answered(await other.ask('offers'), 200)
  assert.equal(await waitingOnes(), 9)
  await held`rollback`
  held.release()
  for (const { status } of await Promise.all(registered)) assert.equal(status, 200)
})
