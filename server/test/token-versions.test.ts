// The version of a token lies outside its box. Where the box does not say it, whoever has the token can change it: the token as its maker
// wrote it works all the same, and what is left of its box is shared by both.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { paymentMail } from '@tillbell/sdk/payment-mail'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered, refused } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { type Answer, type Client, encodeForm, send as request } from './support/client.ts'
import {
  type FilledMail,
  filledBy,
  type MailWorld,
  mailDomain,
  sendSigned,
  startMailWorld,
} from './support/mail-world.ts'
import { type OlderToken, olderToken } from './support/older-client.ts'
import { payOnPage } from './support/plain-forms.ts'
import { until } from './support/until.ts'

let world: MailWorld
let demo: Client & { readonly card: string }
before(async () => {
  world = await startMailWorld({ TILLBELL_TRUSTED_PROXIES: '127.0.0.1' })
  demo = world.service.demo
  await set({ public_charge_at_once: true })
})
after(() => world.stop())

const set = async (settings: { readonly [name: string]: boolean }) =>
  answered(await demo.ask('mail_settings', { method: 'PATCH', json: settings }), 200)

interface Forms {
  readonly sale: string
  readonly hold: string
}

/** The same box without a version, which charges, and with version 2, which authorises only. */
function forms(target: string, userData: object = {}, more: Partial<OlderToken> = {}): Forms {
  const { demoSheet } = world.service
  const keys = {
    partnerId: Number(demoSheet.partner_id),
    privateKey: demoSheet.private_key,
    servicePublicKey: String(demoSheet.service_public_key),
  }
  const said = JSON.stringify({ item_name: 'Deposit', ...userData })
  const hold = olderToken(keys, { target, amount: 30, userData: said, version: 2n, ...more })
  return { sale: hold.replace(/^@[^~]+~/, '@'), hold }
}

const firstShown = ['sale', 'hold'] as const

let clients = 0
function register(token: string): Promise<Answer> {
  const address = `198.51.100.${clients++ % 256}`
  return request(`${world.service.baseUrl}/token/registrations`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address },
    body: encodeForm({ token }),
  })
}
const offerOf = async (token: string): Promise<string> => answered(await register(token), 200).json.id
const doesNotOpen = async (token: string) => refused(await register(token), 422, ['token'])
const shownOffer = async (id: string) => answered(await demo.ask(`offers/${id}`), 200).json.offer
const inspect = async (token: string) =>
  answered(await demo.ask('tokens/inspections', { form: { token } }), 200).json.token
const stockOf = async (offer: string): Promise<number> => (await shownOffer(offer)).stock

async function emailWith(token: string): Promise<FilledMail> {
  const merchant = answered(await demo.ask('payment_page'), 200).json.payment_page.name
  return filledBy(
    paymentMail({ token, mailDomain, merchant, amount: '30.00', currency: 'USD', title: 'Deposit' }).mailTo,
  )
}

const send = async (from: string, token: string) => {
  const mail = await emailWith(token)
  return sendSigned(world, from, mail.to, mail)
}

/** What came of the newest email of this customer: the status of its payment, or why there is none. */
async function outcomeOf(from: string, count: number): Promise<string> {
  const { sql } = world.service.database
  const processed = () => sql<{ status: string | null; closedBecause: string | null }[]>`
    select t.status, l.closed_because from letter l left join transaction t on t.id = l.transaction_id
    where l.sender = ${from} and l.state = 'done' and t.status is distinct from 'Processing' order by l.id desc`
  await until('the email is processed', async () => (await processed()).length === count)
  const [newest] = await processed()
  return newest?.status ?? newest?.closedBecause ?? assert.fail()
}

let customers = 0
async function newCustomer(): Promise<{ email: string; card: string }> {
  const email = `ada-${customers++}@example.org`
  return { email, card: await demo.storeCard('4111111111111111', { email, first_name: 'Ada' }) }
}

for (const first of firstShown) {
  const second = first === 'sale' ? 'hold' : 'sale'
  const statuses = { sale: 'Successful', hold: 'Authorized' }

  describe(`a box that is first shown as a ${first}`, () => {
    test('opens as what either token says, and the same token always has the same offer', async () => {
      const tokens = forms('url<>')
      const ids = { [first]: await offerOf(tokens[first]), [second]: await offerOf(tokens[second]) }
      for (const form of firstShown) {
        assert.equal(await offerOf(tokens[form]), ids[form])
        const { authorization_only, title, amount } = await shownOffer(ids[form] ?? '')
        assert.deepEqual([authorization_only, title, amount], [form === 'hold', 'Deposit', '30.00'])
        const { state, reason, offer, authorization_only: authorises } = await inspect(tokens[form])
        assert.deepEqual([state, reason, offer, authorises], ['open', null, ids[form], form === 'hold'])
        const paid = await payOnPage(world.service.baseUrl, ids[form] ?? '', {
          email: 'x@example.org',
          first_name: 'X',
        })
        assert.equal(answered(await demo.ask(`transactions/${paid}`), 200).json.transaction.status, statuses[form])
      }
    })

    test('pays by email as its maker wrote it', async () => {
      const { email } = await newCustomer()
      const tokens = forms(`email<${email}>`)
      await offerOf(tokens[first])
      assert.match(await send(email, tokens[second]), /^250/)
      assert.equal(await outcomeOf(email, 1), statuses[second])
    })

    test('pays one customer once, by email, in whichever form', async () => {
      for (const target of [
        ({ email }: { email: string }) => `email<${email}>`,
        ({ card }: { card: string }) => `card<${card}>`,
      ]) {
        const customer = await newCustomer()
        const tokens = forms(target(customer))
        const ids = [await offerOf(tokens[first]), await offerOf(tokens[second])]
        assert.match(await send(customer.email, tokens[first]), /^250/)
        assert.equal(await outcomeOf(customer.email, 1), statuses[first])
        for (const form of firstShown) {
          assert.match(await send(customer.email, tokens[form]), /^550/)
          await doesNotOpen(tokens[form])
          assert.equal((await inspect(tokens[form])).state, 'used')
        }
        for (const id of ids) refused(await demo.charge(id, customer.card), 422, ['service_offer'])
      }
    })

    test('pays one customer once, on the page, in whichever form', async () => {
      const { email } = await newCustomer()
      const tokens = forms(`email<${email}>`)
      const ids = [await offerOf(tokens[first]), await offerOf(tokens[second])]
      await payOnPage(world.service.baseUrl, ids[0] ?? '', { email, first_name: 'Ada' })
      assert.deepEqual(await Promise.all(ids.map(stockOf)), [0, 0])
      await assert.rejects(payOnPage(world.service.baseUrl, ids[1] ?? '', { email, first_name: 'Ada' }))
      for (const form of firstShown) {
        assert.match(await send(email, tokens[form]), /^550/)
        await doesNotOpen(tokens[form])
      }
    })

    test('for a page pays each sender once, in whichever form', async () => {
      const [ada, bob] = [await newCustomer(), await newCustomer()]
      const tokens = forms('url<>')
      assert.match(await send(ada.email, tokens[first]), /^250/)
      assert.equal(await outcomeOf(ada.email, 1), statuses[first])
      assert.match(await send(ada.email, tokens[second]), /^250/)
      assert.match(await outcomeOf(ada.email, 2), /^Its token was used/)
      assert.match(await send(bob.email, tokens[second]), /^250/)
      assert.equal(await outcomeOf(bob.email, 1), statuses[second])
      assert.match(await send(bob.email, tokens[first]), /^250/)
      assert.match(await outcomeOf(bob.email, 2), /^Its token was used/)
    })

    test('has one stock, which a failure is given back to', async () => {
      const { card } = await newCustomer()
      const tokens = forms('url<>', { item_quantity: 5 })
      const one = await offerOf(tokens[first])
      answered(await demo.charge(one, card, { quantity: 2 }), 200)
      const other = await offerOf(tokens[second])
      const stocks = () => Promise.all([one, other].map(stockOf))
      assert.deepEqual(await stocks(), [3, 3], 'what was sold before the other form was shown counts')
      answered(await demo.charge(other, card, { quantity: 2 }), 200)
      assert.deepEqual(await stocks(), [1, 1])
      refused(await demo.charge(one, card, { quantity: 2 }), 422, ['service_offer'])
      const declined = await demo.storeCard(testCardThat('card_declined').number)
      for (const id of [one, other]) assert.equal((await demo.charge(id, declined)).status, 402)
      assert.deepEqual(await stocks(), [1, 1])
      const tries = Array.from({ length: 8 }, (_, index) => demo.charge(index % 2 === 0 ? one : other, card))
      assert.deepEqual((await Promise.all(tries)).map(({ status }) => status).sort(), [200, ...Array(7).fill(422)])
      assert.deepEqual(await stocks(), [0, 0])
    })

    test('is revoked by either token for both, also before the other is shown', async () => {
      const tokens = forms('url<>')
      const id = await offerOf(tokens[first])
      const { token } = answered(await demo.ask('tokens/revocations', { form: { token: tokens[second] } }), 200).json
      assert.equal(token.offer, id)
      for (const form of firstShown) {
        await doesNotOpen(tokens[form])
        assert.equal((await inspect(tokens[form])).state, 'revoked')
      }
      const both = forms('url<>')
      const ids = [await offerOf(both[first]), await offerOf(both[second])]
      const revoked = answered(await demo.ask('tokens/revocations', { form: { token: both[second] } }), 200).json.token
      assert.equal(revoked.offer, ids[1])
      for (const each of [id, ...ids]) assert.equal((await shownOffer(each)).active, false)
    })

    test('ends for both when the merchant ends either offer, also before the other is shown', async () => {
      const tokens = forms('url<>')
      const id = await offerOf(tokens[first])
      answered(await demo.ask(`offers/${id}`, { method: 'DELETE' }), 200)
      assert.equal((await shownOffer(await offerOf(tokens[second]))).active, false)
      const both = forms('url<>')
      const ids = [await offerOf(both[first]), await offerOf(both[second])]
      const ended = answered(await demo.ask(`offers/${ids[1]}`, { method: 'DELETE' }), 200).json.offer
      assert.deepEqual([ended.offer_id, ended.active], [ids[1], false])
      for (const each of ids) assert.equal((await shownOffer(each)).active, false)
    })
  })
}

test('of many who show both tokens of a box at once, all find the same two offers, with one stock', async () => {
  const { card } = await newCustomer()
  for (let round = 0; round < 5; round += 1) {
    const tokens = forms('url<>', { item_quantity: 1 })
    const shown = await Promise.all(
      Array.from({ length: 8 }, (_, index) => offerOf(tokens[index % 2 === 0 ? 'sale' : 'hold'])),
    )
    const [sale = '', hold = ''] = shown
    assert.deepEqual([new Set(shown).size, sale === hold], [2, false])
    const paid = await Promise.all([sale, hold].map(id => demo.charge(id, card)))
    assert.deepEqual(paid.map(({ status }) => status).sort(), [200, 422])
  }
})

test('one whose box says what it does opens with no other version', async () => {
  for (const authorization_only of [true, false]) {
    const { sale, hold } = forms('url<>', { authorization_only })
    const [genuine, changed] = authorization_only ? [hold, sale] : [sale, hold]
    await doesNotOpen(changed)
    assert.equal((await shownOffer(await offerOf(genuine))).authorization_only, authorization_only)
    await doesNotOpen(changed)
  }
})

test('where tokens may not authorise without saying so, the box is a sale, as every older token is', async () => {
  const { sale, hold } = forms('url<>')
  await set({ unsigned_authorizations: false })
  try {
    await doesNotOpen(hold)
    assert.equal((await shownOffer(await offerOf(sale))).authorization_only, false)
    await doesNotOpen(hold)
  } finally {
    await set({ unsigned_authorizations: true })
  }
  assert.equal((await shownOffer(await offerOf(hold))).authorization_only, true)
})

test('an erased customer leaves neither of the offers that were made from a box for them', async () => {
  const { email } = await newCustomer()
  const tokens = forms(`email<${email}>`)
  const ids = [await offerOf(tokens.sale), await offerOf(tokens.hold)]
  answered(await demo.ask('customers/erasures', { form: { email } }), 200)
  for (const id of ids) {
    const { active, email: left } = await shownOffer(id)
    assert.deepEqual([active, left], [false, null])
  }
  for (const form of firstShown) await doesNotOpen(tokens[form])
})

test('the audit finds nothing wrong', async () => {
  await audited(world.service.database.sql)
})
