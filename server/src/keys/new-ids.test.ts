import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { parseCardToken, parseGatewayId, parseUuid } from '../core/ids.ts'
import { newApiKeyPair, newCardToken, newGatewayId, newMerchantId, sameHash, secretHash, uuidMaker } from './new-ids.ts'

const noonMs = Date.UTC(2026, 10, 15, 12)
const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function isRising(ids: readonly string[]): boolean {
  return ids.every((id, index) => index === 0 || (ids[index - 1] ?? '') < id)
}
const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

describe('a UUID', () => {
  test('is of version 7, lower case, and tells its time', () => {
    const uuid = uuidMaker(() => new Date(noonMs))()
    assert.match(uuid, version7)
    assert.equal(timeOf(uuid), noonMs)
    assert.equal(parseUuid(uuid), uuid)
  })

  test('is larger than the one before even when the clock stands still, for longer than a sequence lasts', () => {
    const make = uuidMaker(() => new Date(noonMs))
    const ids = Array.from({ length: 10_000 }, make)
    assert.ok(isRising(ids))
    assert.ok(ids.every(id => version7.test(id)))
    assert.ok(timeOf(ids.at(-1) ?? '') - noonMs <= 2, 'and hardly runs ahead')
  })

  test('is larger than the one before when the clock goes back', () => {
    let nowMs = noonMs
    const make = uuidMaker(() => new Date(nowMs))
    const ids: string[] = []
    for (const ms of [0, -1, -60_000, -60_000, 1, 0, 5, 4, 3_600_000, 0]) {
      nowMs = noonMs + ms
      ids.push(make())
    }
    assert.ok(isRising(ids))
  })

  test('rises whatever the clock does', () => {
    const times = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 200 })
    fc.assert(
      fc.property(times, steps => {
        let nowMs = noonMs
        const make = uuidMaker(() => new Date(nowMs))
        const ids = steps.map(step => {
          nowMs += step
          return make()
        })
        assert.ok(isRising(ids))
        assert.ok(ids.every(id => version7.test(id)))
      }),
    )
  })

  test('sorts by time across makers, and never meets another', () => {
    const at = (ms: number) => uuidMaker(() => new Date(noonMs + ms))()
    assert.ok(isRising([at(0), at(1), at(2), at(1_000)]))
    const alike = Array.from({ length: 1_000 }, () => at(0))
    assert.equal(new Set(alike).size, 1_000, 'of the same millisecond and sequence, by chance alone')
  })
})

describe('the forms of the interface', () => {
  test('a merchant is m_ and 22 characters, a gateway gw_ and 22', () => {
    assert.match(newMerchantId(), /^m_[A-Za-z0-9_-]{22}$/)
    assert.match(newGatewayId(), /^gw_[A-Za-z0-9_-]{22}$/)
    const id = newGatewayId()
    assert.equal(parseGatewayId(id), id)
  })

  test('a card token is 24 characters of base64url', () => {
    const token = newCardToken()
    assert.match(token, /^[A-Za-z0-9_-]{24}$/)
    assert.equal(parseCardToken(token), token)
  })

  test('an API key is pk_ and a secret sk_, each with 32 random bytes of its own', () => {
    const { key, secret } = newApiKeyPair()
    assert.match(key, /^pk_[A-Za-z0-9_-]{43}$/)
    assert.match(secret, /^sk_[A-Za-z0-9_-]{43}$/)
    assert.notEqual(key.slice(3), secret.slice(3))
  })

  test('none comes twice', () => {
    for (const make of [newMerchantId, newGatewayId, newCardToken, () => newApiKeyPair().secret]) {
      assert.equal(new Set(Array.from({ length: 1_000 }, make)).size, 1_000)
    }
  })
})

test('a secret is kept as its SHA-256, and compared with it', () => {
  const { secret } = newApiKeyPair()
  const hash = secretHash(secret)
  assert.deepEqual(hash, createHash('sha256').update(secret, 'utf8').digest())
  assert.equal(sameHash(hash, secretHash(secret)), true)
  assert.equal(sameHash(hash, secretHash(`${secret.slice(0, -1)}x`)), false)
  assert.equal(secretHash('abc').toString('hex').slice(0, 16), 'ba7816bf8f01cfea')
})
