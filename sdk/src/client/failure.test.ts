// What a call that got no answer is told.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import {
  against,
  cut,
  done,
  failed,
  failureOf,
  refused,
  withBody,
} from '../../../server/test/support/misbehaving-server.ts'
import {
  AuthenticationError,
  ConflictError,
  DeclinedError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServiceError,
  StoppedByPreSaleError,
} from './errors.ts'

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
