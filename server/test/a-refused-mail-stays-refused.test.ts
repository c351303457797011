// A mail whose sender was told that nothing was charged charges nothing later either, whoever brings a copy of it once its token can pay
// again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered } from './support/answers.ts'
import { type MailWorld, type Shop, startMailWorld } from './support/mail-world.ts'
import { send, sign, write } from './support/mailbox.ts'
import { until } from './support/until.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
})
after(() => world.stop())

/** A customer with a personal link that holds the price of its offer, and mails for it with a friend in Cc. */
async function customerNamed(name: string) {
  const email = `${name}@example.org`
  await shop.newCard(email)
  const offer = await shop.newOffer({ authorization_only: 'true' })
  const mail = await shop.personalMail(offer, email)
  const unsigned = () => write(email, { ...mail, cc: 'friend@elsewhere.example' })
  const post = (bytes: Buffer, from: string) => send(world.service.mailPort, bytes, { from, to: mail.to })
  return {
    email,
    write: () => sign(unsigned(), { by: world.customers }),
    unsigned,
    send: (bytes: Buffer) => post(bytes, email),
    sendCopy: (bytes: Buffer) => post(bytes, 'friend@elsewhere.example'),
    payments: () =>
      world.service.database.sql<{ id: string; status: string }[]>`
        select id, status from transaction where offer_id = ${offer} order by id`,
  }
}

const statuses = (payments: readonly { status: string }[]) => payments.map(({ status }) => status)
const refusal = /^550 5\.7\.1 Nothing was charged/
const closed = 'Its token could not pay when it came, and it was refused.'

test('after the payment that had used the token was voided', async () => {
  const customer = await customerNamed('ada')
  const [one, two, three] = [await customer.write(), await customer.write(), await customer.write()]
  assert.match(await customer.send(one), /^250/)
  await until('the price is held', async () => statuses(await customer.payments())[0] === 'Authorized')
  assert.match(await customer.send(two), refusal)
  const [payment] = await customer.payments()
  answered(await shop.rest.ask(`transactions/${payment?.id}/void`, { method: 'POST', form: {} }), 200)
  assert.match(await customer.sendCopy(two), refusal)
  assert.match(await customer.send(two), refusal, 'nor by its sender')
  // The token itself can pay again: with another mail.
  assert.match(await customer.send(three), /^250/)
  await until('it is paid again', async () => statuses(await customer.payments()).join() === 'Voided,Authorized')
  assert.match(await customer.sendCopy(one), /^250/, 'the mail that was taken is known')
  assert.match(await customer.sendCopy(two), refusal, 'also once the token is used up again')
  const { json } = answered(await shop.rest.ask(`letters?email=${customer.email}`), 200)
  assert.deepEqual(
    json.map((letter: { closed_because: string | null }) => letter.closed_because),
    [null, closed, null],
  )
})

test('after the merchant took payments by mail again', async () => {
  const customer = await customerNamed('bea')
  const takePayments = async (payments: boolean) =>
    answered(await shop.rest.ask('mail_settings', { method: 'PATCH', json: { payments } }), 200)
  const mail = await customer.write()
  await takePayments(false)
  assert.match(await customer.send(mail), refusal)
  await takePayments(true)
  assert.match(await customer.sendCopy(mail), refusal)
  assert.match(await customer.send(await customer.write()), /^250/)
  await until('it is paid', async () => (await customer.payments()).length === 1)
})

test('also where the copy that was refused had lost its signature', async () => {
  const customer = await customerNamed('cleo')
  assert.match(await customer.send(await customer.write()), /^250/)
  await until('the price is held', async () => statuses(await customer.payments())[0] === 'Authorized')
  const bare = customer.unsigned()
  assert.match(await customer.send(bare), refusal)
  const [payment] = await customer.payments()
  answered(await shop.rest.ask(`transactions/${payment?.id}/void`, { method: 'POST', form: {} }), 200)
  assert.match(await customer.sendCopy(await sign(bare, { by: world.customers })), /^250/)
  const isClosed = async () => {
    const { json } = answered(await shop.rest.ask(`letters?email=${customer.email}&proven=true`), 200)
    return json[0]?.closed_because === closed
  }
  await until('it came to nothing', isClosed)
  assert.deepEqual(statuses(await customer.payments()), ['Voided'])
})
