import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNotKept } from './kept-json.ts'
import type { Json } from './offer.ts'

/** A list that counts how often one of its values is read. */
function counted(values: Json[]): { readonly list: Json; reads(): number } {
  let reads = 0
  const list = new Proxy(values, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^[0-9]+$/.test(name)) reads += 1
      return Reflect.get(target, name, receiver)
    },
  })
  return { list, reads: () => reads }
}

const nested = (value: Json, levels: number): Json => (levels === 0 ? value : nested([value], levels - 1))

test('each value is visited once, however deep it is', () => {
  const { list, reads } = counted(Array<Json>(1_000).fill(''))
  assert.equal(whyNotKept('a', nested(list, 30)), null)
  assert.equal(reads(), 1_000)
})

test('nothing is visited after the first fault', () => {
  const faults: [Json, RegExp][] = [
    ['\0', /NUL/],
    ['\ud800', /Unicode/],
    [Number.POSITIVE_INFINITY, /too large/],
    [JSON.parse('12345678901234567890'), /whole number beyond/],
    [[{ a: -9_007_199_254_740_992 }], /whole number beyond/],
    [nested(0, 33), /too deeply/],
    [{ 'a\0': 1 }, /NUL/],
  ]
  for (const [fault, says] of faults) {
    const { list, reads } = counted([1, fault, ...Array<Json>(1_000).fill('')])
    assert.match(whyNotKept('a', list) ?? '', says)
    assert.equal(reads(), 2, String(says))
  }
})

test('a name is looked at as its value is', () => {
  assert.match(whyNotKept('a\0', 1) ?? '', /NUL/)
  assert.match(whyNotKept('\udc00', 1) ?? '', /Unicode/)
  assert.match(whyNotKept('__proto__', 1) ?? '', /not a name/)
})
