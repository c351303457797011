// Whatever a merchant, a customer or a gateway writes, and however many bytes it has: what happened at the gateway is
// written down, and its notification has at most 64 KiB.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, answeredAbout, booked, refused, writingNothing } from './support/answers.ts'
import { audited } from './support/audited.ts'
import type { Client } from './support/client.ts'
import { payOnPage } from './support/plain-forms.ts'
import { startTestService, type TestService } from './support/service.ts'

const detailsBytesMax = 65_536

let service: TestService
let seller: Client & { readonly merchant: string }
before(async () => {
  service = await startTestService()
  seller = await service.newMerchant()
})
after(() => service.stop())

/** Filled with as much `custom_data` as the interface takes, by halving what is left to try. */
async function largestOffer(more: { readonly [name: string]: unknown }): Promise<string> {
  let made: string | null = null
  let size = 0
  for (let step = 16_384; step >= 64; step /= 2) {
    const custom_data = { filler: 'x'.repeat(size + step) }
    const answer = await seller.ask('offers', { json: { amount: '100.00', custom_data, ...more } })
    if (answer.status === 422) continue
    size += step
    made = answered(answer, 200).json.offer.offer_id
  }
  return made ?? assert.fail('no offer was accepted')
}

const lengths = {
  first_name: 100,
  last_name: 100,
  street: 200,
  street2: 200,
  city: 100,
  state: 100,
  zip: 20,
  phone: 40,
}

/** As long as the page takes it: a page counts UTF-16 units. */
function longestForm(character: string): { readonly [name: string]: string } {
  const filled = (length: number) => character.repeat(Math.floor(length / character.length))
  const lines = Object.entries(lengths).map(([name, length]) => [name, filled(length)])
  const answers = [1, 2, 3, 4].map(number => [`answer_${number}`, filled(500)])
  return { ...Object.fromEntries([...lines, ...answers]), country: 'US', email: 'ada@example.com' }
}

async function detailsOf(transaction: string, type: string) {
  const [event] = await service.database.sql<{ details: string }[]>`select details from event
    where transaction_id = ${transaction} and type = ${type}`
  const text = event?.details ?? assert.fail(`there is no ${type} event`)
  const bytes = Buffer.byteLength(text)
  assert.ok(bytes <= detailsBytesMax, `${bytes} bytes`)
  return JSON.parse(text)
}

for (const [name, character] of Object.entries({ CJK: '语', emoji: '😀', 'combining characters': 'e\u0301' })) {
  test(`a refund with notes of 2,500 characters (${name}) for the largest offer is written down`, async () => {
    const length = Math.floor(2_500 / [...character].length)
    const custom_fields = ['a', 'b', 'c', 'd'].map(name => ({ name }))
    // An offer repeats its details four times.
    const [details, title] = [character.repeat(Math.floor(length / 2)), character.repeat(100)]
    const offer = await largestOffer({ details, title, custom_fields, address: 'shipping' })
    const referrer_context = '语'.repeat(255)
    const id = await payOnPage(service.baseUrl, offer, { ...longestForm(character), referrer_context })
    await detailsOf(id, 'success')
    const notes = character.repeat(length)
    const form = { transaction: id, user: '语'.repeat(255), notes }
    const answer = answeredAbout(await seller.ask('transactions/refunds', { form }), 200)
    assert.equal(answer.json.transaction.refund.refunded_reason, notes, 'the record has all of it')
    assert.deepEqual(await booked(service.database.sql, 'refund', [id]), { count: 1, sumMinor: 10_000n })
    const { refund, truncated } = await detailsOf(id, 'refund')
    assert.equal(refund.refunded_reason, notes)
    assert.equal(truncated, undefined, 'what is accepted fits')
    await audited(service.database.sql)
  })
}

test('an input of too many bytes is refused with its name, and nothing is written', async () => {
  const { id } = answered(await seller.charge(await seller.makeOffer(), await seller.storeCard()), 200).json.transaction
  // A control character is one character, and six bytes of JSON.
  const cases: readonly [string, () => ReturnType<Client['ask']>][] = [
    ['notes', () => seller.ask('transactions/refunds', { form: { transaction: id, notes: '\u0001'.repeat(2_500) } })],
    ['details', () => seller.ask('offers', { json: { amount: '1.00', details: '\u0001'.repeat(2_500) } })],
  ]
  for (const [field, ask] of cases) {
    const answer = await writingNothing(service.database.sql, ask)
    refused(answer, 422, [field])
    assert.match(answer.json.errors[field], new RegExp(`^${field} .*bytes`))
  }
})
