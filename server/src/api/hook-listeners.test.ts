// A poll whose listener goes away while it waits, and one that waits while the service stops: over a real socket.

import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import Fastify, { type FastifyRequest } from 'fastify'
import type { ListenerId, MerchantId, RelayId } from '../core/ids.ts'
import { sendError } from '../http/errors.ts'
import { keywords } from '../http/fields.ts'
import { hookListenerRoutes } from './hook-listeners.ts'
import type { ApiPorts, ListenerPorts } from './ports.ts'

const path = '/hook_listeners/01a1e0e8-96dd-7000-bb23-b07647e6eb08/requests'
const request = {
  ...{ id: 'r1' as RelayId, kind: 'error' as const, headers: [], body: '' },
  ...{ deadline: new Date(0), leftMs: 1_000 },
}

interface Played {
  readonly start?: ListenerPorts['start']
  /** Before anything else is done with a request. */
  readonly first?: (request: FastifyRequest) => Promise<void>
}

async function serverWith(poll: ListenerPorts['poll'], { start, first }: Played = {}) {
  const app = Fastify({
    ajv: {
      customOptions: { allowUnionTypes: true },
      plugins: [ajv => keywords.reduce((all, keyword) => all.addKeyword(keyword), ajv)],
    },
  })
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorateRequest('caller', null)
  app.setErrorHandler(sendError)
  app.addHook('onRequest', async each => {
    await first?.(each)
    each.caller = { merchantId: 'm_1' as MerchantId, name: 'key', session: null }
  })
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async () => ({}))
  const ports = { listeners: { poll, start }, core: { service: { mode: 'sandbox' } } }
  await app.register(async rest => hookListenerRoutes(rest, ports as unknown as ApiPorts))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}` }
}

const headers = { 'Content-Type': 'application/json' }

const aborted = (signal: AbortSignal) => new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))

test('what was taken for a listener that has gone is given back', async () => {
  const [begun, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { app, url } = await serverWith(async ({ gone }) => {
    begun.resolve()
    await aborted(gone)
    return { requests: [request], giveBack: async () => back.resolve() }
  })
  const asking = http.get(url).on('error', () => {})
  await begun.promise
  asking.destroy()
  await back.promise
  await app.close()
})

test('what reaches its listener is not given back', async () => {
  let isGivenBack = false
  const { app, url } = await serverWith(async () => ({
    requests: [request],
    async giveBack() {
      isGivenBack = true
    },
  }))
  const rows = (await (await fetch(url)).json()) as { id: string }[]
  await app.close()
  assert.deepEqual([rows[0]?.id, isGivenBack], ['r1', false])
})

test('a service that stops lets nobody wait', async () => {
  const begun = Promise.withResolvers<void>()
  const { app, url } = await serverWith(async ({ stopped }) => {
    begun.resolve()
    await aborted(stopped)
    return { requests: [], giveBack: async () => {} }
  })
  const answer = fetch(url, { headers: { Connection: 'close' } })
  await begun.promise
  await app.close()
  assert.deepEqual(await (await answer).json(), [])
})

test('one whose connection broke before its key was looked up takes nothing, and counts for nothing', async () => {
  const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let polls = 0
  const { app, url } = await serverWith(
    async () => {
      polls += 1
      return { requests: [], giveBack: async () => {} }
    },
    {
      async first({ raw }) {
        begun.resolve()
        await new Promise(resolve => raw.socket.once('close', resolve))
        closed.resolve()
      },
    },
  )
  const asking = http.get(url).on('error', () => {})
  await begun.promise
  asking.destroy()
  await closed.promise
  await app.close()
  assert.equal(polls, 0)
})

test('a poll that was replaced, whose key was revoked, or whose listener has ended says so', async () => {
  for (const [polled, status] of [
    ['replaced', 409],
    ['key revoked', 401],
    ['ended', 404],
  ] as const) {
    const { app, url } = await serverWith(async () => polled)
    assert.equal((await fetch(url)).status, status)
    await app.close()
  }
})

test('starting again and again is slowed down, for each merchant', async () => {
  let started = 0
  const { app, url } = await serverWith(async () => 'ended', {
    async start(merchantId, { name, kinds }) {
      started += 1
      const listener = { merchantId, id: 'l1' as ListenerId, name, kinds, createdAt: new Date(0) }
      return { listener, backfilled: 0 }
    },
  })
  const start = () => fetch(new URL('/hook_listeners', url), { method: 'POST', body: '{}', headers })
  for (let each = 0; each < 10; each += 1) assert.equal((await start()).status, 200)
  const refused = await start()
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), started], [429, '10', 10])
  await app.close()
})
