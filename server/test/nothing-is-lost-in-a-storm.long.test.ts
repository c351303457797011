// Five minutes of the storm over a whole installation, with a new seed each time; `npm run storm` has ten, and runs a seed again.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { weather } from '../../storm/weather-report.ts'

test('five minutes of faults: nothing is lost, and nothing is done twice', { timeout: 1_100_000 }, async t => {
  const seed = randomInt(2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const { findings, ...counted } = await weather(seed, 300_000, line => t.diagnostic(line))
  t.diagnostic(JSON.stringify(counted))
  assert.deepEqual(findings, [], `again: npm run storm -- --minutes 5 --seed ${seed}`)
  assert.ok(counted.payments > 250 && counted.mails > 0, 'there was something to lose')
})
