// What customers may pay by mail and which mails they get, set by REST.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const plain = {
  payments: true,
  amount_max: '500.00',
  day_amount_max: '1000.00',
  day_payments_max: 10,
  public_charge_at_once: false,
  personal_charge_at_once: true,
  sentences: [],
  receipts: true,
  further_actions: true,
  errors: true,
  unsigned_authorizations: true,
}

const change = (of: Client, json: object, headers = {}) => of.ask('mail_settings', { method: 'PATCH', json, headers })
const shown = async (of: Client) => answered(await of.ask('mail_settings'), 200).json.mail_settings

test('what is named changes, the rest stays as it is, and another merchant has the defaults', async () => {
  const [merchant, other] = [await service.newMerchant(), await service.newMerchant()]
  assert.deepEqual(await shown(merchant), plain)
  const first = { ...plain, amount_max: '50.00', errors: false }
  const named = { amount_max: '50', errors: false }
  assert.deepEqual(answered(await change(merchant, named), 200).json, { mail_settings: first })
  const second = { ...first, day_amount_max: null, day_payments_max: 3 }
  assert.deepEqual(
    answered(await change(merchant, { day_amount_max: null, day_payments_max: 3 }), 200).json.mail_settings,
    second,
  )
  assert.deepEqual(await shown(merchant), second)
  const form = { amount_max: '', day_payments_max: '', errors: 'true', receipts: 'false' }
  assert.deepEqual(answered(await merchant.ask('mail_settings', { method: 'PATCH', form }), 200).json.mail_settings, {
    ...second,
    ...{ amount_max: null, day_payments_max: null, errors: true, receipts: false },
  })
  assert.deepEqual(await shown(other), plain)
})

test('what makes no sense is refused by its name, and changes nothing', async () => {
  const merchant = await service.newMerchant()
  for (const [field, values] of Object.entries({
    amount_max: ['0', '-5', '1.234', '1e3', 'much', 5, true, {}],
    day_amount_max: ['0.00', '1,000.00', []],
    day_payments_max: [0, -1, 1.5, 'x', 1_000_001],
    payments: ['no', 0, null],
    public_charge_at_once: ['no', 0, null],
    personal_charge_at_once: ['no', 0, null],
    sentences: ['yes', [''], [5], 'null', [['x']]],
    receipts: ['yes', 1, null],
    further_actions: [''],
    errors: ['0'],
  })) {
    for (const value of values)
      refused(await change(merchant, { [field]: value, receipts: field === 'receipts' ? value : false }), 422, [field])
  }
  refused(await change(merchant, {}), 422, ['general'])
  assert.deepEqual(await shown(merchant), plain)
})

test('those who change different things at once lose nothing, and a key changes them once', async () => {
  const merchant = await service.newMerchant()
  const wanted = { amount_max: '1.00', day_amount_max: '2.00', day_payments_max: 3, receipts: false, errors: false }
  const answers = await Promise.all(Object.entries(wanted).map(([name, value]) => change(merchant, { [name]: value })))
  for (const answer of answers) answered(answer, 200)
  assert.deepEqual(await shown(merchant), { ...plain, ...wanted })
  const headers = { 'Idempotency-Key': 'once' }
  const first = answered(await change(merchant, { amount_max: '7.00' }, headers), 200)
  await change(merchant, { amount_max: '8.00' })
  assert.equal(answered(await change(merchant, { amount_max: '7.00' }, headers), 200).text, first.text)
  assert.equal((await shown(merchant)).amount_max, '8.00')
})
