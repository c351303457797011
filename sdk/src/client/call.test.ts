// How often a call is tried, under which key, and when it ends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  against,
  type Behaviour,
  cut,
  cutWithin,
  done,
  failureOf,
  never,
  neverEnds,
  refused,
  secret,
  sold,
  withBody,
} from '../../../server/test/support/misbehaving-server.ts'
import { call } from './call.ts'
import { AbortError, ConflictError, ConnectionError, RateLimitedError, TimeoutError } from './errors.ts'
import { operations } from './operations.ts'
import { checkedSettings } from './settings.ts'

test('a request has the credentials, its arguments and a key', async () => {
  await against([done], async ({ seen, ask }) => {
    assert.deepEqual(await ask(), {
      thing: sold.transaction,
      facts: { status: 200, requestId: 'r-1', idempotencyKey: seen[0]?.headers['idempotency-key'], replayed: false },
      link: null,
    })
    const [{ url, method, headers, body } = assert.fail()] = seen
    assert.deepEqual([method, url, JSON.parse(body)], ['POST', '/api/v5/rest/transactions', { token: 'card' }])
    assert.equal(Buffer.from(headers.authorization?.slice(6) ?? '', 'base64').toString(), `pk:${secret}`)
    assert.match(String(headers['idempotency-key']), /^[0-9a-f]{32}$/)
    assert.equal(headers['content-type'], 'application/json')
  })
})

test('what reads has no key, what is open no credentials, and a name in a path is encoded', async () => {
  await against([done], async ({ seen, ask }) => {
    await ask({}, {}, operations.transactions.get)
    await ask({}, {}, operations.token.register)
    assert.deepEqual(
      seen.map(({ url }) => url),
      ['/api/v5/rest/transactions/a%2Fb', '/token/registrations'],
    )
    assert.deepEqual(
      seen.map(({ headers }) => [headers['idempotency-key'], headers.authorization !== undefined]),
      [
        [undefined, true],
        [undefined, false],
      ],
    )
  })
})

test('a service under a path is asked there', async () => {
  await against([done], async ({ seen, baseUrl, ask }) => {
    await ask({ baseUrl: `${baseUrl}/pay/` })
    assert.equal(seen[0]?.url, '/pay/api/v5/rest/transactions')
  })
})

test('cut off, cut off within the answer, refused for now: all tries have one key, and the answer comes', async () => {
  const troubles = [cut, cutWithin, refused(503, { 'retry-after': '5' }), withBody(502, '<html>Bad gateway</html>')]
  await against([...troubles, done], async ({ seen, pausedMs, ask }) => {
    await ask({ retries: 4 })
    assert.equal(seen.length, 5)
    assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1)
    assert.equal(new Set(seen.map(({ body }) => body)).size, 1)
    assert.equal(pausedMs[2], 5_000)
  })
})

test('a key of the caller’s own is used, and two calls have two keys otherwise', async () => {
  await against([done], async ({ seen, ask }) => {
    await ask({}, { idempotencyKey: 'order-7' })
    await ask()
    await ask()
    const keys = seen.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys[0], 'order-7')
    assert.equal(new Set(keys).size, 3)
    await assert.rejects(ask({}, { idempotencyKey: 'a b' }), TypeError)
    await assert.rejects(ask({}, { idempotencyKey: '' }), TypeError)
    assert.equal(seen.length, 3)
  })
})

test('retries come to an end, and the error has the key to ask again with', async () => {
  await against([cut], async ({ seen, ask }) => {
    const error = await failureOf(ask({ retries: 2 }))
    assert.ok(error instanceof ConnectionError)
    assert.equal(error.name, 'ConnectionError')
    assert.equal(seen.length, 3)
    assert.equal(error.idempotencyKey, seen[0]?.headers['idempotency-key'])
    assert.equal(error.mayHaveHappened, true)
    assert.match(error.message, /may have been done all the same/)
  })
})

test('where nothing listens nothing was sent, and the error says so', async () => {
  let closed = ''
  await against([done], async ({ baseUrl }) => {
    closed = baseUrl
  })
  await against([done], async ({ ask }) => {
    const error = await failureOf(ask({ baseUrl: closed, retries: 1 }))
    assert.ok(error instanceof ConnectionError)
    assert.equal(error.mayHaveHappened, false)
    assert.match(error.message, /ECONNREFUSED/)
  })
})

test('a reading call that breaks off leaves no doubt', async () => {
  await against([cut], async ({ ask }) => {
    const error = await failureOf(ask({ retries: 0 }, {}, operations.transactions.get))
    assert.deepEqual([error.mayHaveHappened, error.idempotencyKey], [false, null])
  })
})

test('a try that takes too long is ended and made again; when all did, it is a time-out', async () => {
  for (const late of [never, neverEnds]) {
    await against([late, done], async ({ seen, ask }) => {
      await ask({ timeoutMs: 200, retries: 20 })
      assert.ok(seen.length >= 2)
    })
  }
  await against([never], async ({ seen, ask }) => {
    const error = await failureOf(ask({ timeoutMs: 20, retries: 1 }))
    assert.ok(error instanceof TimeoutError && error instanceof ConnectionError)
    assert.equal(error.name, 'TimeoutError')
    assert.equal(error.mayHaveHappened, true)
    assert.ok(seen.length <= 2)
  })
})

test('the deadline ends a call, whatever is left of its retries', async () => {
  await against([never], async ({ seen, ask }) => {
    const error = await failureOf(ask({ deadlineMs: 60, retries: 1_000 }))
    assert.ok(error instanceof TimeoutError)
    assert.ok(seen.length <= 1)
  })
  await against([refused(429, { 'retry-after': '3600' })], async ({ seen, pausedMs, ask }) => {
    const error = await failureOf(ask())
    assert.ok(error instanceof RateLimitedError)
    assert.deepEqual([error.retryAfterMs, seen.length, pausedMs.length], [3_600_000, 1, 0])
  })
})

test('the first run of the same request is waited for, for more than the retries', async () => {
  const running = refused(409, { 'retry-after': '1' })
  await against([cut, running, running, running, running, done], async ({ seen, ask }) => {
    await ask({ retries: 1 })
    assert.equal(seen.length, 6)
  })
  await against([running], async ({ ask }) => {
    const error = await failureOf(ask({ deadlineMs: 900 }))
    assert.ok(error instanceof ConflictError)
    assert.equal(error.mayHaveHappened, true)
  })
})

test('a signal ends a call under way and one that waits, and says whether it may have happened', async () => {
  const underWay = new AbortController()
  await against([() => underWay.abort()], async ({ ask }) => {
    const error = await failureOf(ask({}, { signal: underWay.signal }))
    assert.ok(error instanceof AbortError)
    assert.deepEqual([error.name, error.mayHaveHappened], ['AbortError', true])
  })
  await against([refused(503)], async ({ baseUrl, seen }) => {
    const controller = new AbortController()
    const settings = checkedSettings({ apiKey: 'pk', apiSecret: secret, baseUrl })
    const options = { signal: controller.signal }
    const asked = { operation: operations.transactions.get, name: 'one', arguments: {}, options }
    const waiting = call(settings, asked, async () => controller.abort())
    assert.ok((await failureOf(waiting)) instanceof AbortError)
    assert.equal(seen.length, 1)
    const error = await failureOf(call(settings, asked))
    assert.ok(error instanceof AbortError && !error.mayHaveHappened)
    assert.equal(seen.length, 1, 'nothing is sent for a signal that is aborted already')
  })
})

test('a wait that is an hour long ends with the signal', async () => {
  const controller = new AbortController()
  const busy: Behaviour = response => {
    refused(503, { 'retry-after': '3600' })(response)
    response.on('close', () => setTimeout(() => controller.abort(), 50))
  }
  await against([busy], async ({ baseUrl }) => {
    const settings = checkedSettings({ apiKey: 'pk', apiSecret: secret, baseUrl, deadlineMs: 7_200_000 })
    const options = { signal: controller.signal }
    const asked = { operation: operations.transactions.get, name: 'one', arguments: {}, options }
    assert.ok((await failureOf(call(settings, asked))) instanceof AbortError)
  })
})
