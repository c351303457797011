// A Private Key that others may know: marking it ends what was made with it before, and nothing that was made with another key.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AskedToken, createToken } from '@tillbell/sdk/token'
import type { MerchantId } from '../src/core/ids.ts'
import { deleteKey } from '../src/store/merchant-keys.ts'
import { confirmationLink, openLink } from './support/confirm.ts'
import { type ConsoleClient, signedIn } from './support/console.ts'
import { paymentsOf } from './support/customer.ts'
import { filledBy, type MailWorld, mailDomain, type Shop, sendSigned, startMailWorld } from './support/mail-world.ts'
import { olderToken } from './support/older-client.ts'
import { payOnPage } from './support/plain-forms.ts'
import { until } from './support/until.ts'
import { whileHeld } from './support/while-held.ts'

let world: MailWorld
before(async () => {
  world = await startMailWorld()
})
after(() => world.stop())

interface Merchant {
  readonly shop: Shop
  readonly owner: ConsoleClient
  readonly partnerId: number
}

interface Key {
  readonly id: string
  readonly privateKey: string
}

async function newMerchant(): Promise<Merchant> {
  const shop = await world.newShop()
  const owner = await signedIn(world.service.baseUrl, (shop.rest as unknown as { login: Login }).login)
  return { shop, owner, partnerId: (await owner.ask('me')).json.me.merchant.partner_id }
}

type Login = Parameters<typeof signedIn>[1]

async function currentKey({ shop, owner }: Merchant): Promise<Key> {
  const keys: { id: string; state: string }[] = (await owner.ask('private_keys')).json
  const id = keys.find(({ state }) => state === 'current')?.id ?? assert.fail()
  const { password } = (shop.rest as unknown as { login: Login }).login
  const shown = await owner.ask(`private_keys/${id}/show`, { method: 'POST', json: { password } })
  return { id, privateKey: shown.json.private_key.private_key }
}

async function rotate(merchant: Merchant): Promise<Key> {
  const made = await merchant.owner.ask('private_keys', { method: 'POST', json: {} })
  const { id } = made.json.private_key
  assert.equal((await merchant.owner.ask(`private_keys/${id}/make_current`, { method: 'POST', json: {} })).status, 200)
  return currentKey(merchant)
}

async function markCompromised({ owner }: Merchant, { id }: Key) {
  const { status, json } = await owner.ask(`private_keys/${id}`, { method: 'DELETE', json: { compromised: true } })
  assert.equal(status, 200)
  return json.revoked
}

const tokenBy = ({ partnerId }: Merchant, { privateKey }: Key, target: AskedToken['target']) =>
  createToken({
    ...{ partnerId, privateKey, target, amount: '77.00' },
    servicePublicKey: String(world.service.demoSheet.service_public_key),
  })

async function register(token: string): Promise<{ readonly status: number; readonly id: string }> {
  const body = new URLSearchParams({ token })
  const answer = await fetch(`${world.service.baseUrl}/token/registrations`, { method: 'POST', body })
  return { status: answer.status, id: ((await answer.json()) as { id: string }).id }
}

const isActive = async ({ shop }: Merchant, offer: string): Promise<boolean> =>
  (await shop.rest.ask(`offers/${offer}`)).json.offer.active

async function linkOf({ shop }: Merchant, offer: string, email: string) {
  const { status, text, json } = await shop.rest.ask(`offers/${offer}/links`, { form: { email } })
  assert.equal(status, 200, text)
  return json.link
}

let customers = 0
async function newCustomer({ shop }: Merchant): Promise<string> {
  customers += 1
  const email = `customer-${customers}@example.org`
  await shop.newCard(email)
  return email
}

/** A payment that was asked for with this token, and waits for its customer's confirmation. */
async function waiting({ shop }: Merchant, email: string, token: string): Promise<{ link: string; offer: string }> {
  assert.match(await sendSigned(world, email, `transaction@${mailDomain}`, { text: `Hello ${token}` }), /^250 /)
  const link = await confirmationLink(world.relay, email)
  const [sale] = (await shop.rest.ask(`transactions?email=${email}`)).json
  return { link, offer: sale.offer.id }
}

const versions = { 'as rows are written now': false, 'of rows that were written before they named their key': true }
for (const [name, isOld] of Object.entries(versions)) {
  describe(name, () => {
    test('a waiting payment and a registered offer of that key charge nothing any more; those of another key do', async () => {
      const { sql } = world.service.database
      const merchant = await newMerchant()
      const [ada, bob] = [await newCustomer(merchant), await newCustomer(merchant)]
      const [own, linked] = [await merchant.shop.newOffer(), await merchant.shop.newOffer()]
      const stolen = await currentKey(merchant)
      const forged = await waiting(merchant, ada, tokenBy(merchant, stolen, { email: ada }))
      const page = await openLink(forged.link)
      const registered = await register(tokenBy(merchant, stolen, { url: '' }))
      const dead = await linkOf(merchant, linked, bob)

      const next = await rotate(merchant)
      const good = await waiting(merchant, bob, tokenBy(merchant, next, { email: bob }))
      const goodOffer = await register(tokenBy(merchant, next, { url: '' }))
      if (isOld) await sql`update token set key_id = null where merchant_id = ${merchant.shop.rest.merchant}`

      // Two tokens that came with offers, a link, and two that were shown, whose offers end.
      assert.deepEqual(await markCompromised(merchant, stolen), { tokens: 5, offers: 2 })
      assert.equal((await page.press()).status, 410, 'also where the page was open before')
      assert.equal((await paymentsOf(world.service, forged.offer)).charges, 0)
      assert.equal(await isActive(merchant, registered.id), false)
      const typed = { email: ada, first_name: 'Ada' }
      await assert.rejects(payOnPage(world.service.baseUrl, registered.id, typed))
      assert.equal((await paymentsOf(world.service, registered.id)).charges, 0)

      assert.equal(await isActive(merchant, own), true, 'the merchant made it')
      assert.equal(await isActive(merchant, goodOffer.id), true)
      assert.equal((await (await openLink(good.link)).press()).status, 303)
      await until('paid', async () => (await paymentsOf(world.service, good.offer)).charges === 1)

      const fresh = await linkOf(merchant, linked, bob)
      assert.notEqual(fresh.token, dead.token, 'a link that opens takes the place of one that does not')
      const { to, ...words } = filledBy(fresh.mail_to)
      assert.match(await sendSigned(world, bob, to, words), /^250 /)
      await until('paid by the new link', async () => (await paymentsOf(world.service, linked)).charges === 1)
      assert.deepEqual(await markCompromised(merchant, stolen), { tokens: 0, offers: 0 }, 'twice is the same as once')
    })
  })
}

test('a key that is deleted and not compromised ends nothing; marked later it does, in both versions of a token', async () => {
  const merchant = await newMerchant()
  const old = await currentKey(merchant)
  // An older client does not say in the box which version it is: each has an offer of its own.
  const servicePublicKey = String(world.service.demoSheet.service_public_key)
  const keys = { partnerId: merchant.partnerId, privateKey: old.privateKey, servicePublicKey }
  const plain = olderToken(keys, { target: 'url<>' })
  const offers = [await register(plain), await register(`@AAAAAAAAAAI=~${plain.slice(1)}`)]
  await rotate(merchant)
  const deleted = await merchant.owner.ask(`private_keys/${old.id}`, { method: 'DELETE', json: {} })
  assert.deepEqual(deleted.json.revoked, { tokens: 0, offers: 0 })
  for (const { id } of offers) assert.equal(await isActive(merchant, id), true)
  assert.deepEqual(await markCompromised(merchant, old), { tokens: 1, offers: 2 })
  for (const { id } of offers) assert.equal(await isActive(merchant, id), false)
})

test('a token that is shown while its key is being marked makes no offer', async () => {
  const { sql } = world.service.database
  const merchant = await newMerchant()
  const old = await currentKey(merchant)
  await rotate(merchant)
  const merchantId = merchant.shop.rest.merchant as MerchantId
  const token = tokenBy(merchant, old, { url: '' })
  const { status } = await whileHeld(
    sql,
    scope => deleteKey(scope, merchantId, old.id, true, new Date()),
    () => register(token),
  )
  assert.equal(status, 422)
  assert.deepEqual((await merchant.shop.rest.ask('offers')).json, [])
})
