// Requests that no client of ours would send, to every route of a whole service on a real database.
// Each takes milliseconds, so there are fewer of them than of bodies alone (hostile-input.test.ts).

import { join } from 'node:path'
import { test } from 'node:test'
import { budget } from './support/hostile/fuzz.ts'
import { fuzzApart, reached } from './support/hostile/fuzz-apart.ts'
import { repetitions } from './support/repetitions.ts'

test('requests: never a failure of ours, and where one is refused, nothing is written and nothing leaks', async t => {
  const startedMs = performance.now()
  const outcomes = await fuzzApart(
    join(import.meta.dirname, 'support/hostile/requests.ts'),
    budget(repetitions(500, 20_000)),
  )
  t.diagnostic(`${JSON.stringify(outcomes)} in ${Math.round(performance.now() - startedMs)} ms`)
  reached(outcomes, { done: 4, read: 5, refused: 30 })
})
