// What endpoints answer is written many at a time, as one text of all: whatever they say, each delivery keeps its own.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MerchantId, WorkerId } from '../src/core/ids.ts'
import { settleAttempts } from '../src/store/attempt-results.ts'
import { type Bench, openBench } from './support/bench.ts'
import { newLane, noon, OwedLane, resultOf } from './support/owed.ts'

const answers = [
  '',
  'ok',
  'NULL',
  'null',
  ' ',
  '  with blanks  ',
  '"',
  '""',
  '\\',
  '\\"',
  '\\\\n',
  "'",
  ',',
  '{}',
  '{a,b}',
  '}',
  '{"a":"\\"b\\"\\n"}',
  'two\r\nlines\n\n',
  '\t\u0001\u001f\u007f',
  'é € 😀 \uFFFD',
  '$1 $& %s',
  'x'.repeat(16_384),
]

let bench: Bench
let merchantId: MerchantId
const holder = crypto.randomUUID() as WorkerId
before(async () => {
  bench = await openBench()
  ;({ merchantId } = await bench.newShop())
})
after(() => bench.close())

for (const status of [200, 500]) {
  test(`each answer with ${status} is that of its delivery`, async () => {
    const lane = new OwedLane(bench.sql, await newLane(bench.sql, merchantId))
    await lane.owe(answers.length)
    const held = await lane.claim(holder, answers.length)
    const results = held.map((each, index) => {
      const { attempt, ...rest } = resultOf(each, noon, status)
      return { ...rest, attempt: { ...attempt, response: answers[index] ?? '' } }
    })
    assert.equal((await settleAttempts(bench.sql, merchantId, holder, results)).ids.length, answers.length)
    const kept = await bench.sql<{ id: string; response: string }[]>`
      select delivery_id as id, response from attempt where merchant_id = ${merchantId}`
    const answerOf = new Map(kept.map(({ id, response }) => [id, response]))
    assert.deepEqual(
      held.map(({ id }) => answerOf.get(id)),
      answers,
    )
  })
}
