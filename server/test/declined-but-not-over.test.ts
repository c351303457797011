// A customer whose bank said no may still have the page open, and Stripe's secret of the payment: until Stripe itself
// refuses it, it is not Failed. Whoever hears of the decline calls the payment off first.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered, answeredAbout } from './support/answers.ts'
import { pressButton } from './support/press-button.ts'
import { openStripeShop } from './support/stripe/shop.ts'
import { until } from './support/until.ts'

const { service, stripe, shop, connected, record } = await openStripeShop()

/** A payment at whose bank the customer is just now, where only the test says who hears what becomes of it. */
async function atTheBank() {
  const asked = await shop.charge(await shop.makeOffer(), await connected.card('pm_card_authenticationRequired'))
  const { id, further_action } = answeredAbout(asked, 202).json.transaction
  await service.database
    .sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where transaction_id = ${id}`
  await pressButton(further_action.signup_url)
  await stripe.webhooks.settled()
  stripe.webhooks.moments = () => []
  const intent = connected.intentOf(id)
  return { id, intent, page: `${further_action.signup_url}&returned=1` }
}

type Payment = Awaited<ReturnType<typeof atTheBank>>
const refuse = ({ intent }: Payment) => stripe.dashboard.answerChallenge(intent.id, 'fail')
const payAnyway = ({ intent }: Payment) => stripe.dashboard.payWithSecret(intent.client_secret, 'pm_card_visa')

async function sweep({ id }: Payment): Promise<void> {
  await service.database.sql`update operation set next_ask_at = created_at
    where transaction_id = ${id} and outcome in ('pending', 'unknown')`
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 1 } }), 200)
}

/** The bank says no, and they hear of it. */
const ways: readonly [string, (payment: Payment) => Promise<unknown>][] = [
  ['the customer’s page', async payment => (await refuse(payment)) && fetch(payment.page)],
  ['the sweeper', async payment => (await refuse(payment)) && sweep(payment)],
  [
    'Stripe’s notice',
    async payment => {
      const { webhooks } = stripe
      const before = webhooks.delivered.length
      webhooks.moments = () => ['before']
      void refuse(payment) // which ends when it was taken
      await until('Stripe has told it once', async () => webhooks.delivered.length > before)
      webhooks.moments = () => []
    },
  ],
]
afterEach(() => {
  stripe.webhooks.moments = () => ['after']
})

for (const [who, hears] of ways) {
  describe(`a decline that ${who} hears of`, () => {
    test('is Failed, and Stripe takes no other card for it', async () => {
      const payment = await atTheBank()
      await hears(payment)
      await stripe.webhooks.settled()
      const { status, error_code } = await record(payment.id)
      assert.deepEqual([status, error_code], ['Failed', 'authentication_failed'])
      assert.equal(connected.intentOf(payment.id).status, 'canceled')
      assert.equal(await payAnyway(payment), false)
      assert.equal(stripe.ledger().get(payment.id), undefined)
    })

    test('and that cannot be called off leaves it waiting: paid after all, it is Successful', async () => {
      const payment = await atTheBank()
      stripe.faults.always({ kind: 'breakdown', at: 'during' }, ({ path }) => path.endsWith('/cancel'))
      await hears(payment)
      assert.equal((await record(payment.id)).status, 'Further Action Required')
      assert.equal(await payAnyway(payment), true)
      await stripe.webhooks.settled()
      await sweep(payment)
      assert.equal((await record(payment.id)).status, 'Successful')
      assert.equal(stripe.ledger().get(payment.id)?.taken, 10_000)
    })

    test('and that could be called off only later is Failed then', async () => {
      const payment = await atTheBank()
      stripe.faults.next({ kind: 'breakdown', at: 'during' }, ({ path }) => path.endsWith('/cancel'))
      await hears(payment)
      await stripe.webhooks.settled()
      await sweep(payment)
      const { status, error_code } = await record(payment.id)
      assert.deepEqual([status, error_code], ['Failed', 'authentication_failed'])
      assert.equal(await payAnyway(payment), false)
    })
  })
}

test('in the sandbox a refused payment is Failed for the same reason, and cannot be confirmed any more', async () => {
  const { demo } = service
  const card = await demo.storeCard(testCardThat('three_d_secure').number)
  const { id, further_action } = answeredAbout(await demo.charge(await demo.makeOffer(), card), 202).json.transaction
  const bank = await pressButton(further_action.signup_url)
  const answer = (result: string) => fetch(bank, { method: 'POST', body: new URLSearchParams({ result }) })
  await answer('fail')
  await answer('pass')
  const { status, error_code } = answered(await demo.ask(`transactions/${id}`), 200).json.transaction
  assert.deepEqual([status, error_code], ['Failed', 'authentication_failed'])
})
