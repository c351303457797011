// Over TLS a request leaves when the other side has proven who it is, and not before.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import braintree from 'braintree'
import { chargeWith, inTime } from '../../../test/gateways/conformance/bench.ts'
import { credentialsAt } from '../../../test/support/braintree/server.ts'
import { createAuthority, expired } from '../../../test/support/certificates.ts'
import { readAccount } from './account.ts'
import { openBraintree } from './adapter.ts'

const authority = createAuthority('Trusted')
setDefaultCACertificates([...getCACertificates(), authority.cert])

async function gatewayTo(context: TestContext, server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const port = String((server.address() as AddressInfo).port)
  const environment = new braintree.Environment('localhost', port, '', true, '', '')
  return openBraintree({ ...readAccount(credentialsAt(9)), environment, isSecure: true }, Buffer.alloc(32))
}

const charge = await chargeWith({ storeCard: async () => ({ kind: 'stored', cardRef: 'card' }) } as never, {
  reference: 'x',
  mask: '1111',
  expiryMonth: 12,
  expiryYear: 2036,
})

function secureServer(certificate: { cert: string; key: string }, heard: string[]) {
  return createServer(certificate, socket => {
    socket.on('error', () => {})
    socket.on('data', chunk => {
      heard.push(String(chunk))
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
    })
  })
}

test('whoever cannot prove to be Braintree gets no request', async context => {
  const heard: string[] = []
  const stranger = secureServer(createAuthority('Stranger').issue('localhost'), heard)
  const otherHost = secureServer(authority.issue('example.com'), heard)
  const noTls = createPlainServer(socket => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'))
  for (const server of [stranger, otherHost, noTls]) {
    const gateway = await gatewayTo(context, server)
    const outcome = await gateway.send(charge, inTime())
    assert.ok(outcome.kind === 'not_sent' && outcome.code === 'gateway_not_reached', JSON.stringify(outcome))
  }
  assert.deepEqual(heard, [])
})

test('an expired certificate is named', async context => {
  const heard: string[] = []
  const gateway = await gatewayTo(context, secureServer(authority.issue('localhost', expired()), heard))
  const outcome = await gateway.send(charge, inTime())
  assert.ok(outcome.kind === 'not_sent' && /CERT_HAS_EXPIRED/.test(outcome.cause), JSON.stringify(outcome))
  assert.deepEqual(heard, [])
})

test('whoever can is asked, and heard', async context => {
  const heard: string[] = []
  const gateway = await gatewayTo(context, secureServer(authority.issue('localhost'), heard))
  const outcome = await gateway.send(charge, inTime())
  assert.ok(outcome.kind === 'not_sent' && outcome.code === 'gateway_credentials_refused', JSON.stringify(outcome))
  assert.match(heard.join(''), /^POST \/merchants\/tillbelltest\/transactions HTTP/)
})

test('whoever takes too long to prove it is let go of', async context => {
  const silent = createPlainServer()
  const closed = once(silent, 'connection').then(([socket]) => once(socket.resume(), 'close'))
  const gateway = await gatewayTo(context, silent)
  assert.equal((await gateway.send(charge, AbortSignal.timeout(200))).kind, 'unknown')
  await closed
})
