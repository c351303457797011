// A poll whose listener goes away while it waits, and one that waits while the service stops: over a real socket.

import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { MerchantId, RelayId } from '../core/ids.ts'
import { keywords } from '../http/fields.ts'
import { hookListenerRoutes } from './hook-listeners.ts'
import type { ApiPorts, ListenerPorts } from './ports.ts'

const path = '/hook_listeners/01a1e0e8-96dd-7000-bb23-b07647e6eb08/requests'
const request = {
  ...{ id: 'r1' as RelayId, kind: 'error' as const, headers: [], body: '' },
  ...{ deadline: new Date(0), leftMs: 1_000 },
}

async function serverWith(poll: ListenerPorts['poll']) {
  const app = Fastify({
    ajv: {
      customOptions: { allowUnionTypes: true },
      plugins: [ajv => keywords.reduce((all, keyword) => all.addKeyword(keyword), ajv)],
    },
  })
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async each => {
    each.caller = { merchantId: 'm_1' as MerchantId, name: 'key' }
  })
  await app.register(async rest => hookListenerRoutes(rest, { listeners: { poll } } as unknown as ApiPorts))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}` }
}

const aborted = (signal: AbortSignal) => new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))

test('what was taken for a listener that has gone is given back', async () => {
  const [begun, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { app, url } = await serverWith(async (_, __, ___, { gone }) => {
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
  const { app, url } = await serverWith(async (_, __, ___, { stopped }) => {
    begun.resolve()
    await aborted(stopped)
    return { requests: [], giveBack: async () => {} }
  })
  const answer = fetch(url, { headers: { Connection: 'close' } })
  await begun.promise
  await app.close()
  assert.deepEqual(await (await answer).json(), [])
})
