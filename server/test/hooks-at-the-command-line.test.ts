// tillbell hooks: what REST shows and does, for the operator beside a running service.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { deliveriesChannel } from '../src/join-hooks.ts'
import { answered } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { openCommandLine, refusedWith } from './support/command.ts'
import { type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const tillbell = openCommandLine()

let service: TestService
let receiver: MerchantEndpoint
let says = 200
before(async () => {
  service = await startTestService()
  receiver = await startEndpoint(response => void response.writeHead(says).end('noted'))
})
after(async () => {
  await receiver.close()
  await service.stop()
})

const run = (t: TestContext, words: string[]) => {
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
  return tillbell(t, ['hooks', ...words], place)
}

async function json(t: TestContext, words: string[]) {
  const { code, stdout, stderr } = await run(t, [...words, '--json'])
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

async function sell(client: Client, number?: string): Promise<string> {
  const { json } = await client.charge(await client.makeOffer(), await client.storeCard(number))
  return json.transaction.id
}

const listed = async (client: Client, query = '') =>
  answered(await client.ask(`hook_deliveries?${query}`), 200).json as {
    id: string
    attempts: number
    endpoint: string
  }[]

test('deliveries are listed, shown and sent again as over REST', async t => {
  const seller = await service.newMerchant()
  const of = ['--merchant', seller.merchant]
  assert.equal((await run(t, ['list', ...of])).stdout, 'There are none.\n')
  for (const kind of ['pre_sale', 'transaction', 'error']) {
    answered(await seller.ask('hook_endpoints', { form: { kind, url: receiver.url } }), 200)
  }
  const sold = await sell(seller)
  await sell(seller, '4012888888881881')
  const attempted = (id: string, times: number) =>
    until(`${times} attempts`, async () => (await listed(seller)).find(row => row.id === id)?.attempts === times)
  for (const { id } of await listed(seller)) await attempted(id, 1)

  assert.deepEqual(await json(t, ['list', ...of]), await listed(seller))
  const two = await json(t, ['list', ...of, '--limit', '2'])
  assert.deepEqual(two, (await listed(seller)).slice(0, 2))
  const [{ endpoint = '' } = {}] = await listed(seller, 'kind=transaction')
  const filter = ['--transaction', sold, '--kind', 'transaction', '--state', 'delivered', '--endpoint', endpoint]
  const [sent, ...others] = await json(t, ['list', ...of, ...filter])
  assert.deepEqual([sent.kind, sent.transaction, others.length], ['transaction', sold, 0])
  assert.deepEqual(await json(t, ['list', ...of, '--after', two.at(-1)?.id ?? '']), (await listed(seller)).slice(2))
  const table = (await run(t, ['list', ...of])).stdout.split('\n')
  assert.match(table[0] ?? '', /^ID +CREATED +KIND +STATE +ATTEMPTS +NEXT ATTEMPT +URL$/)
  assert.equal(table.length, 6)
  const starts = table.slice(0, -1).map(line => line.lastIndexOf('  '))
  assert.equal(new Set(starts).size, 1, 'the columns stand under each other')

  const whole = answered(await seller.ask(`hook_deliveries/${sent.id}`), 200).json.hook_delivery
  assert.deepEqual(await json(t, ['show', sent.id, ...of]), whole)
  const text = (await run(t, ['show', sent.id.toUpperCase(), ...of])).stdout
  assert.match(text, /^state: delivered$/m)
  assert.match(text, /^1 +\S+ +200 +\d+ ms\n {2}noted$/m, 'with what the endpoint answered')
  assert.ok(text.endsWith(`\nsignature: ${whole.signature}\n${whole.details}\n`))

  let heard = false
  const hear = () => {
    heard = true
  }
  const listening = await service.database.sql.listen(deliveriesChannel, hear, () => {})
  t.after(() => listening.unlisten())
  says = 500
  assert.match((await run(t, ['resend', sent.id, ...of])).stdout, /^\S+ will be sent again\.\n$/)
  await until('the workers hear of it', async () => heard)
  await attempted(sent.id, 2)
  says = 200
  const again = await json(t, ['resend', sent.id, ...of])
  assert.deepEqual([again.id, again.attempts], [sent.id, 2])
  await attempted(sent.id, 3)
})

test('what cannot be shown or sent again is one sentence', async t => {
  const [seller, stranger] = [await service.newMerchant(), await service.newMerchant()]
  answered(await seller.ask('hook_endpoints', { form: { kind: 'pre_sale', url: receiver.url } }), 200)
  await sell(seller)
  const [asked] = await listed(seller)
  const id = asked?.id ?? ''
  refusedWith(await run(t, ['resend', id, '--merchant', seller.merchant]), 1, /Pre-Sale is asked once/)
  refusedWith(await run(t, ['resend', id, '--merchant', stranger.merchant]), 4, /no such delivery/)
  refusedWith(await run(t, ['show', id, '--merchant', stranger.merchant]), 4, /no such delivery/)
  refusedWith(await run(t, ['show', 'x', '--merchant', seller.merchant]), 4, /no such delivery/)
  refusedWith(await run(t, ['list', '--merchant', 'm_nobody']), 4, /no merchant m_nobody/)
})
