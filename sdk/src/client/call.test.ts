// Calls against a server that misbehaves, over real sockets.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { call, type Pause } from './call.ts'
import {
  AbortError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DeclinedError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServiceError,
  StoppedByPreSaleError,
  TillbellError,
  TimeoutError,
} from './errors.ts'
import { type Operation, operations } from './operations.ts'
import { type CallOptions, checkedSettings, type TillbellOptions } from './settings.ts'

interface Seen {
  readonly url: string
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Behaviour = (response: ServerResponse) => void

const secret = 'sk_sécret'
const withBody = (status: number, body: unknown, headers: { [name: string]: string } = {}): Behaviour => {
  return response => response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
}
const sold = { transaction: { id: 'one', status: 'Successful' }, errors: null }
const done = withBody(200, sold, { 'x-request-id': 'r-1' })
const failed = (status: number, errorCode?: string) =>
  withBody(status, {
    transaction: { id: 'one', status: 'Failed', error_code: errorCode },
    errors: { general: 'It failed.' },
  })
const refused = (status: number, headers: { [name: string]: string } = {}) =>
  withBody(status, { transaction: null, errors: { general: 'No.' } }, { 'x-request-id': 'r-2', ...headers })
const cut: Behaviour = response => response.destroy()
const cutWithin: Behaviour = response => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"transaction":')
  setImmediate(() => response.destroy())
}
const never: Behaviour = () => {}
const neverEnds: Behaviour = response => void response.writeHead(200).write('{"transaction":')

interface Far {
  readonly baseUrl: string
  readonly seen: Seen[]
  readonly pausedMs: number[]
  ask(more?: Partial<TillbellOptions>, options?: CallOptions, operation?: Operation): Promise<unknown>
}

const pauseNot =
  (pausedMs: number[]): Pause =>
  async ms =>
    void pausedMs.push(ms)

/** Answers by turns, the last one from then on. Nothing is waited for between the tries. */
async function against(behaviours: readonly Behaviour[], work: (far: Far) => Promise<void>): Promise<void> {
  const seen: Seen[] = []
  const pausedMs: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url = '', method = '', headers } = request
    seen.push({ url, method, headers, body: Buffer.concat(chunks).toString() })
    const behaviour = behaviours[Math.min(seen.length, behaviours.length) - 1]
    behaviour?.(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask: Far['ask'] = (more, options = {}, operation = operations.transactions.create) => {
    const settings = checkedSettings({ apiKey: 'pk', apiSecret: secret, baseUrl, ...more })
    const asked = {
      operation,
      name: operation.path.includes('{') ? 'a/b' : null,
      arguments: { token: 'card' },
      options,
    }
    return call(settings, asked, pauseNot(pausedMs))
  }
  try {
    await work({ baseUrl, seen, pausedMs, ask })
  } finally {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

async function failureOf(work: Promise<unknown>): Promise<TillbellError> {
  const error = await work.then(
    () => assert.fail('it was answered'),
    error => error,
  )
  assert.ok(error instanceof TillbellError, inspect(error))
  assert.doesNotMatch(
    inspect(error, { depth: null, showHidden: true }),
    /sk_s|Basic|cGs6/,
    'the secret stays out of it',
  )
  return error
}

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

test('a redirect is not followed, wherever it leads', async () => {
  await against([done], async thief => {
    const location = `${thief.baseUrl}/steal?a=b`
    for (const status of [301, 302, 303, 307, 308]) {
      await against([withBody(status, '', { location })], async ({ seen, ask }) => {
        const error = await failureOf(ask())
        assert.ok(error instanceof ServiceError)
        assert.match(error.message, new RegExp(`redirects to ${thief.baseUrl}, which is not followed`))
        assert.equal(error.mayHaveHappened, false)
        assert.equal(seen.length, 1)
      })
    }
    assert.deepEqual(thief.seen, [])
  })
})

test('an answer that is not the service’s is no success, whatever its status', async () => {
  const others = ['<html>Welcome to the hotel</html>', '', '[]', '{}', '"text"', 'null', '{"transaction":null}']
  for (const body of others) {
    await against([withBody(200, body)], async ({ seen, ask }) => {
      const error = await failureOf(ask())
      assert.ok(error instanceof ServiceError, body)
      assert.equal(error.mayHaveHappened, true)
      assert.equal(seen.length, 1)
    })
  }
})

test('each cause has its class, with the sentences, the status and the request’s id', async () => {
  const classes = [
    [400, InvalidRequestError],
    [401, AuthenticationError],
    [403, InvalidRequestError],
    [404, NotFoundError],
    [409, ConflictError],
    [410, InvalidRequestError],
    [422, InvalidRequestError],
    [429, RateLimitedError],
    [500, ServiceError],
    [503, ServiceError],
  ] as const
  for (const [status, Expected] of classes) {
    await against([refused(status)], async ({ ask }) => {
      const error = await failureOf(ask({ retries: 0 }))
      assert.equal(error.constructor, Expected, String(status))
      assert.equal(error.name, Expected.name)
      assert.match(String(error.stack), new RegExp(`^${Expected.name}: No`))
      assert.deepEqual([error.status, error.requestId, error.errors], [status, 'r-2', { general: 'No.' }])
      assert.match(error.message, new RegExp(`^No\\..* \\(${status}, request r-2\\)$`))
      assert.equal(error.mayHaveHappened, status >= 500)
    })
  }
})

test('a declined charge, one stopped by Pre-Sale and one that did not reach the gateway are final, with their record', async () => {
  const finals = [
    [402, 'card_declined', DeclinedError],
    [409, 'pre_sale_stopped', StoppedByPreSaleError],
    [424, 'pre_sale_error', StoppedByPreSaleError],
    [502, 'gateway_not_reached', ServiceError],
  ] as const
  for (const [status, code, Expected] of finals) {
    await against([cut, failed(status, code)], async ({ seen, ask }) => {
      const error = await failureOf(ask())
      assert.equal(error.constructor, Expected, String(status))
      assert.equal(error.transaction?.error_code, code)
      assert.equal(error.mayHaveHappened, false, 'the record settles what the broken try left open')
      assert.equal(seen.length, 2)
    })
  }
})

test('a refusal after a try that broke off leaves the doubt', async () => {
  await against([cut, refused(401)], async ({ ask }) => {
    const error = await failureOf(ask())
    assert.ok(error instanceof AuthenticationError)
    assert.equal(error.mayHaveHappened, true)
  })
})

test('Deno, which has sentences in place of codes, is understood as well', async () => {
  const says = {
    'client error (Connect): tcp connect error: Connection refused (os error 111)': false,
    'client error (SendRequest): connection closed before message completed': true,
  }
  for (const [words, mayHaveHappened] of Object.entries(says)) {
    const cause = new Error(`error sending request for url (http://pay.example/x?email=a@b): ${words}`)
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause })
    }
    await against([done], async ({ ask }) => {
      const error = await failureOf(ask({ fetch, retries: 0 }))
      assert.equal(error.mayHaveHappened, mayHaveHappened)
      assert.ok(error.message.includes(words.replace(/^.*?: /, '')) && !error.message.includes('email'), error.message)
    })
  }
})

test('an error of fetch that holds the request does not bring the secret into ours', async () => {
  await against([done], async ({ ask }) => {
    const fetch = async (url: unknown, init: unknown) => {
      throw Object.assign(new Error(`could not send ${inspect(init)}`), { url, init, code: inspect(init) })
    }
    await failureOf(ask({ fetch: fetch as typeof globalThis.fetch, retries: 0 }))
  })
})
