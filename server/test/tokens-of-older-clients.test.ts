// Tokens of the interface's published clients for Ruby and PHP open, and say what they said there.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createToken } from '@tillbell/sdk/token'
import { newKeyPair } from '../src/keys/key-pair.ts'
import { answered, refused } from './support/answers.ts'
import { type Answer, encodeForm, send } from './support/client.ts'
import { tillbell } from './support/command.ts'
import { type OlderToken, olderToken } from './support/older-client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService({ TILLBELL_TRUSTED_PROXIES: '127.0.0.1' })
})
after(() => service.stop())

const keys = () => ({
  partnerId: Number(service.demoSheet.partner_id),
  privateKey: service.demoSheet.private_key,
  servicePublicKey: String(service.demoSheet.service_public_key),
})
const made = (asked: OlderToken) => olderToken(keys(), asked)
const saying = (userData: object | string, more: Partial<OlderToken> = {}) =>
  made({ target: 'url<>', userData: typeof userData === 'string' ? userData : JSON.stringify(userData), ...more })

let clients = 0
function register(token: string): Promise<Answer> {
  const address = `198.51.100.${clients++ % 256}`
  return send(`${service.baseUrl}/token/registrations`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address },
    body: encodeForm({ token }),
  })
}

async function offerOf(token: string) {
  const { id } = answered(await register(token), 200).json
  return answered(await service.demo.ask(`offers/${id}`), 200).json.offer
}

async function doesNotOpen(token: string, what = ''): Promise<void> {
  const answer = await register(token)
  refused(answer, 422, ['token'])
  assert.equal(answer.json.errors.token, 'token does not open, has expired, was used up or was revoked.', what)
}

const inspect = async (token: string) =>
  answered(await service.demo.ask('tokens/inspections', { form: { token } }), 200).json.token

const patch = (form: { readonly [name: string]: string }) =>
  service.demo.ask('mail_settings', { method: 'PATCH', form }).then(answer => answered(answer, 200).json.mail_settings)

describe('what older clients write', () => {
  test('no group, and a target that is a customer, a card, a page, or nothing', async () => {
    const { demo } = service
    const one = await offerOf(made({ target: 'email<Ada@Example.com>', userData: '{}' }))
    assert.deepEqual([one.email, one.amount, one.currency, one.stock], ['ada@example.com', '20.55', 'USD', 1])
    const page = await offerOf(made({ target: 'url<https://shop.example/a/b?c=d:e>', userData: '{}' }))
    assert.deepEqual([page.email, page.pcp_url, page.stock], [null, 'https://shop.example/a/b?c=d:e', null])
    const ours = await offerOf(made({ target: 'url<>', userData: '{}' }))
    assert.equal(ours.pcp_url, `${service.baseUrl}/offers/${ours.offer_id}`)
    const card = await demo.storeCard('5555555555554444', { email: 'grace@example.com' })
    assert.equal((await offerOf(made({ target: `card<${card}>`, userData: '{}' }))).email, 'grace@example.com')
    assert.equal((await offerOf(made({ target: 'url<>:a1b2', userData: '{}' }))).amount, '20.55')
  })

  test('user data that are missing, empty, or text of any kind', async () => {
    for (const userData of [null, ''])
      assert.equal((await offerOf(made({ target: 'url<>', userData }))).custom_user_data, null)
    for (const text of ['order 5', '12345', '{"a":', '["shipping"]', 'Zoë / 1']) {
      const offer = await offerOf(saying(text))
      assert.deepEqual([offer.custom_user_data, offer.custom_data], [text, {}])
    }
    const kept = await offerOf(saying({ custom_data: 'order 5' }))
    assert.deepEqual([kept.custom_user_data, kept.custom_data], ['order 5', {}])
  })

  test('names, quantities, and the page of a targeted token', async () => {
    const bell = await offerOf(saying({ name: 'Bell', quantity: '3' }))
    assert.deepEqual([bell.title, bell.stock], ['Bell', 3])
    const other = await offerOf(saying({ item_name: 'Clapper', item_quantity: 2 }))
    assert.deepEqual([other.title, other.stock], ['Clapper', 2])
    const url = 'https://shop.example/bell'
    const targeted = await offerOf(made({ target: 'email<ada@example.com>', userData: JSON.stringify({ url }) }))
    assert.equal(targeted.pcp_url, url)
  })

  test('a currency of its own, and else that which its key was created with', async () => {
    const { sql } = service.database
    assert.deepEqual(await offerOf(saying({ currency: 'EUR' })).then(({ currency }) => currency), 'EUR')
    const yen = await offerOf(saying({ currency: 'JPY' }, { amount: 9_999_999 }))
    assert.deepEqual([yen.amount, yen.currency], ['9999999', 'JPY'])
    const unseen = saying({})
    await sql`update merchant set currency = 'GBP' where merchant_id = ${service.demoSheet.merchant}`
    try {
      assert.equal((await offerOf(unseen)).currency, 'USD', 'made before, it means what it meant')
    } finally {
      await sql`update merchant set currency = 'USD' where merchant_id = ${service.demoSheet.merchant}`
    }
    await doesNotOpen(saying({ currency: 'XXX' }))
    await doesNotOpen(saying({}, { amount: 100_000 }))
    await doesNotOpen(saying({ currency: 'JPY' }, { amount: 10_000_000 }))
  })

  test('both addresses, which hooks and the record then have', async () => {
    const { demo, database } = service
    for (const address of ['billing,shipping', ['shipping', 'billing']]) {
      assert.equal((await offerOf(saying({ address }))).address, 'shipping,billing')
    }
    const id = await demo.makeOffer({ address: 'shipping,billing' })
    refused(await demo.ask('offers', { form: { amount: '1.00', address: 'shipping,home' } }), 422, ['address'])
    const paid = answered(await demo.charge(id, demo.card), 200).json.transaction
    assert.notEqual(paid.user_data.shipping, null)
    const [event] = await database.sql<
      { details: string }[]
    >`select details from event where transaction_id = ${paid.id}`
    const { user_data, token } = JSON.parse(event?.details ?? assert.fail('no event'))
    assert.deepEqual([user_data.address, token.user_data.address], ['shipping,billing', 'shipping,billing'])
  })

  test('what is hostile in them does not open, and says no more than that', async () => {
    for (const [what, token] of Object.entries({
      'a target of another kind': made({ target: 'phone<1>', userData: '{}' }),
      'something behind the target': made({ target: 'url<> ', userData: '{}' }),
      'a script for a page': made({ target: 'url<javascript:alert(1)>', userData: '{}' }),
      'a script for the page of a targeted one': made({
        target: 'email<a@b.example>',
        userData: '{"url":"javascript:1"}',
      }),
      'a line break in an address': made({ target: 'email<a@b.example\r\nBcc: c@d.example>', userData: '{}' }),
      'half a character': made({ target: 'url<>', userData: Buffer.from('ff', 'hex') }),
      'NUL in text': saying('a\0b'),
      'text without end': saying('x'.repeat(2_501)),
      'a card number': saying('4111 1111 1111 1111'),
      'a prototype': saying('{"__proto__":{"a":1}}'),
      'an address of another kind': saying({ address: ['shipping', 'home'] }),
      'a stock below nothing': saying({ quantity: -1 }),
      'no amount': saying({}, { amount: 0 }),
      'an endless amount': saying({}, { amount: Number.POSITIVE_INFINITY }),
      'another version': saying({}, { version: 1n }),
      'a version that the box denies': saying({ authorization_only: false }, { version: 2n }),
      'an end in the past': saying({}, { expiresS: -1 }),
      'another key': olderToken({ ...keys(), privateKey: newKeyPair().privateKey }, { target: 'url<>' }),
    })) {
      await doesNotOpen(token, what)
    }
  })
})

describe('a token that only authorises', () => {
  test('opens where the box says so, and where it does not only if the merchant allows it', async () => {
    assert.equal((await patch({ errors: 'true' })).unsigned_authorizations, true, 'the sandbox does')
    const [older, signed] = [saying({}, { version: 2n }), saying({ authorization_only: true }, { version: 2n })]
    assert.equal((await offerOf(older)).authorization_only, true)
    assert.equal((await patch({ unsigned_authorizations: 'false' })).unsigned_authorizations, false)
    await doesNotOpen(older, 'also one that stands for an offer already')
    await doesNotOpen(saying('text', { version: 2n }))
    assert.equal((await offerOf(signed)).authorization_only, true)
    assert.match(
      (await inspect(older)).reason,
      /authorization_only does not say so.*mail_settings\.unsigned_authorizations/,
    )
    answered(await service.demo.ask('tokens/revocations', { form: { token: older } }), 200)
    assert.equal((await patch({ unsigned_authorizations: 'true' })).unsigned_authorizations, true)
  })

  test('whoever shows it first with another version does not decide for others', async () => {
    const older = saying({}, { version: 2n })
    const stripped = older.replace(/^@.*~/, '@')
    const sale = await offerOf(stripped)
    const hold = await offerOf(older)
    assert.deepEqual([sale.authorization_only, hold.authorization_only], [false, true])
    assert.notEqual(sale.offer_id, hold.offer_id)
    assert.deepEqual([(await inspect(older)).state, (await inspect(older)).offer], ['open', hold.offer_id])
  })
})

describe('an inspection', () => {
  test('says what a token says, and makes nothing of it', async () => {
    const userData = { item_name: 'Bell', custom_data: { sku: '1' } }
    const token = made({ target: 'email<ada@example.com>:g', userData: JSON.stringify(userData) })
    const [key] = await service.database.sql<{ id: string }[]>`select id from merchant_key
      where merchant_id = ${service.demoSheet.merchant} and state = 'current'`
    const expected = {
      ...{ state: 'open', reason: null, private_key: key?.id, authorization_only: false },
      ...{ target: { kind: 'email', value: 'ada@example.com' }, group: 'g', amount: '20.55', currency: 'USD' },
      ...{ expires_at: '2033-05-18T03:33:20.000+00:00', user_data: userData, offer: null, revoked_at: null },
    }
    assert.deepEqual(await inspect(token), expected)
    const { id } = answered(await register(token), 200).json
    assert.deepEqual(await inspect(token), { ...expected, offer: id })
    answered(await service.demo.ask(`offers/${id}`, { method: 'DELETE' }), 200)
    assert.deepEqual(await inspect(token).then(({ state, reason }) => [state, reason]), [
      'inactive',
      'Its offer is not active any more.',
    ])
  })

  test('says that one was used, was revoked or has expired, and when', async () => {
    const { demo } = service
    const used = made({ target: 'email<ada@example.com>' })
    answered(await demo.charge((await offerOf(used)).offer_id, demo.card), 200)
    assert.equal((await inspect(used)).state, 'used')
    const revoked = made({ target: 'url<>' })
    answered(await demo.ask('tokens/revocations', { form: { token: revoked } }), 200)
    const { state, reason, revoked_at } = await inspect(revoked)
    assert.deepEqual([state, reason], ['revoked', `It was revoked at ${revoked_at}.`])
    const expired = await inspect(saying({}, { expiresS: 1_000_000_000 }))
    assert.deepEqual([expired.state, expired.reason], ['expired', 'It expired at 2001-09-09T01:46:40.000+00:00.'])
  })

  test('says why one does not open, in a sentence for each cause', async () => {
    const good = saying({})
    const other = await service.newMerchant()
    const [theirs] = await service.database.sql<{ partnerId: bigint }[]>`
      select partner_id from merchant where merchant_id = ${other.merchant}`
    const causes: { readonly [token: string]: RegExp } = {
      'no token': /^It does not look like a token/,
      [good.replace(/=*@$/, '@')]: /^It (is not base64url|does not look like a token)/,
      '@AAAA@': /^It is too short/,
      [saying({}, { version: 7n })]: /^Its version is 7\. It must have none, 0 \(charges\) or 2 \(authorises only\)\.$/,
      [olderToken({ ...keys(), partnerId: Number(theirs?.partnerId) }, { target: 'url<>' })]:
        /^It is not yours: it names the partner_id \d+, and yours is \d+\.$/,
      [olderToken({ ...keys(), partnerId: 999_999 }, { target: 'url<>' })]: /^It is not yours/,
      [olderToken({ ...keys(), privateKey: newKeyPair().privateKey }, { target: 'url<>' })]:
        /^None of your keys opens it/,
      [made({ target: 'phone<1>' })]: /^The target must be/,
      [saying({ authorization_only: true })]: /^user_data\.authorization_only is not false, as the version says\.$/,
      [saying({ currency: 'XXX' })]: /^user_data\.currency is "XXX"/,
      [saying({ address: 'home' })]: /^user_data\.address must be/,
      [saying('4111 1111 1111 1111')]: /must not be a card number/,
      [made({ target: `card<${'x'.repeat(24)}>` })]: /^The card that it is for is not stored/,
    }
    for (const [token, says] of Object.entries(causes)) {
      const { state, reason, offer } = await inspect(token)
      assert.deepEqual([state, offer], ['closed', null], String(says))
      assert.match(reason, says)
    }
    assert.doesNotMatch(JSON.stringify(await inspect(saying('4111 1111 1111 1111'))), /4111 ?1111 ?1111/)
    refused(await service.demo.ask('tokens/inspections', { form: {} }), 422, ['token'])
    const nobody = await send(`${service.baseUrl}/api/v5/rest/tokens/inspections`, {
      method: 'POST',
      headers: {},
      body: null,
    })
    assert.equal(nobody.status, 401)
  })

  test('names the key that was marked as compromised', async () => {
    const { sql } = service.database
    const old = newKeyPair()
    const [row] = await sql<{ id: string }[]>`insert into merchant_key
      (merchant_id, id, state, public_key, private_key_sealed, currency, created_at, compromised)
      values (${service.demoSheet.merchant}, gen_random_uuid(), 'deleted', ${old.publicKey}, null, 'USD', now(), true) returning id`
    const token = olderToken({ ...keys(), privateKey: old.privateKey }, { target: 'url<>' })
    await doesNotOpen(token)
    const { state, reason } = await inspect(token)
    assert.deepEqual([state, reason.includes(row?.id ?? 'none')], ['closed', true])
    assert.match(reason, /marked as compromised/)
  })

  test('is there at the command line', async t => {
    const { database, dataFolder, demoSheet } = service
    const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, TILLBELL_LOG: 'error' }
    const token = createToken({ ...keys(), target: { url: '' }, amount: '5.00', currency: 'EUR' })
    const inspected = (words: string[]) =>
      tillbell(t, ['token', 'inspect', ...words, '--merchant', demoSheet.merchant], environment)
    const [shown, json] = await Promise.all([inspected([token]), inspected([token, '--json'])])
    assert.deepEqual([shown.code, shown.stderr], [0, ''])
    assert.match(shown.stdout, /^state: open\n/)
    assert.match(shown.stdout, /\namount: 5\.00\ncurrency: EUR\n/)
    assert.deepEqual(JSON.parse(json.stdout), await inspect(token))
  })
})
