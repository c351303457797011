import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ForwardedHook, hookJson, hookLine, startLines } from './listen-lines.ts'

const details = { type: 'success', amount: '100.00', transaction: '01a1e0e8-96dd-7000-bb23-b07647e6eb08' }
const hook: ForwardedHook = {
  at: new Date(2026, 10, 15, 9, 5, 7),
  kind: 'transaction',
  body: `details=${encodeURIComponent(JSON.stringify(details))}&signature=00`,
  status: 200,
  reason: null,
  durationMs: 12,
  answer: 'ok',
  untaken: null,
}

test('a hook is one line: when, what, how much, of which payment, and what came of it', () => {
  assert.equal(
    hookLine(hook, false),
    '09:05:07  transaction     100.00  01a1e0e8-96dd-7000-bb23-b07647e6eb08  → 200 in 12 ms',
  )
})

test('what follows an answer that is no yes is said', () => {
  const ends: readonly [Partial<ForwardedHook>, RegExp][] = [
    [{ status: 500 }, /→ 500 in 12 ms {2}It is tried ten times in all\.$/],
    [
      { status: 404 },
      /→ 404 in 12 ms {2}Your app has no route or callback for transaction\. It is tried ten times in all\.$/,
    ],
    [{ status: 400 }, /Does your app take another kind at this URL\? It is tried ten times in all\.$/],
    [{ kind: 'pre_sale', status: 400 }, /Does your app take another kind at this URL\? The sale is stopped\.$/],
    [{ status: 405 }, /Your app takes no POST there\. It is tried ten times in all\.$/],
    [{ kind: 'pre_sale', status: 404 }, /Your app has no route or callback for pre_sale\. The sale is stopped\.$/],
    [{ status: 302 }, /→ 302 in 12 ms {2}A redirect is not followed\. It is tried ten times in all\.$/],
    [{ status: 403 }, /Does your app have the Private Key of this merchant\? It is tried ten times in all\.$/],
    [
      { status: null, reason: 'Nothing listens on port 3000 of localhost.' },
      /→ Nothing listens on port 3000 of localhost\. {2}It is/,
    ],
    [{ kind: 'pre_sale', status: 409 }, /The sale is stopped\.$/],
    [{ kind: 'pre_sale', status: 503 }, /The sale fails with an error\.$/],
    [{ kind: 'pre_sale', status: null, reason: 'No answer within 10 s.' }, /The sale fails with an error\.$/],
    [{ kind: 'pre_sale', status: 201 }, /→ 201 in 12 ms$/],
    [{ untaken: 'late' }, /That was too late: the service did not wait any longer\.$/],
    [{ untaken: { refusal: 'Not so.' } }, /The service did not take this answer: Not so\.$/],
  ]
  for (const [change, says] of ends) assert.match(hookLine({ ...hook, ...change }, false), says)
})

test('colour is only where it is wanted', () => {
  assert.ok(hookLine(hook, true).endsWith('→ \x1b[32m200\x1b[0m in 12 ms'))
  assert.ok(!hookLine({ ...hook, status: 500 }, false).includes('\x1b'))
})

test('in JSON the same is one object', () => {
  assert.deepEqual(JSON.parse(hookJson({ ...hook, status: 403 })), {
    event: 'hook',
    at: hook.at.toISOString(),
    kind: 'transaction',
    ...details,
    status: 403,
    duration_ms: 12,
    reason: null,
    late: false,
    hint: 'Does your app have the Private Key of this merchant? It is tried ten times in all.',
  })
})

test('it begins with what it does, and how to stop it', () => {
  const listener = { merchant: 'm_1', mode: 'sandbox', name: 'laptop', kinds: ['pre_sale', 'error'], backfilled: 3 }
  const lines = startLines(listener, { baseUrl: 'http://till', forwardTo: 'http://localhost:3000/{kind}' })
  assert.deepEqual(lines, [
    'Listening for hooks of m_1 at http://till (sandbox), as listen://laptop.',
    'Forwarding pre_sale, error to http://localhost:3000/{kind}',
    'Your app answers Pre-Sale: 2xx lets a sale go on, anything else stops it.',
    'First come 3 from before, the oldest first, several at once.',
    'Ctrl-C stops it.',
    '',
  ])
  const onePath = startLines(listener, { baseUrl: 'http://till', forwardTo: 'http://localhost:3000/' })
  assert.ok(onePath.includes('All kinds go to one path; {kind} in the URL would tell them apart.'))
  const oneKind = startLines({ ...listener, kinds: ['error'] }, { baseUrl: 'http://till', forwardTo: 'http://app/' })
  assert.ok(!oneKind.some(line => line.includes('one path')))
})
