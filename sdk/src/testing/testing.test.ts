import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { hookSchemas, parseHook, verifyHook } from '../index.ts'
import { type SampleName, sample, samples, signHook } from './index.ts'

const ajv = new Ajv2020({ allowUnionTypes: true })
const names = Object.keys(samples) as SampleName[]
const kindOfSample = (name: SampleName) => {
  if (name === 'authorization' || name === 'capture') return 'transaction'
  return name === 'void' || name === 'dispute' ? 'update' : name
}

describe('a sample', () => {
  test('is there for each kind, and is what the schema of its kind says', () => {
    for (const kind of Object.keys(hookSchemas)) assert.ok(kind in samples, kind)
    for (const name of names) {
      assert.ok(ajv.validate(hookSchemas[kindOfSample(name)], samples[name]), `${name}: ${ajv.errorsText()}`)
    }
  })

  test('can be changed in part, also inside, and the rest stays as it was', () => {
    const changed = sample('transaction', { amount: '5.00', user_data: { custom_data: { size: 'M' } } })
    const { user_data } = samples.transaction
    const custom_data = { ...user_data.custom_data, size: 'M' }
    assert.deepEqual(changed, { ...samples.transaction, amount: '5.00', user_data: { ...user_data, custom_data } })
    assert.equal(samples.transaction.amount, '100.00')
    assert.deepEqual(sample('far'), samples.far)
    assert.equal(sample('transaction', { card: null }).card, null)
  })

  test('of a name that is none is refused: a test must not pass on nothing', () => {
    for (const name of ['nope', 'toString'])
      assert.throws(() => sample(name as 'far'), { name: 'TypeError', message: /^There is no sample "\w+": .* far, / })
  })
})

describe('a signed hook', () => {
  test('verifies, is parsed as its kind, and is what fetch takes', async () => {
    for (const name of names) {
      const { body, details, signature, ...init } = signHook(sample(name), 'key')
      assert.ok(verifyHook(details, signature, 'key'))
      assert.deepEqual(parseHook(body, 'key', { kind: kindOfSample(name) }).details, samples[name])
      const request = new Request('https://shop.example/', { ...init, body })
      assert.equal(request.headers.get('content-type'), 'application/x-www-form-urlencoded')
      assert.equal(await request.text(), body)
    }
  })

  test('signs a text as it is', () => {
    assert.equal(signHook('{ "a": 1 }', 'key').details, '{ "a": 1 }')
  })
})
