import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AwayError } from '../core/away.ts'
import type { LaneName } from '../core/delivery.ts'
import { listenerUrl, type RelayAnswer } from '../core/hook-listener.ts'
import type { EndpointId, MerchantId, RelayId } from '../core/ids.ts'
import { type RelayStore, relayingPost } from './relay.ts'
import type { Posted } from './wire/sender.ts'

const lane: LaneName = { merchantId: 'm_1' as MerchantId, endpointId: 'e1' as EndpointId }
const request = { lane, url: listenerUrl('laptop'), body: 'details=1', timeoutMs: 10_000 }
const yes: RelayAnswer = { status: 200, reason: null, durationMs: 0, answer: 'ok' }

function world(store: Partial<RelayStore>) {
  const wire: Posted = { status: 204, reason: null, durationMs: 1, answer: '' }
  const known = { asked: 0, dropped: 0, errors: 0, wake: () => {} }
  const whole: RelayStore = { ask: async () => true, takeAnswer: async () => yes, drop: async () => null, ...store }
  const post = relayingPost(
    Object.assign(async () => wire, { cutOff: () => {} }),
    {
      store: {
        ask(...given) {
          known.asked += 1
          return whole.ask(...given)
        },
        takeAnswer: whole.takeAnswer,
        async drop(...given) {
          known.dropped += 1
          return whole.drop(...given)
        },
      },
      newId: () => 'r1' as RelayId,
      earFor: async () => ({
        wait: (withinMs, signal) =>
          new Promise(resolve => {
            known.wake = resolve
            const timer = setTimeout(resolve, Math.min(withinMs, 1))
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              resolve()
            })
          }),
        close: () => {},
      }),
      failed: () => {
        known.errors += 1
      },
    },
  )
  return { post, known }
}

test('what goes to a URL goes over the wire, and what goes to a listener does not', async () => {
  const { post, known } = world({})
  assert.equal((await post({ ...request, url: 'https://shop.example' })).status, 204)
  assert.equal(known.asked, 0)
  assert.deepEqual(await post(request), yes)
})

test('what it asks is a hook as on the wire, but for what is of one connection', async () => {
  let headers: unknown
  const { post } = world({
    async ask(_, asked) {
      headers = asked.headers
      return true
    },
  })
  await post({ ...request, moreHeaders: [['webhook-id', 'msg_1']] })
  assert.deepEqual(headers, [
    ['Accept', '*/*'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Connection', 'close'],
    ['webhook-id', 'msg_1'],
  ])
})

test('where nobody listens it fails at once', async () => {
  const { post, known } = world({ ask: async () => false, takeAnswer: () => assert.fail('nothing to wait for') })
  const { status, reason } = await post(request)
  assert.deepEqual([status, reason], [null, 'Nobody listens: tillbell listen has ended there, or lost its connection.'])
  assert.equal(known.errors, 0)
})

test('an answer that does not come in time is none, and nothing is left of the request', async () => {
  const { post, known } = world({ takeAnswer: async () => null })
  const { status, reason } = await post({ ...request, timeoutMs: 20 })
  assert.deepEqual([status, reason, known.dropped], [null, 'No answer within 0.02 s.', 1])
})

test('an answer of the last moment counts', async () => {
  const { post } = world({ takeAnswer: async () => null, drop: async () => yes })
  assert.deepEqual((await post({ ...request, timeoutMs: 20 })).status, 200)
})

test('it took no longer than it was waited for, whatever the machine says', async () => {
  const { post } = world({ takeAnswer: async () => ({ ...yes, durationMs: 1_000_000 }) })
  assert.ok((await post(request)).durationMs < 1_000_000)
})

test('who could not be asked because the database is away has no attempt counted', async () => {
  const { post } = world({ ask: () => Promise.reject(new AwayError()) })
  assert.equal((await post(request)).isOurs, true)
})

test('who was asked before the database went away was asked', async () => {
  const { post } = world({ takeAnswer: () => Promise.reject(new AwayError()) })
  assert.equal((await post(request)).isOurs, undefined)
})

test('what goes wrong here is a reason, not an exception', async () => {
  const { post, known } = world({
    async ask() {
      throw new Error('broken')
    },
  })
  const { status, reason } = await post(request)
  assert.deepEqual([status, reason], [null, 'It could not be sent: something went wrong on our side.'])
  assert.equal(known.errors, 1)
})

test('a process that stops does not wait for a listener', async () => {
  const { post } = world({ takeAnswer: async () => null })
  const waiting = post(request)
  post.cutOff()
  assert.equal((await waiting).reason, 'The service was stopped before the answer.')
})

test('what is cut alone does not wait for its listener, and the others do', async () => {
  const stop = new AbortController()
  let isThere = false
  const { post } = world({ takeAnswer: async () => (isThere ? yes : null) })
  const [cut, other] = [post({ ...request, cut: stop.signal }), post(request)]
  stop.abort()
  assert.equal((await cut).reason, 'The service was stopped before the answer.')
  isThere = true
  assert.equal((await other).status, 200)
})
