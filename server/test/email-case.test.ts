// Which letters of an email address are the same is decided by the service alone, whatever language its database speaks: those of ASCII.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { boxHashIn } from '../src/keys/open-token.ts'
import { answered, refused } from './support/answers.ts'
import { databaseOfLocale, type Locale } from './support/database.ts'
import { askByMail } from './support/letters.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

const locales: readonly Locale[] = [
  { provider: 'builtin', locale: 'C.UTF-8' },
  { provider: 'builtin', locale: 'PG_UNICODE_FAST' },
  { provider: 'icu', locale: 'tr-TR' },
  { provider: 'icu', locale: 'lt' },
  { provider: 'libc', locale: 'C' },
]

/** Letters that languages, or versions of Unicode, do not agree about. */
const written = {
  'the dotless and the dotted i of Turkish': 'IıİI@example.com',
  'both small sigmas of Greek': 'ΟΔΟΣ.ΟΔΟΣ@example.com',
  'the capital sharp s of German': 'STRAẞE@example.com',
  'the Kelvin sign': '\u212a.elvin@example.com',
  'a letter of a new version of Unicode': 'Ƛ.Ɤ.𐵐@example.com',
  'an umlaut': 'ÖZ@BÜCHER.example',
}

/** The same address to everybody: only A to Z have another case. */
const otherCase = (email: string) =>
  email.replace(/[A-Za-z]/g, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

async function started(t: TestContext, locale: Locale) {
  const database = await databaseOfLocale(locale)
  const service = await startTestService({ DATABASE_URL: database.url })
  t.after(async () => {
    await service.stop()
    await database.drop()
  })
  return { ...service, database }
}

for (const locale of locales) {
  test(`in a database of ${locale.provider} ${locale.locale}`, async t => {
    const service = await started(t, locale)
    for (const [letters, email] of Object.entries(written)) {
      await t.test(`${letters}: a customer is stored, found, charged, pays by mail, and is erased`, async () => {
        const shop = await service.newMerchant()
        const card = await shop.storeCard(undefined, { email })
        const { card: stored } = answered(await shop.ask(`credit_cards/${card}`), 200).json
        assert.equal(
          stored.email,
          email.replace(/[A-Z]/g, letter => letter.toLowerCase()),
        )
        for (const spelling of [email, otherCase(email)]) {
          const asked = `?email=${encodeURIComponent(spelling)}`
          assert.equal(answered(await shop.ask(`credit_cards${asked}`), 200).json.length, 1, spelling)
          const own = await shop.makeOffer({ email: spelling })
          answered(await shop.charge(own, card), 200)
        }
        assert.equal(answered(await shop.ask(`transactions?email=${encodeURIComponent(email)}`), 200).json.length, 2)
        const offer = await shop.makeOffer()
        const { link } = answered(await shop.ask(`offers/${offer}/links`, { form: { email } }), 200).json
        const tokenSha256 = boxHashIn(link.token)?.toString('hex') ?? assert.fail()
        const asks = { merchant: shop.merchant, offer, sender: stored.email as string, isProven: true }
        const id = await askByMail(service, { ...asks, tokenSha256, hasConsent: true })
        const find = async () => answered(await shop.ask(`transactions/${id}`), 200).json.transaction
        await until('it is settled', async () => (await find()).status !== 'Processing')
        const { status, customer } = await find()
        assert.deepEqual([status, customer.email], ['Successful', stored.email])
        answered(await shop.ask('customers/erasures', { form: { email: otherCase(email) } }), 200)
        refused(await shop.ask('customers/erasures', { form: { email } }), 404, ['email'])
      })
    }

    await t.test('no letter of another alphabet makes an address somebody else’s', async () => {
      const shop = await service.newMerchant()
      await shop.storeCard(undefined, { email: 'kate@example.com' })
      const offer = await shop.makeOffer({ email: 'kate@example.com' })
      const kelvin = await shop.storeCard(undefined, { email: '\u212aate@example.com' })
      refused(await shop.charge(offer, kelvin), 422, ['service_offer'])
      assert.equal(answered(await shop.ask('credit_cards?email=kate@example.com'), 200).json.length, 1)
    })
  })
}
