// The one error of tokens: how it is answered, and that it costs the same whatever the cause.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AskedToken, createToken, sealToken, type TokenTarget } from '@tillbell/sdk/token'
import type { CardToken, MerchantId, OfferId, TransactionId } from './core/ids.ts'
import { defaultCurrency } from './core/money.ts'
import type { Offer } from './core/offer.ts'
import { tokensOver } from './join-tokens.ts'
import { newKeyPair } from './keys/key-pair.ts'
import { boxOpener } from './keys/open-token.ts'
import type { TokenPorts } from './look-at-token.ts'
import type { KnownToken, TokenMerchant, TokenOfOffer } from './store/tokens.ts'

const service = newKeyPair()
const merchant = newKeyPair()
const merchantId = 'm_1' as MerchantId
const card = 'q83vEjRWeJCrze8SNFZ4kKvN' as CardToken
const noon = new Date('2026-11-15T12:00:00Z')
const asked: AskedToken = {
  partnerId: 7,
  privateKey: merchant.privateKey,
  servicePublicKey: service.publicKey,
  target: { email: 'ada@example.com' },
  amount: '20.55',
}
const nothingKnown: KnownToken = {
  ...{ offerId: null, verifies: null, onlyCard: null, revokedAt: null, isUsedUp: false, cardEmail: null },
  ...{ hasOtherVersion: false, isOfferActive: null },
}
const registered = { ...nothingKnown, offerId: 'o1' as OfferId }

function world(known: Partial<KnownToken> = {}, now = noon) {
  const calls: string[] = []
  const made: { offer: Offer; token: TokenOfOffer }[] = []
  const openBox = boxOpener(service.privateKey)
  const key = { id: 'k1', publicKey: merchant.publicKey, currency: defaultCurrency }
  const theirs: TokenMerchant = { merchantId, keys: [key], unsignedAuthorizations: null }
  const ports: TokenPorts = {
    now: () => now,
    newOfferId: () => 'o2' as OfferId,
    opensUnsignedAuthorizations: true,
    openBoxOnce: openBox,
    findCompromisedKeys: async () => [],
    openBox(closed, publicKeys) {
      calls.push('open')
      return openBox(closed, publicKeys)
    },
    async findMerchant(partnerId) {
      calls.push('merchant')
      return partnerId === 7n ? theirs : null
    },
    async find() {
      calls.push('token')
      return { ...nothingKnown, ...known }
    },
    async insert(offer, token) {
      calls.push('insert')
      made.push({ offer, token })
      return 'written'
    },
    async insertOtherVersion() {
      calls.push('insert other version')
      return 'written'
    },
    async revoke() {
      calls.push('revoke')
      return { revokedAt: now, offerId: null }
    },
  }
  return { calls, made, ports, tokens: tokensOver(ports) }
}

/** The sdk makes none that has expired. */
function expiredAt(time: Date): string {
  const said = { target: asked.target, group: '', amount: 20.55, authorizationOnly: false, userData: {} }
  return sealToken({ ...said, expiresS: time.getTime() / 1_000 }, asked)
}

const looked = ['merchant', 'open', 'token']

test('wrong, expired, used, revoked, of nobody, for a card that is gone: one answer, and the same work', async () => {
  const good = createToken(asked)
  const cases: { readonly [cause: string]: readonly [string, Partial<KnownToken>?] } = {
    wrong: [createToken({ ...asked, privateKey: newKeyPair().privateKey })],
    'for another service': [createToken({ ...asked, servicePublicKey: newKeyPair().publicKey })],
    'of nobody': [createToken({ ...asked, partnerId: 8 })],
    expired: [expiredAt(noon)],
    revoked: [good, { ...registered, revokedAt: noon }],
    'revoked before anybody showed it': [good, { revokedAt: noon }],
    used: [good, { ...registered, isUsedUp: true }],
    'for a card that is gone': [createToken({ ...asked, target: { card } }), registered],
  }
  for (const [cause, [token, known]] of Object.entries(cases)) {
    const { calls, tokens } = world(known)
    const opened = await tokens.open(token)
    // What it would pay is known of one that may be able to later, so that a mail with it is remembered as refused.
    if (cause === 'used' || cause === 'for a card that is gone')
      assert.deepEqual([opened?.offerId, opened?.isGood], ['o1', false])
    else assert.equal(opened, null, cause)
    assert.deepEqual(calls, looked, cause)
    assert.equal(await tokens.register(token), null, cause)
  }
})

test('what does not look like a token is refused without any work', async () => {
  const { calls, tokens } = world()
  assert.equal(await tokens.open('@no token@'), null)
  assert.equal(await tokens.revoke(merchantId, ''), null)
  assert.deepEqual(calls, [])
})

test('what the sdk refuses as user data does not open here, and what it takes does', async () => {
  const long = (chars: number) => 'x'.repeat(chars)
  const field = { name: 'Size', required: true }
  for (const [takes, userData] of [
    [true, { item_name: long(255), details: long(2_500), ref_id: long(255), custom_user_data: long(2_500) }],
    [
      true,
      {
        custom_fields: Array.from({ length: 20 }, (_, index) => ({ name: `Size ${index}` })),
        fulfillment: '2147483647',
      },
    ],
    [true, { item_name: null, custom_data: '', custom_fields: '', address: '', fulfillment: '' }],
    [false, { item_name: long(256) }],
    [false, { item_details: long(2_501) }],
    [false, { details: 7 }],
    [false, { ref_id: long(256) }],
    [false, { custom_user_data: long(2_501) }],
    [true, { address: 'shipping,billing', item_quantity: 3, url: 'https://shop.example/', currency: 'EUR' }],
    [false, { item_quantity: -1 }],
    [false, { url: 'ftp://shop.example/' }],
    [false, { currency: 'US' }],
    [false, { custom_fields: Array(21).fill(field) }],
    [false, { custom_fields: [{ ...field, name: long(101) }] }],
    [false, { custom_fields: field }],
    [false, { address: 'home' }],
    [false, { fulfillment: 2_147_483_648 }],
    [false, { fulfillment: -1 }],
  ] as const) {
    const said = { target: asked.target, group: '', amount: 20.55, authorizationOnly: false, userData }
    const opens = (await world().tokens.open(sealToken({ ...said, expiresS: 2_147_483_647 }, asked))) !== null
    assert.equal(opens, takes, JSON.stringify(userData).slice(0, 60))
    if (takes) createToken({ ...asked, userData })
    else assert.throws(() => createToken({ ...asked, userData }), /^RangeError: userData\./)
  }
})

test('a token that is known stands for its offer, its transaction and its card', async () => {
  const verifies = 't1' as TransactionId
  const { calls, tokens } = world({ ...registered, verifies, onlyCard: card })
  const wanted = await tokens.open(createToken(asked))
  assert.match(wanted?.tokenSha256 ?? '', /^[0-9a-f]{64}$/)
  const { tokenSha256 } = wanted ?? assert.fail()
  const payer = { isPersonal: true, onlyEmail: 'ada@example.com', isGood: true }
  assert.deepEqual(wanted, { merchantId, offerId: 'o1', tokenSha256, verifies, onlyCard: card, ...payer })
  assert.deepEqual(calls, looked)
})

test('a token for a page is public: anybody may know it; one for a card is its owner’s, whom its offer names', async () => {
  const { tokens } = world(registered)
  const opened = (target: TokenTarget) => tokens.open(createToken({ ...asked, target }))
  const page = await opened({ url: 'https://shop.example/bell' })
  assert.deepEqual([page?.isPersonal, page?.onlyEmail], [false, null])
  const owners = await world({ ...registered, cardEmail: 'ada@example.com' }).tokens.open(
    createToken({ ...asked, target: { card } }),
  )
  assert.deepEqual([owners?.isPersonal, owners?.onlyEmail], [true, null])
})

test('a token that nobody knows becomes an offer, with the card that it is for', async () => {
  const token = createToken({ ...asked, target: { card } })
  const { made, tokens } = world({ cardEmail: 'ada@example.com' })
  assert.deepEqual((await tokens.open(token))?.onlyCard, card)
  const [{ offer, token: row } = assert.fail('no offer')] = made
  assert.deepEqual([offer.email, offer.stockLeft, offer.tokenContent], ['ada@example.com', 1, token])
  assert.deepEqual([row.registered, row.onlyCard], [true, card])
})

test('one who comes second finds what the first has made', async () => {
  const { ports, calls } = world()
  const known = [nothingKnown, registered]
  const racing = tokensOver({
    ...ports,
    find: async () => known.shift() ?? assert.fail('asked a third time'),
    insert: async () => 'known',
  })
  assert.equal(await racing.register(createToken(asked)), 'o1')
  assert.equal(calls.filter(call => call === 'open').length, 2)
})

test('a token that authorises without saying so inside opens only where the merchant, or the mode, allows it', async () => {
  const said = { target: asked.target, group: '', amount: 20.55, authorizationOnly: true, expiresS: 2_147_483_647 }
  const older = sealToken({ ...said, userData: {} }, asked)
  const signed = sealToken({ ...said, userData: { authorization_only: true } }, asked)
  for (const [setting, mode, opens] of [
    [null, true, true],
    [null, false, false],
    [false, true, false],
    [true, false, true],
  ] as const) {
    const { ports, calls } = world()
    const findMerchant = async (partnerId: bigint) => {
      const found = await ports.findMerchant(partnerId)
      return found === null ? null : { ...found, unsignedAuthorizations: setting }
    }
    const tokens = tokensOver({ ...ports, findMerchant, opensUnsignedAuthorizations: mode })
    assert.equal((await tokens.open(older)) !== null, opens, `${setting} ${mode}`)
    assert.deepEqual(calls.slice(0, 3), looked, 'and the work is the same')
    assert.notEqual(await tokens.open(signed), null)
  }
})

test('it is its merchant’s to revoke, also when it has expired, and nobody else’s', async () => {
  const expired = expiredAt(new Date(86_400_000))
  const { calls, tokens } = world({ ...registered, isUsedUp: true })
  assert.deepEqual(await tokens.revoke(merchantId, expired), { revokedAt: noon, offerId: null })
  calls.length = 0
  assert.equal(await tokens.revoke('m_2' as MerchantId, expired), null)
  assert.equal(await tokens.revoke(merchantId, createToken({ ...asked, partnerId: 8 })), null)
  assert.deepEqual(calls, [...looked, ...looked], 'and what another owns costs as much as what does not open')
})

test('whose a token is, is told to nobody whose token does not open', async () => {
  const { tokens } = world({ ...registered, isUsedUp: true })
  assert.equal(await tokens.merchantOf(createToken(asked)), merchantId)
  assert.equal(await tokens.merchantOf(createToken({ ...asked, privateKey: newKeyPair().privateKey })), null)
  assert.equal(await tokens.merchantOf(createToken({ ...asked, partnerId: 8 })), null)
})
