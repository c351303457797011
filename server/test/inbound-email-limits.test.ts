// What strangers can make the service read: mails made to be hard to read, and networks that send bad ones again and again. Whoever
// else sends mail is not held up by either.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendSigned, startMailWorld } from './support/mail-world.ts'
import { send, sign, write } from './support/mailbox.ts'

const ada = 'ada@example.org'

test('a megabyte of @ is refused, and the mail behind it is paid', async t => {
  const world = await startMailWorld()
  t.after(() => world.stop())
  const shop = await world.newShop()
  const offer = await shop.newOffer()
  await shop.newCard(ada)
  const heavy = write('mallory@example.org', { to: 'transaction@pay.test', text: '@'.repeat(1_000_000) })
  const [refused, paid] = await Promise.all([
    send(world.service.mailPort, heavy, { from: 'mallory@example.org', to: 'transaction@pay.test' }),
    sendSigned(world, ada, shop.addressOf(offer)),
  ])
  assert.match(refused, /^550 5\.6\.0 Nothing was charged: this mail cannot be read\./)
  assert.match(paid, /^250 2\.6\.0 /)
  const [transaction] = await shop.settled(1)
  assert.equal(transaction.source, 'Email Transaction')
})

test('a network whose mails were refused a hundred times comes later, and everybody else is served', async t => {
  const world = await startMailWorld()
  t.after(() => world.stop())
  const shop = await world.newShop()
  const offer = await shop.newOffer()
  await shop.newCard(ada)
  const bring = (mail: Buffer, clientAddress: string, to: string) =>
    fetch(`${world.service.baseUrl}/mail/inbound`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer secret of the provider',
        'content-type': 'message/rfc822',
        'mail-from': ada,
        'rcpt-to': to,
        'client-address': clientAddress,
      },
      body: new Uint8Array(mail),
    })
  const token = 'transaction@pay.test'
  const bad = write(ada, { to: token, text: 'There is no token in here.' })
  for (let count = 0; count < 100; count += 1) assert.equal((await bring(bad, '192.0.2.1', token)).status, 422)
  const good = await sign(write(ada, { to: shop.addressOf(offer) }), { by: world.customers })
  const turned = await bring(good, '192.0.2.1', shop.addressOf(offer))
  assert.deepEqual([turned.status, turned.headers.get('retry-after')], [503, '60'])
  assert.deepEqual(await shop.transactions(), [], 'it was not even read')
  assert.equal((await bring(good, '192.0.2.2', shop.addressOf(offer))).status, 200)
  await shop.settled(1)
})
