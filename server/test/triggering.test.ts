// `tillbell trigger` against a running service: each kind makes the real thing happen, and says which hooks are owed for it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NotFoundError, UsageError } from '../src/cli/command.ts'
import { parsedWords } from '../src/cli/parsed-words.ts'
import { trigger } from '../src/cli/trigger.ts'
import { type TriggerName, triggerKinds } from '../src/cli/trigger-kinds.ts'
import { readConfig } from '../src/config.ts'
import { openLog } from '../src/observe/log.ts'
import { answered, refused } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startApp } from './support/listening.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  const { inbox_url: inbox } = service.demoSheet
  for (const [kind, path] of [
    ['pre_sale', 'presale'],
    ['update', 'update'],
  ] as const)
    answered(await service.demo.ask('hook_endpoints', { form: { kind, url: `${inbox}/${path}` } }), 200)
})
after(() => service.stop())

/** As the demo merchant, unless words say otherwise. */
async function triggered(words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const printed: string[] = []
  const given = parsedWords('trigger', trigger, words)
  const config = readConfig({ TILLBELL_DATA: service.dataFolder })
  const code = await trigger.run({ config, log: openLog('silent'), print: text => void printed.push(text), ...given })
  return { code, said: printed.join('\n') }
}

async function asJson(words: readonly string[]) {
  const { code, said } = await triggered([...words, '--json'])
  return { code, ...JSON.parse(said) }
}

interface Arrived {
  readonly verified: boolean
  readonly details: { readonly transaction: string; readonly type: string }
}

/** The types of what the merchant's inbox has been told of a transaction. */
async function told(id: string): Promise<string[]> {
  const answer = await fetch(`${service.demoSheet.inbox_url}/hooks`)
  const { hooks } = (await answer.json()) as { hooks: readonly Arrived[] }
  const own = hooks.filter(({ details }) => details.transaction === id)
  assert.ok(own.every(({ verified }) => verified))
  return own.map(({ details }) => details.type).sort()
}

const outcomes: { readonly [name in TriggerName]: readonly [status: string, told: readonly string[]] } = {
  pre_sale: ['Successful', ['pre_sale', 'success']],
  transaction: ['Successful', ['pre_sale', 'success']],
  authorization: ['Authorized', ['pre_sale', 'success']],
  capture: ['Successful', ['pre_sale', 'success', 'success']],
  far: ['Further Action Required', ['far', 'pre_sale']],
  error: ['Failed', ['error', 'pre_sale']],
  refund: ['Refunded', ['pre_sale', 'refund', 'success']],
  void: ['Voided', ['pre_sale', 'success', 'void']],
  dispute: ['Successful', ['dispute', 'pre_sale', 'success']],
}

for (const [name, [status, hooks]] of Object.entries(outcomes)) {
  test(`${name}: the transaction is ${status}, and its hooks arrive, signed`, async () => {
    const happened = await asJson([name])
    assert.deepEqual([happened.code, happened.as_wanted], [0, true])
    const { id } = happened.transaction
    const shown = answered(await service.demo.ask(`transactions/${id}`), 200).json.transaction
    assert.deepEqual([shown.status, happened.transaction.status, shown.amount], [status, status, '25.00'])
    assert.equal(shown.dispute?.status, name === 'dispute' ? 'open' : undefined)
    const owed = happened.hooks.map(({ kind }: { kind: string }) => kind)
    assert.ok(owed.includes(triggerKinds[name as TriggerName].hook), owed)
    assert.equal(owed.length, hooks.length)
    await until('its hooks have arrived', async () => (await told(id)).length === hooks.length)
    assert.deepEqual(await told(id), hooks)
  })
}

test('the same offer and cards serve again, one offer for each amount', async () => {
  const counts = async () => {
    const [offers, cards] = await Promise.all([
      service.demo.ask('offers?limit=100'),
      service.demo.ask('credit_cards?email=trigger@example.com'),
    ])
    return [offers.json.length, cards.json.length]
  }
  await triggered(['transaction'])
  const earlier = await counts()
  await triggered(['transaction', '--amount', '25'])
  await triggered(['error'])
  assert.deepEqual(await counts(), earlier)
  assert.equal((await asJson(['transaction', '--amount', '12.50'])).transaction.amount, '12.50')
  assert.deepEqual(await counts(), [Number(earlier[0]) + 1, earlier[1]])
})

test('an offer of the merchant’s own is charged where it is asked for', async () => {
  const offer = await service.demo.makeOffer({ amount: '7.77' })
  assert.equal((await asJson(['transaction', '--offer', offer])).transaction.amount, '7.77')
  for (const none of ['0192aaaa-0000-7000-8000-000000000002', 'nope'])
    await assert.rejects(
      triggered(['transaction', '--offer', none]),
      error => error instanceof NotFoundError && error.message.startsWith('--offer '),
    )
})

const credentials = ({ authorization }: Client) => {
  const [key = '', secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
  return ['--url', service.baseUrl, '--key', key, '--secret', secret]
}

test('it says in words what happened, and that nothing will be sent where nobody is to be told', async () => {
  const { said } = await triggered(['refund'])
  assert.match(
    said,
    /^Transaction \S+ is Successful \(25\.00\)\.\nTransaction \S+ is Refunded \(25\.00\)\.\nHOOK +STATE +TO\n/,
  )
  assert.match(said, /\nupdate +(?:pending|delivered) +http:\S+\/update$/)
  const shop = await service.newMerchant()
  const transactionAlone = { kind: 'transaction', url: `${service.demoSheet.inbox_url}/transaction` }
  answered(await shop.ask('hook_endpoints', { form: transactionAlone }), 200)
  const half = (await triggered(['refund', ...credentials(shop)])).said
  assert.match(half, /\ntransaction +\w+ +http:\S+\nNothing will be sent: no endpoint for this kind \(update\)/)
  const nobody = credentials(await service.newMerchant())
  for (const [name, says] of [
    ['transaction', 'Nothing will be sent: no endpoint for this kind (transaction); run tillbell listen.'],
    ['dispute', 'Nothing will be sent: no endpoint for this kind (update); run tillbell listen.'],
    ['pre_sale', 'Nobody was asked: there is no endpoint for pre_sale; run tillbell listen.'],
  ] as const) {
    const { code, said } = await triggered([name, ...nobody])
    assert.deepEqual([code, said.split('\n').at(-1)], [0, says])
  }
  const disputed = (await triggered(['dispute', ...nobody])).said
  assert.match(disputed, /^Transaction \S+ is Successful \(25\.00\)\.\nIts dispute over 25\.00 is open\.\n/)
  assert.match((await triggered(['far', ...nobody])).said, /\nThe customer goes on at http:\S+\/offers\/\S+\n/)
})

test('what comes in between is told, and ends with 1', async t => {
  const shop = await service.newMerchant()
  answered(await shop.ask('hook_endpoints', { form: { kind: 'pre_sale', url: 'http://127.0.0.1:1/' } }), 200)
  const { code, said } = await triggered(['refund', ...credentials(shop)])
  assert.equal(code, 1)
  assert.match(
    said,
    /^Transaction \S+ is Failed \(25\.00\)\. .*\nIt did not go as was asked for\.\nPre-Sale at http:\S+ was not answered: .+\.\nHOOK/,
  )
  assert.match(said, /\npre_sale +no answer +http:\S+$/, 'no endpoint is missing: there was nothing to tell')
  const soldOut = await startApp()
  t.after(() => soldOut.close())
  soldOut.answers['/'] = 409
  const hat = await service.newMerchant()
  const preSale = { kind: 'pre_sale', url: `http://127.0.0.1:${soldOut.port}/` }
  answered(await hat.ask('hook_endpoints', { form: preSale }), 200)
  const stopped = await triggered(['transaction', ...credentials(hat)])
  assert.equal(stopped.code, 1)
  assert.match(stopped.said, /\nPre-Sale at http:\S+ was answered with 409: only 2xx lets a sale go on\.\nHOOK/)
  assert.match(stopped.said, /\npre_sale +answered 409 +http:\S+$/)
  assert.equal(
    (await asJson(['transaction', '--amount', '4000.02'])).refusal,
    'The card was declined: insufficient funds.',
  )
})

test('of a listener that does not answer, it says what to do', async () => {
  const shop = await service.newMerchant()
  const { hook_listener: listener } = answered(
    await shop.ask('hook_listeners', { json: { name: 'vm-3001' } }),
    200,
  ).json
  await service.database.sql`update hook_listener set present_until = now() where id = ${listener.id}`
  const { code, said } = await triggered(['transaction', ...credentials(shop)])
  assert.equal(code, 1)
  assert.match(said, /\nPre-Sale at listen:\/\/vm-3001 was not answered: Nobody listens: .+ for a minute more\.\n/)
})

test('what makes no sense is refused before anything is asked', async () => {
  const transactions = async () => answered(await service.demo.ask('transactions?limit=100'), 200).json.length
  const before = await transactions()
  for (const words of [['sale'], ['transaction', '--amount', ' '], ['error', '--amount', '1', '--offer', 'x']])
    await assert.rejects(triggered(words), UsageError)
  for (const amount of ['1e3', '0', '-1'])
    await assert.rejects(
      triggered(['transaction', '--amount', amount]),
      error => error instanceof UsageError && error.message.startsWith('--amount '),
      amount,
    )
  assert.equal(await transactions(), before)
})

test('the sandbox plays the bank that disputes a payment, and decides it for good', async () => {
  const { demo } = service
  const { id } = (await asJson(['transaction'])).transaction
  const dispute = (form: { [name: string]: string }, headers = {}) => demo.ask('sandbox/disputes', { form, headers })
  const key = { 'idempotency-key': 'one-dispute' }
  const opened = answered(await dispute({ transaction: id, amount: '10.00' }, key), 200)
  assert.equal((await dispute({ transaction: id, amount: '10.00' }, key)).text, opened.text)
  const { opened_at, ...said } = opened.json.transaction.dispute
  assert.deepEqual(said, { status: 'open', amount: '10.00', reason: 'fraudulent' })
  const won = answered(await dispute({ transaction: id, status: 'won' }), 200).json.transaction
  assert.deepEqual(won.disputes, [{ ...said, status: 'won', opened_at }])
  refused(await dispute({ transaction: id, status: 'lost' }), 409, ['status'])
  refused(await dispute({ transaction: id, status: 'won', amount: '9.00' }), 409, ['amount'])
  answered(await dispute({ transaction: id, status: 'won', amount: '10.00' }), 200)
  const events = await service.database
    .sql`select details::json -> 'dispute' ->> 'status' as status from event where transaction_id = ${id} and kind = 'update' order by id`
  assert.deepEqual(
    events.map(({ status }) => status),
    ['open', 'won'],
  )
})

test('only money that was taken, at the sandbox and by this merchant, can be disputed', async () => {
  const dispute = (client: Client, form: { [name: string]: string }) => client.ask('sandbox/disputes', { form })
  const [{ transaction: held }, { transaction: paid }] = [
    await asJson(['authorization']),
    await asJson(['transaction']),
  ]
  refused(await dispute(service.demo, { transaction: held.id }), 409, ['transaction'])
  refused(await dispute(service.demo, { transaction: paid.id, amount: '25.01' }), 422, ['amount'])
  refused(await dispute(service.demo, { transaction: paid.id, amount: '1e1' }), 422, ['amount'])
  refused(await dispute(service.demo, { transaction: paid.id, status: 'closed' }), 422, ['status'])
  refused(await dispute(service.demo, { transaction: 'none' }), 404, ['transaction'])
  const other = await service.newMerchant()
  refused(await dispute(other, { transaction: paid.id }), 404, ['transaction'])
  const { transaction: elsewhere } = await asJson(['transaction', ...credentials(other)])
  await service.database.sql`update gateway set type = 'stripe' where merchant_id = ${other.merchant}`
  refused(await dispute(other, { transaction: elsewhere.id }), 409, ['transaction'])
})
