// Over TLS: what proves that nothing left.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { inTime } from '../../../test/gateways/conformance/bench.ts'
import { createAuthority, expired } from '../../../test/support/certificates.ts'
import { createExchanger, type Exchanged } from './exchange.ts'

async function exchangedWith(context: TestContext, server: Server): Promise<Exchanged> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const exchanger = createExchanger()
  context.after(() => {
    exchanger.close()
    server.close()
  })
  const port = String((server.address() as AddressInfo).port)
  const ask = {
    protocol: 'https',
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/',
    headers: {},
    body: 'a=b',
  } as const
  return exchanger.exchange(ask, inTime())
}

test('a handshake that fails is not_sent', async context => {
  const result = await exchangedWith(
    context,
    createServer(socket => socket.end('220 smtp.example ESMTP\r\n')),
  )
  assert.ok(result.kind === 'not_sent' && result.code === 'gateway_not_reached')
})

test('a peer whose certificate is not trusted is not_sent, and reads nothing', async context => {
  const { cert, key } = createAuthority('nobody').issue('127.0.0.1')
  let heard = ''
  const server = createTlsServer({ cert, key }, socket => {
    socket.on('error', () => {})
    socket.on('data', chunk => {
      heard += chunk.toString()
    })
  })
  const result = await exchangedWith(context, server)
  assert.ok(result.kind === 'not_sent' && result.code === 'gateway_not_reached')
  assert.equal(heard, '')
})

test('an expired certificate is not_sent, and named', async context => {
  const { cert, key } = createAuthority('nobody').issue('127.0.0.1', expired())
  const result = await exchangedWith(
    context,
    createTlsServer({ cert, key }, socket => socket.on('error', () => {})),
  )
  assert.ok(result.kind === 'not_sent' && /CERT_HAS_EXPIRED/.test(result.cause), JSON.stringify(result))
})
