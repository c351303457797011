import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { createSealer, DoesNotOpenError } from './sealing.ts'

const secretKey = randomBytes(32)
const sealer = createSealer(secretKey)
const text = fc.string({ unit: fc.constantFrom(...'aZ09 "{}:\u0000é語😀'), maxLength: 200 })

function doesNotOpen(sealed: Buffer, belongsTo: string, by = sealer): void {
  assert.throws(() => by.open(sealed, belongsTo), DoesNotOpenError)
}

describe('a sealed value', () => {
  test('opens with the same key for the same owner, also in another process', () => {
    fc.assert(
      fc.property(text, text, (secret, owner) => {
        assert.equal(createSealer(secretKey).open(sealer.seal(secret, owner), owner), secret)
      }),
    )
  })

  test('does not open for another owner', () => {
    fc.assert(
      fc.property(text, text, text, (secret, owner, other) => {
        fc.pre(owner !== other)
        doesNotOpen(sealer.seal(secret, owner), other)
      }),
    )
  })

  test('does not open with another key', () => {
    doesNotOpen(sealer.seal('secret', 'merchant'), 'merchant', createSealer(randomBytes(32)))
  })

  test('does not open with any one bit of it flipped', () => {
    const sealed = sealer.seal('secret', 'merchant')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      doesNotOpen(changed, 'merchant')
    }
  })

  test('does not open when cut short or made longer', () => {
    const sealed = sealer.seal('secret', 'merchant')
    for (let length = 0; length < sealed.length; length++) doesNotOpen(sealed.subarray(0, length), 'merchant')
    doesNotOpen(Buffer.concat([sealed, Buffer.alloc(1)]), 'merchant')
  })

  test('differs each time, and does not show what it holds', () => {
    const seals = Array.from({ length: 50 }, () => sealer.seal('secret', 'merchant'))
    assert.equal(new Set(seals.map(sealed => sealed.toString('hex'))).size, 50)
    const nonces = seals.map(sealed => sealed.subarray(1, 13).toString('hex'))
    assert.equal(new Set(nonces).size, 50, 'a nonce is never used twice')
    for (const sealed of seals) assert.ok(!sealed.includes('secret') && !sealed.includes('merchant'))
  })

  test('that does not open says which one and what to check, and nothing of the secret', () => {
    const sealed = sealer.seal('secret', 'credentials of m_1')
    assert.throws(() => createSealer(randomBytes(32)).open(sealed, 'credentials of m_1'), {
      message: 'What is stored for credentials of m_1 does not open with this TILLBELL_SECRET_KEY.',
    })
  })
})

test('each use has a key of its own, the same every time', () => {
  const one = sealer.derive('card fingerprints')
  assert.deepEqual([one.length, one], [32, createSealer(secretKey).derive('card fingerprints')])
  assert.notDeepEqual(one, sealer.derive('something else'))
  assert.notDeepEqual(one, createSealer(randomBytes(32)).derive('card fingerprints'))
  assert.notDeepEqual(one, secretKey)
})
