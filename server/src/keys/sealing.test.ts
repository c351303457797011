import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { formTokens } from './form-tokens.ts'
import { knownBrowsers } from './known-browsers.ts'
import { createSealer, DoesNotOpenError, type Sealer } from './sealing.ts'

const secretKey = randomBytes(32)
const sealer = createSealer([secretKey])
const text = fc.string({ unit: fc.constantFrom(...'aZ09 "{}:\u0000é語😀'), maxLength: 200 })

function doesNotOpen(sealed: Buffer, belongsTo: string, by = sealer): void {
  assert.throws(() => by.open(sealed, belongsTo), DoesNotOpenError)
}

describe('a sealed value', () => {
  test('opens with the same key for the same owner, also in another process', () => {
    fc.assert(
      fc.property(text, text, (secret, owner) => {
        assert.equal(createSealer([secretKey]).open(sealer.seal(secret, owner), owner), secret)
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
    doesNotOpen(sealer.seal('secret', 'merchant'), 'merchant', createSealer([randomBytes(32)]))
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
    assert.throws(() => createSealer([randomBytes(32)]).open(sealed, 'credentials of m_1'), {
      message: 'What is stored for credentials of m_1 does not open with this TILLBELL_SECRET_KEY.',
    })
  })
})

test('each use has a key of its own, the same every time', () => {
  const first = (by: Sealer, use = 'card fingerprints') => by.derive(use)[0]
  const one = first(sealer)
  assert.deepEqual([one.length, one], [32, first(createSealer([secretKey]))])
  assert.notDeepEqual(one, first(sealer, 'something else'))
  assert.notDeepEqual(one, first(createSealer([randomBytes(32)])))
  assert.notDeepEqual(one, secretKey)
})

describe('where there are two keys', () => {
  const other = randomBytes(32)
  const before = createSealer([secretKey])
  const [aware, turned, after] = [
    createSealer([secretKey, other]),
    createSealer([other, secretKey]),
    createSealer([other]),
  ]

  test('the first seals, and each opens', () => {
    for (const [by, opens, does] of [
      [before, [before, aware, turned], [after]],
      [aware, [before, aware, turned], [after]],
      [turned, [aware, turned, after], [before]],
      [after, [aware, turned, after], [before]],
    ] as const) {
      const sealed = by.seal('secret', 'merchant')
      for (const each of opens) assert.equal(each.open(sealed, 'merchant'), 'secret')
      for (const each of does) doesNotOpen(sealed, 'merchant', each)
    }
  })

  test('it is known by which one a value opens, and by none for another owner', () => {
    const sealed = before.seal('secret', 'merchant')
    assert.deepEqual(aware.openedBy(sealed, 'merchant'), { text: 'secret', by: 0 })
    assert.deepEqual(turned.openedBy(sealed, 'merchant'), { text: 'secret', by: 1 })
    assert.equal(turned.openedBy(sealed, 'another'), null)
  })

  test('each has a name, which is the same everywhere and is no part of it', () => {
    const [name = '', second = ''] = aware.keyNames
    assert.match(name, /^[0-9a-f]{8}$/)
    assert.deepEqual([turned.keyNames, before.keyNames, after.keyNames], [[second, name], [name], [second]])
    for (const form of ['hex', 'base64'] as const) assert.ok(!secretKey.toString(form).includes(name))
  })

  test('a form that was shown under either is taken, and a browser that is known by either is known', () => {
    const [shown, taken] = [formTokens(before.derive('forms')), formTokens(turned.derive('forms'))]
    assert.ok(taken.fits('offer', shown.of('offer')))
    assert.ok(formTokens(aware.derive('forms')).fits('offer', taken.of('offer')))
    assert.ok(!taken.fits('offer', shown.of('another')))
    assert.ok(!formTokens(after.derive('forms')).fits('offer', shown.of('offer')))
    const cookie = knownBrowsers(before.derive('browsers')).newFor('a@example.com')
    const known = knownBrowsers(turned.derive('browsers'))
    assert.equal(known.idOf('a@example.com', cookie), cookie.split('.')[0])
    assert.equal(known.idOf('b@example.com', cookie), null)
    assert.equal(knownBrowsers(after.derive('browsers')).idOf('a@example.com', cookie), null)
  })
})
