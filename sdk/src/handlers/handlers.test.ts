// What every handler promises, asked of each over a real socket or with a real Request; and below, what each has for itself.

import assert from 'node:assert/strict'
import { once as event } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { BadSignatureError, type Hook, memoryStore, once, WrongKindError } from '../index.ts'
import { sample, samples, signHook } from '../testing/index.ts'
import * as forExpress from './express.ts'
import * as forFastify from './fastify.ts'
import * as forFetch from './fetch.ts'
import * as forHono from './hono.ts'
import * as forNext from './next.ts'
import type { HookSettings } from './settings.ts'

const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
const seen: Hook[] = []
const errors: unknown[] = []
let said: unknown = true
const see = async (hook: Hook) => {
  seen.push(hook)
  if (hook.details.name === 'fails') throw new Error('no such customer')
}
const settings: HookSettings = {
  privateKey: [undefined, privateKey],
  on: {
    pre_sale: async hook => {
      await see(hook)
      return said as boolean
    },
    transaction: see,
    far_or_error: see,
  },
  onError: error => errors.push(error),
}

type Ask = (path: string, init: RequestInit) => Promise<Response>
interface Opened {
  readonly ask: Ask
  readonly close?: () => Promise<unknown>
}

const at = (path: string) => `http://shop.example${path}`

async function listening(listener: RequestListener): Promise<Opened & { readonly port: number }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await event(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => new Promise(resolve => server.close(resolve))
  return { port, ask: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init), close }
}

const kinds: { readonly [name: string]: () => Promise<Opened> } = {
  express: () => listening(express().all('/hooks/:kind', forExpress.hookHandler(settings))),
  'node:http': () => listening(forExpress.hookHandler(settings)),
  async fastify() {
    const app = Fastify()
    app.register(forFastify.hookPlugin({ path: '/hooks/:kind', ...settings }))
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return { ask: (path, init) => fetch(url + path, init), close: () => app.close() }
  },
  async hono() {
    const app = new Hono().all('/hooks/:kind', forHono.hookHandler(settings))
    return { ask: async (path, init) => app.fetch(new Request(at(path), init)) }
  },
  async next() {
    const route = forNext.hookRoute(settings)
    const params = async (path: string) => ({ kind: path.split('/').at(-1) })
    return { ask: (path, init) => route(new Request(at(path), init), { params: params(path) }) }
  },
  async fetch() {
    const handler = forFetch.hookHandler(settings)
    return { ask: (path, init) => handler(new Request(at(path), init)) }
  },
}

for (const [name, open] of Object.entries(kinds)) {
  describe(name, () => {
    let opened: Opened
    before(async () => {
      opened = await open()
    })
    after(() => opened.close?.())

    const send = async (path: string, init: RequestInit) => {
      seen.length = 0
      errors.length = 0
      const response = await opened.ask(path, init)
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text), response }
    }
    const hook = (of: Parameters<typeof sample>[0], over = {}) => signHook(sample(of, over), privateKey)

    test('hands a verified hook on, and answers 200', async () => {
      const { status, body, response } = await send('/hooks/transaction', hook('transaction', { name: 'Zoë & 語 +%' }))
      assert.deepEqual([status, body, seen.length, errors.length], [200, { ok: true }, 1, 0])
      assert.match(response.headers.get('content-type') ?? '', /application\/json/)
      assert.deepEqual(seen[0]?.details, sample('transaction', { name: 'Zoë & 語 +%' }))
    })

    test('takes the kind from the route', async () => {
      await send('/hooks/generic', hook('far'))
      assert.equal(seen[0]?.kind, 'far_or_error')
      const { status } = await send('/hooks/transaction', hook('pre_sale'))
      assert.deepEqual([status, seen.length], [400, 0])
      assert.ok(errors[0] instanceof WrongKindError)
      for (const path of ['/hooks/update', '/hooks/toString', '/hooks/far']) {
        const { status, body } = await send(path, hook('update'))
        assert.equal(status, 404, path)
        assert.match(body.message, /one of pre_sale, transaction, generic\.$/)
      }
    })

    test('answers Pre-Sale as the callback decides', async () => {
      const answers = [
        { returned: true, status: 200, body: { ok: true } },
        { returned: { ok: true }, status: 200, body: { ok: true } },
        { returned: false, status: 409, body: { stop: '' } },
        { returned: { stop: 'Sold out' }, status: 409, body: { stop: 'Sold out' } },
        { returned: { ok: true, stop: undefined }, status: 200, body: { ok: true } },
        { returned: { ok: true, stop: null }, status: 200, body: { ok: true } },
        { returned: undefined, status: 500, body: { error: 'failed', message: 'The application failed.' } },
        { returned: { ok: false }, status: 500, body: { error: 'failed', message: 'The application failed.' } },
      ]
      for (const { returned, status, body } of answers) {
        said = returned
        const answered = await send('/hooks/pre_sale', hook('pre_sale'))
        assert.deepEqual([answered.status, answered.body], [status, body])
      }
      said = true
      assert.equal((await send('/hooks/pre_sale', hook('pre_sale', { name: 'fails' }))).status, 500)
    })

    test('answers 500 where the callback throws, and tells the caller nothing of it', async () => {
      const { status, body } = await send('/hooks/transaction', hook('transaction', { name: 'fails' }))
      assert.deepEqual([status, body.message], [500, 'The application failed.'])
      assert.match(String(errors), /no such customer/)
    })

    test('answers 403 to what does not verify, 400 to what is no hook, 405 to what is not posted', async () => {
      const forged = await send('/hooks/transaction', signHook(samples.transaction, `${privateKey} `))
      assert.deepEqual([forged.status, forged.body.error], [403, 'bad_signature'])
      assert.ok(errors[0] instanceof BadSignatureError)
      assert.equal(forged.body.message, 'The signature does not verify.', 'hints are for the log alone')
      for (const body of ['', 'a=b', '{}']) {
        const headers = { 'content-type': 'application/json' }
        assert.equal((await send('/hooks/transaction', { method: 'POST', body, headers })).status, 400, body)
      }
      if (name !== 'next') {
        const got = await send('/hooks/transaction', { method: 'GET' })
        assert.deepEqual([got.status, got.response.headers.get('allow')], [405, 'POST'])
      }
      assert.equal(seen.length, 0)
    })

    test('answers 413 to what is larger than a hook', async () => {
      const large = { ...hook('transaction'), body: 'x'.repeat(262_145) }
      assert.equal((await send('/hooks/transaction', large)).status, 413)
      const stream = new Blob(['x'.repeat(300_000)]).stream()
      const streamed = { method: 'POST', body: stream, duplex: 'half' } as RequestInit
      assert.equal((await send('/hooks/transaction', streamed)).status, 413)
    })
  })
}

describe('express after a body parser', () => {
  const handler = forExpress.hookHandler(settings)
  const signed = signHook(sample('transaction', { name: 'Zoë & 語 +%' }), privateKey)

  async function answeredAfter(...parsers: express.RequestHandler[]) {
    errors.length = 0
    const { ask, close } = await listening(express().post('/hooks/:kind', ...parsers, handler))
    try {
      return (await ask('/hooks/transaction', signed)).status
    } finally {
      await close?.()
    }
  }

  test('works where what was signed is still there', async () => {
    assert.equal(await answeredAfter(express.urlencoded()), 200)
    assert.equal(await answeredAfter(express.urlencoded({ extended: true })), 200)
    assert.equal(await answeredAfter(express.raw({ type: '*/*' })), 200)
    assert.equal(await answeredAfter(express.text({ type: '*/*' })), 200)
    assert.equal(await answeredAfter(express.json()), 200)
    const keep = { verify: (request: object, _: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody }) }
    const drop: express.RequestHandler = (request, _, next) => {
      request.body = undefined
      next()
    }
    assert.equal(await answeredAfter(express.urlencoded(keep), drop), 200)
  })

  test('explains where it is not', async () => {
    const parse: express.RequestHandler = (request, _, next) => {
      request.body.details = JSON.parse(request.body.details)
      next()
    }
    assert.equal(await answeredAfter(express.urlencoded(), parse), 400)
    assert.match(String(errors), /details is an object.*Express/)
    const empty: express.RequestHandler = (request, _, next) => {
      request.body = {}
      next()
    }
    assert.equal(await answeredAfter(express.urlencoded(), empty), 400)
    assert.match(String(errors), /left nothing of it/)
  })

  /** As adapters of serverless platforms have it: the body is parsed, and nothing more comes of it. */
  async function answeredBy(request: { readonly body: unknown; readonly readableDidRead?: boolean }) {
    errors.length = 0
    const response = { statusCode: 0, setHeader: () => {}, end: () => {} }
    const silent = { method: 'POST', url: '/hooks/transaction', on: () => {}, ...request }
    const answered = handler(silent, response).then(() => response.statusCode)
    const late = new Promise(resolve => setImmediate(resolve, 'still waiting'))
    return Promise.race([answered, late])
  }

  test('waits for nothing more where the body is there, whoever made the request', async () => {
    const { details, signature } = signed
    assert.equal(await answeredBy({ body: { details, signature } }), 200)
    assert.equal(await answeredBy({ body: { details, signature }, readableDidRead: false }), 200)
    assert.equal(await answeredBy({ body: { details, signature }, readableDidRead: true }), 200)
    assert.equal(await answeredBy({ body: { details: JSON.parse(details), signature } }), 400)
    assert.match(String(errors), /details is an object/)
  })

  test('waits for no body that does not come', async () => {
    errors.length = 0
    const { port, close } = await listening(express().post('/hooks/:kind', handler))
    const socket = connect(port, '127.0.0.1')
    socket.end('POST /hooks/transaction HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\ndetails=')
    socket.resume()
    await event(socket, 'close')
    await close?.()
    assert.equal(errors.length, 1)
  })
})

test('a route’s parameter says the kind, wherever in the path it stands', async () => {
  const app = Fastify()
  app.register(forFastify.hookPlugin({ path: '/:kind/here', ...settings }))
  const hono = new Hono().post('/:kind/here', forHono.hookHandler(settings))
  const route = forNext.hookRoute(settings)
  const { ask, close } = await listening(express().post('/:kind/here', forExpress.hookHandler(settings)))
  const init = signHook(samples.transaction, privateKey)
  const { method, headers, body: payload } = init
  const answers = [
    (await ask('/transaction/here', init)).status,
    (await app.inject({ method, url: '/transaction/here', headers, payload })).statusCode,
    (await hono.request('/transaction/here', init)).status,
    (await route(new Request(at('/transaction/here'), init), { params: { kind: 'transaction' } })).status,
  ]
  await Promise.all([close?.(), app.close()])
  assert.deepEqual(answers, [200, 200, 200, 200])
})

test('a route’s parameter goes before the only callback, and one that names no kind is none', async context => {
  const seen: string[] = []
  const only: HookSettings = { privateKey, on: { error: hook => seen.push(hook.kind) }, onError: () => {} }
  const app = Fastify()
  app.register(forFastify.hookPlugin({ path: '/:kind/here', ...only }))
  const hono = new Hono().post('/:kind/here', forHono.hookHandler(only))
  const route = forNext.hookRoute(only)
  const { ask, close } = await listening(express().post('/:kind/here', forExpress.hookHandler(only)))
  context.after(() => Promise.all([close?.(), app.close()]))
  const init = signHook(samples.error, privateKey)
  const { method, headers, body: payload } = init
  for (const [kind, status] of Object.entries({ far: 404, error: 200, shop: 200 })) {
    const path = `/${kind}/here`
    const answers = [
      (await ask(path, init)).status,
      (await app.inject({ method, url: path, headers, payload })).statusCode,
      (await hono.request(path, init)).status,
      (await route(new Request(at(path), init), { params: Promise.resolve({ kind }) })).status,
    ]
    assert.deepEqual(answers, [status, status, status, status], kind)
  }
  assert.equal(seen.length, 8)
})

test('fastify keeps its own parsers outside of the plugin, and none of them comes inside', async () => {
  const app = Fastify()
  const form = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(form, { parseAs: 'string' }, async (_: unknown, body: string) => new URLSearchParams(body))
  app.register(forFastify.hookPlugin({ path: '/hooks/:kind', ...settings }))
  app.post('/json', async request => ({ got: request.body }))
  const answered = await app.inject({ method: 'POST', url: '/json', payload: { a: 1 } })
  assert.deepEqual(answered.json(), { got: { a: 1 } })
  const { method, headers, body: payload } = signHook(samples.transaction, privateKey)
  const hook = await app.inject({ method, url: '/hooks/transaction', headers, payload })
  assert.equal(hook.statusCode, 200)
  await app.close()
})

test('fastify refuses nothing that the plugin would not, and the plugin tells of what it refuses', async context => {
  const app = Fastify()
  app.register(forFastify.hookPlugin({ path: '/hooks/:kind', ...settings }))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  context.after(() => app.close())
  const { method, body } = signHook(samples.transaction, privateKey)
  const send = async (contentType: string, content: string, kind = 'transaction') => {
    errors.length = 0
    const headers = { 'content-type': contentType }
    const response = await fetch(`${url}/hooks/${kind}`, { method, headers, body: content })
    return [
      response.status,
      ((await response.json()) as { error?: string }).error,
      errors.map(each => (each as Error).name),
    ]
  }
  for (const contentType of ['', 'nonsense', 'text/plain', 'application/json', 'a/b; c']) {
    assert.deepEqual(await send(contentType, body), [200, undefined, []], contentType)
  }
  for (const contentType of ['application/x-www-form-urlencoded', 'nonsense']) {
    const large = 'x'.repeat(300_000)
    assert.deepEqual(await send(contentType, large), [413, 'too_large', ['TooLargeError']], contentType)
    assert.deepEqual(await send(contentType, large, 'update'), [404, 'no_such_route', []], contentType)
  }
})

test('fastify has what others threw handled where the application wants that', async context => {
  const app = Fastify()
  app.addHook('onRequest', async () => {
    throw new Error('not from this network')
  })
  app.setErrorHandler(async (_, __, reply) => reply.code(418).send({ by: 'the application' }))
  app.register(forFastify.hookPlugin({ path: '/hooks/:kind', ...settings }))
  context.after(() => app.close())
  const { method, headers, body: payload } = signHook(samples.transaction, privateKey)
  const answered = await app.inject({ method, url: '/hooks/transaction', headers, payload })
  assert.deepEqual([answered.statusCode, answered.json()], [418, { by: 'the application' }])
})

test('a Request whose body was read before is explained', async () => {
  errors.length = 0
  const request = new Request(at('/hooks/transaction'), signHook(samples.transaction, privateKey))
  await request.text()
  assert.equal((await forFetch.hookHandler(settings)(request)).status, 400)
  assert.match(String(errors), /read the body of this Request before/)
})

test('a copy of a hook that is being handled is answered 503, so that it comes again', async () => {
  let finish = () => {}
  const work = new Promise<void>(resolve => {
    finish = resolve
  })
  const handler = forFetch.hookHandler({ ...settings, on: { transaction: once(memoryStore(), () => work) } })
  const ask = () => handler(new Request(at('/'), signHook(samples.transaction, privateKey)))
  const first = ask()
  assert.equal((await ask()).status, 503)
  finish()
  assert.equal((await first).status, 200)
  assert.equal((await ask()).status, 200)
})
