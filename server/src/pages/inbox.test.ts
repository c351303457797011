import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { InboxHookId } from '../core/ids.ts'
import { createArrivals } from './arrivals.ts'
import { inboxRoutes } from './inbox.ts'

test('nobody is waited for who has gone', async t => {
  const arrivals = createArrivals()
  const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const app = Fastify()
  t.after(() => app.close())
  inboxRoutes(app, {
    opens: async () => true,
    privateKeys: async () => [],
    insert: async () => {},
    list: async () => [],
    mails: { list: async () => [], find: async () => null },
    arrivals: {
      ...arrivals,
      enter(maxMs) {
        const waiter = arrivals.enter(maxMs)
        entered.resolve()
        void waiter.over.then(left.resolve)
        return waiter
      },
    },
    newHookId: () => '' as InboxHookId,
    newNonce: () => '',
    now: () => new Date(),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const waiting = http.get(`http://127.0.0.1:${port}/inbox/key/hooks?wait=1`)
  waiting.on('error', () => {})
  await entered.promise
  waiting.destroy()
  const tooLate = setTimeout(() => left.reject(new Error('it is still waited for')), 10_000)
  await left.promise
  clearTimeout(tooLate)
})
