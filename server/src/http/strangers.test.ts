import assert from 'node:assert/strict'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import fastify from 'fastify'
import { ApiError } from './errors.ts'
import { limitStrangers } from './strangers.ts'

test('a connection that was reset before its request is begun is no failure of ours', async t => {
  const { promise: refused, resolve } = Promise.withResolvers<unknown>()
  const app = fastify({
    serverFactory: handler =>
      http.createServer((request, response) => {
        request.socket.resetAndDestroy()
        handler(request, response)
      }),
  })
  limitStrangers(app, () => null)
  app.get('/', async () => 'hello')
  app.setErrorHandler(async error => resolve(error))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const client = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n')
  const error = await refused
  assert.ok(error instanceof ApiError, String(error))
  assert.equal(error.status, 400)
})
