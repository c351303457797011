// Whatever strangers send to each parser that they reach: nothing throws, nothing hangs, and what is taken means one thing.

import { join } from 'node:path'
import { test } from 'node:test'
import { budget } from './support/hostile/fuzz.ts'
import { fuzzApart, reached } from './support/hostile/fuzz-apart.ts'
import { repetitions } from './support/repetitions.ts'

/** What they send, what holds, and how many of a hundred cases end how at least: less, and they were worth nothing. */
const parsers: readonly [file: string, promise: string, reaches: { readonly [word: string]: number }][] = [
  ['bodies', 'bodies of requests: what is taken, everybody reads the same way', { taken: 10, refused: 30 }],
  ['credentials', 'credentials: only the very key with the very secret come in', { in: 10, out: 30 }],
  ['tokens', 'tokens: only what a merchant sealed opens, in its one spelling', { open: 1, closed: 2, 'no token': 30 }],
  ['hook-answers', 'answers to hooks: each is decided as a strict reader would', { passed: 5, stopped: 5, error: 20 }],
  [
    'smtp-dialogues',
    'SMTP: what is taken stands between an allowed DATA and its end',
    { '0 taken': 10, '1 taken': 10 },
  ],
  ['stripe-notices', 'notices: only what was signed is believed, and taken at its word', { payment: 2, refused: 20 }],
  [
    'page-forms',
    'forms of pages: only what a page has shown is ordered',
    { read: 10, wrong: 10, refused: 20, ordered: 1, 422: 1 },
  ],
]

for (const [file, promise, reaches] of parsers) {
  test(promise, async t => {
    const startedMs = performance.now()
    const outcomes = await fuzzApart(
      join(import.meta.dirname, `support/hostile/${file}.ts`),
      budget(repetitions(2_000, 100_000)),
    )
    t.diagnostic(`${JSON.stringify(outcomes)} in ${Math.round(performance.now() - startedMs)} ms`)
    reached(outcomes, reaches)
  })
}
