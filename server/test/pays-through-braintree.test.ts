// A merchant whose gateway is Braintree, which keeps no keys and can fence nothing: what is found there settles doubt, and
// what is not waits for a person. Nothing is ever sent twice.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { declineCodes, notSentCodes } from '../src/core/gateway.ts'
import type { MerchantId } from '../src/core/ids.ts'
import { answered, answeredAbout, refused, writingNothing } from './support/answers.ts'
import { audited } from './support/audited.ts'
import type { Answers } from './support/braintree/faults.ts'
import { type FakeBraintree, openFakeBraintree } from './support/braintree/server.ts'
import type { Client } from './support/client.ts'
import { tillbell } from './support/command.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let braintree: FakeBraintree
let shop: Client & { readonly merchant: string }
let gateway: string
before(async () => {
  service = await startTestService()
  braintree = await openFakeBraintree()
  shop = await service.newMerchant()
  const json = { type: 'braintree', credentials: braintree.credentials, default: true }
  gateway = answered(await shop.ask('gateways', { json }), 200).json.gateway.id
})
after(async () => {
  await audited(service.database.sql, shop.merchant as MerchantId)
  await service.stop()
  await braintree.close()
})

type Form = { readonly [name: string]: string }

async function store(reference = 'fake-valid-visa-nonce'): Promise<string> {
  const form = { email: 'ada@example.com', reference }
  return answered(await shop.ask('credit_cards', { form }), 200).json.card.service_token
}

async function charge({ amount = '100.00', more = {}, card }: { amount?: string; more?: Form; card?: string } = {}) {
  return shop.charge(await shop.makeOffer({ amount }), card ?? (await store()), { form: more })
}

const ask = (path: string, form: Form = {}) => shop.ask(path, { method: 'POST', form })
const refund = (transaction: string, more: Form = {}) => ask('transactions/refunds', { transaction, ...more })
const failSale = (answers: Answers, executes = true) =>
  braintree.failNext({ at: /^POST \/transactions$/, executes, answers })
const sales = () => braintree.asked.filter(line => line === 'POST /transactions').length

async function record(id: string) {
  return answered(await shop.ask(`transactions/${id}`), 200).json.transaction
}

async function advance(seconds: number): Promise<void> {
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
}

function command(t: TestContext, ...words: string[]) {
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
  return tillbell(t, words, place)
}

test('a charge takes the money once, under the ids of the transaction and the operation', async () => {
  const { transaction } = answeredAbout(await charge(), 200).json
  const { id, status, amount, net_amount, customer } = transaction
  assert.deepEqual([status, amount, net_amount, transaction.gateway], ['Successful', '100.00', null, gateway])
  assert.deepEqual([customer.card_mask, customer.card_type], ['1881', 'visa'])
  const [operation] = await service.database.sql`select id, gateway_ref from operation where transaction_id = ${id}`
  const { gatewayRef, operationId } = braintree.ledger().find(row => row.transactionId === id) ?? assert.fail()
  assert.deepEqual([operation?.gatewayRef, operation?.id], [gatewayRef, operationId])
  assert.equal(braintree.balanceOf(id), 100_00n)
})

test('a decline is 402 with its code, and takes nothing', async () => {
  const { json } = answeredAbout(await charge({ amount: '2001.00' }), 402)
  assert.deepEqual([json.transaction.status, json.transaction.error_code], ['Failed', 'insufficient_funds'])
  assert.deepEqual(json.errors, { general: declineCodes.insufficient_funds })
  assert.equal(braintree.balanceOf(json.transaction.id), 0n)
})

test('what Braintree certainly did not carry out is 502, named, in a sentence for the merchant', async () => {
  const card = await store()
  for (const [answers, code] of [
    [401, 'gateway_credentials_refused'],
    [429, 'gateway_busy'],
    ['suspended account', 'gateway_account_suspended'],
    ['error in a 200', 'gateway_refused'],
  ] as const) {
    failSale(answers, false)
    const { json } = answeredAbout(await charge({ card }), 502)
    assert.deepEqual([json.transaction.status, json.transaction.error_code], ['Failed', code])
    assert.equal(json.errors.general, `${notSentCodes[code]}; the card was not charged.`)
  }
})

test('an authorisation is captured in part, or released', async () => {
  const more = { authorization_only: 'true' }
  const captured = answeredAbout(await charge({ more }), 200).json.transaction.id
  const { transaction } = answeredAbout(await ask(`transactions/${captured}/capture`, { amount: '25.00' }), 200).json
  assert.equal(transaction.status, 'Successful')
  assert.equal(braintree.balanceOf(captured), 25_00n)
  const released = answeredAbout(await charge({ more }), 200).json.transaction.id
  assert.equal(answeredAbout(await ask(`transactions/${released}/void`), 200).json.transaction.status, 'Voided')
  assert.equal(braintree.balanceOf(released), 0n)
})

test('before settlement only all of it is given back, after settlement any part', async () => {
  const whole = answeredAbout(await charge(), 200).json.transaction.id
  const part = answeredAbout(await refund(whole, { amount: '30.00' }), 402)
  assert.deepEqual(part.json.errors, { general: declineCodes.wrong_state })
  assert.equal(answeredAbout(await refund(whole), 200).json.transaction.status, 'Refunded')
  assert.equal(braintree.balanceOf(whole), 0n)

  const settled = answeredAbout(await charge(), 200).json.transaction.id
  braintree.settleAll()
  const first = answeredAbout(await refund(settled, { amount: '30.00' }), 200).json.transaction
  assert.equal(first.status, 'Partially Refunded')
  assert.equal(answeredAbout(await refund(settled), 200).json.transaction.status, 'Refunded')
  assert.equal(braintree.balanceOf(settled), 0n)
})

test('a lost answer is doubt that a lookup ends: by the charge that was made, or by its decline', async () => {
  const doubtful: [string, string][] = []
  for (const [answers, amount, status] of [
    ['reset', '100.00', 'Successful'],
    ['html', '100.00', 'Successful'],
    ['truncated', '2001.00', 'Failed'],
    [500, '100.00', 'Successful'],
  ] as const) {
    failSale(answers)
    const { json } = answeredAbout(await charge({ amount }), 202)
    assert.deepEqual([json.transaction.status, json.errors], ['Processing', null], String(answers))
    doubtful.push([json.transaction.id, status])
  }
  const sent = sales()
  await advance(10)
  for (const [id, status] of doubtful) {
    assert.equal((await record(id)).status, status)
    assert.equal(braintree.balanceOf(id), status === 'Failed' ? 0n : 100_00n)
  }
  assert.equal(sales(), sent)
})

test('a refund, a capture and a void whose answer is lost are settled by what Braintree shows', async () => {
  const failChange = () =>
    braintree.failNext({ at: /^(PUT|POST) \/transactions\/\w+\/\w+$/, executes: true, answers: 'reset' })
  const held = async () =>
    answeredAbout(await charge({ more: { authorization_only: 'true' } }), 200).json.transaction.id as string
  const [captured, released] = [await held(), await held()]
  const sold: string = answeredAbout(await charge(), 200).json.transaction.id
  failChange()
  answeredAbout(await ask(`transactions/${captured}/capture`), 202)
  failChange()
  answeredAbout(await ask(`transactions/${released}/void`), 202)
  failChange()
  answeredAbout(await refund(sold), 202)
  await advance(10)
  const statuses = await Promise.all([captured, released, sold].map(async id => (await record(id)).status))
  assert.deepEqual(statuses, ['Successful', 'Voided', 'Refunded'])
  assert.deepEqual([captured, released, sold].map(braintree.balanceOf), [100_00n, 0n, 0n])
})

test('a charge that is not found is no failure: it waits for a person, who settles it on record', async t => {
  failSale('reset', false)
  const { id } = answeredAbout(await charge(), 202).json.transaction
  const sent = sales()
  await advance(4 * 86_400)
  assert.equal((await record(id)).status, 'Processing')
  const [operation = assert.fail()] = await service.database.sql`
    select id, outcome, sendings, for_person from operation where transaction_id = ${id}`
  assert.deepEqual([operation.outcome, operation.sendings, sales()], ['unknown', 1, sent])
  assert.match(String(operation.forPerson), /three days/)
  const shown = await command(t, 'doubt', 'show', String(operation.id))
  assert.match(shown.stdout, /advanced_search_ids: HTTP 200/)
  const decided = ['--as', 'not-made', '--by', 'Ada', '--note', 'Not in the Control Panel.']
  const { code, stderr } = await command(t, 'doubt', 'resolve', String(operation.id), ...decided)
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal((await record(id)).status, 'Failed')
  assert.equal(braintree.balanceOf(id), 0n)
})

test('wrong keys, another mode and merchant accounts that do not fit connect nothing', async () => {
  const merchant = await service.newMerchant()
  const { credentials } = braintree
  for (const [more, status, field] of [
    [{ private_key: 'wrongwrong' }, 422, 'credentials'],
    [{ environment: 'production' }, 422, 'credentials'],
    [{ merchant_accounts: { USD: 'shop_eur' } }, 422, 'credentials'],
    [{ api_base: 'http://127.0.0.1:1' }, 502, 'general'],
  ] as const) {
    const json = { type: 'braintree', credentials: { ...credentials, ...more } }
    const answer = await writingNothing(service.database.sql, () => merchant.ask('gateways', { json }))
    refused(answer, status, [field])
    assert.doesNotMatch(answer.text, /wrongwrong|private4tests/)
  }
})

test('in the end both lists agree, and no key was said or logged', async t => {
  // The service's clock was moved on and Braintree's was not.
  const from = new Date(Date.now() - 86_400_000).toISOString()
  const to = new Date(Date.now() + 10 * 86_400_000).toISOString()
  const { code, stdout } = await command(t, 'reconcile', '--gateway', gateway, '--from', from, '--to', to)
  assert.equal(code, 0, stdout)
  const answers = [await shop.ask('gateways'), await shop.ask('transactions'), await shop.ask('credit_cards')]
  const said = answers.map(({ text }) => text).join('') + service.logged()
  assert.doesNotMatch(said, /private4tests|public4tests|nonce/)
})
