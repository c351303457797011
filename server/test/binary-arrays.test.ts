// Arrays in PostgreSQL's binary form say what the same ones say as text.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { int4Array, textArray, timestamptzArray, uuidArray } from '../src/store/binary-arrays.ts'
import { type Bench, openBench } from './support/bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const itself = <Value>(value: Value) => value
const lists = <Value>(of: fc.Arbitrary<Value>) => fc.array(of, { maxLength: 20 })

/** What a client reads of it. */
async function readAs(type: string, array: Buffer): Promise<unknown> {
  const [row] = await bench.sql`select ${array}::${bench.sql.unsafe(type)} as list`
  return row?.list
}

function holds<Value>(type: string, values: fc.Arbitrary<Value>, arrayOf: (list: readonly Value[]) => Buffer) {
  const property = fc.asyncProperty(lists(values), async list => {
    assert.deepEqual(await readAs(type, arrayOf(list)), list)
  })
  return fc.assert(property, { numRuns: 200 })
}

test('integers, the largest and the smallest too', () => {
  const edges = fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31))
  return holds(
    'int4[]',
    fc.oneof(
      edges,
      fc.maxSafeInteger().map(value => value | 0),
    ),
    list => int4Array(list, itself),
  )
})

test('an integer that is too large is refused, and not made another', () => {
  for (const value of [2 ** 31, -(2 ** 31) - 1]) assert.throws(() => int4Array([value], itself), RangeError)
})

test('UUIDs', () => holds('uuid[]', fc.uuid(), list => uuidArray(list, itself)))

test('what is not a UUID is refused, and nothing else is sent in its place', () => {
  const id = '0198c0de-abcd-7ef0-9abc-def012345678'
  for (const other of ['', id.slice(1), id.replace('c', 'z'), id.replace('0', '{')])
    assert.throws(() => uuidArray([id, other, id], itself), RangeError)
})

test('a UUID in capitals', async () => {
  const id = '0198C0DE-ABCD-7EF0-9ABC-DEF012345678'
  assert.deepEqual(await readAs('uuid[]', uuidArray([id], itself)), [id.toLowerCase()])
})

test('times, before 2000 and after 2106 too', () => {
  const times = fc.date({ min: new Date('1900-01-01'), max: new Date('2300-01-01'), noInvalidDate: true })
  return holds('timestamptz[]', times, list => timestamptzArray(list, itself))
})

test('texts of any letters, quotes and braces, and empty ones', () => {
  const letters = fc.constantFrom('"', '\\', '{', '}', ',', ' ', 'NULL', 'é', '€', '😀', '\n', 'a')
  const texts = fc.oneof(
    fc.string(),
    fc.array(letters).map(list => list.join('')),
  )
  const storable = texts.map(text => text.replaceAll('\0', ''))
  return holds('text[]', storable, list => textArray(list, itself))
})
