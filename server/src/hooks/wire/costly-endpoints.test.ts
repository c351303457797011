// Endpoints that make whoever connects to them compute: it takes neither the event loop nor the hooks of other merchants.

import assert from 'node:assert/strict'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { costlyChain, createAuthority } from '../../../test/support/certificates.ts'
import { startDns } from '../../../test/support/dns-server.ts'
import { startRaw } from '../../../test/support/raw-endpoint.ts'
import { writeRecords } from '../../../test/support/tls-records.ts'
import { tooMuchComputing } from './computing-shares.ts'
import { OpeningTurns } from './opening-turns.ts'
import { tooMuchTls } from './secure.ts'
import { createSender, createThreadSender, type SenderOptions } from './sender.ts'

const authority = createAuthority('Test authority')
const options: SenderOptions = {
  mode: 'live',
  allow: ['127.0.0.0/8', '::1/128'],
  ownPorts: () => [],
  inboxPort: () => null,
  proxy: null,
  dns: null,
  ca: authority.cert,
}
const thank = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsafely')
const request = (port: number, host = 'localhost') => ({
  url: `https://${host}:${port}/hook`,
  body: 'details=x&signature=y',
  timeoutMs: 20_000,
})

test('a chain of certificates that takes long to verify ends the other connections of its merchant, and nobody else’s', async t => {
  const post = createSender(options)
  const honest = await startRaw(t, thank, { certificate: authority.issue('localhost') })
  const evil = await startRaw(t, thank, { certificate: costlyChain('localhost') })
  assert.equal((await post(request(honest.port), 'honest')).status, 200)
  const [ownBefore, allBefore] = [process.threadCpuUsage(), process.cpuUsage()]
  const evilPosts = Array.from({ length: 20 }, () => post(request(evil.port), 'evil'))
  const posted = await Promise.all([...evilPosts, post(request(honest.port), 'honest')])
  const [own, all] = [process.threadCpuUsage(ownBefore), process.cpuUsage(allBefore)]
  assert.equal(posted.pop()?.status, 200)
  const reasons = posted.map(({ reason }) => reason)
  const untrusted = 'The TLS certificate is not from an issuer that is trusted.'
  assert.deepEqual(new Set(reasons), new Set([untrusted, tooMuchComputing]))
  assert.ok(
    reasons.filter(reason => reason === untrusted).length <= 2,
    'nearly all were ended before they were verified',
  )
  assert.ok(own.user < all.user / 2, `the event loop took ${own.user} of ${all.user} microseconds`)
})

test('numbers that the other side chooses are not computed with', async t => {
  const certificate = authority.issue('localhost', undefined, 'RSA')
  const server = tls.createServer({
    ...certificate,
    maxVersion: 'TLSv1.2',
    ciphers: 'DHE-RSA-AES128-GCM-SHA256',
    dhparam: 'auto',
  })
  server.on('secureConnection', thank).on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const { status, reason } = await createSender(options)(request(port))
  assert.deepEqual([status, reason], [null, 'The TLS handshake failed (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE).'])
})

test('names whose DNS answers take long to read end the other connections of their merchant, and nobody else’s', async t => {
  const honest = await startRaw(t, thank, { certificate: authority.issue('shop.test') })
  // As many as 64 KB hold.
  const largest = { A: Array(4_000).fill('127.0.0.1'), AAAA: Array(2_300).fill('::1') }
  const dns = await startDns((type, name) => {
    if (name === 'shop.test') return type === 'A' ? ['127.0.0.1'] : []
    return type === 'A' || type === 'AAAA' ? largest[type] : []
  })
  t.after(() => dns.close())
  const post = createSender({ ...options, dns: dns.address })
  const evilPosts = Array.from({ length: 40 }, (_, at) => post(request(443, `evil${at}.test`), 'evil'))
  const posted = await Promise.all([...evilPosts, post(request(honest.port, 'shop.test'), 'honest')])
  assert.equal(posted.pop()?.status, 200)
  const reasons = posted.map(({ reason }) => reason)
  assert.deepEqual(new Set(reasons), new Set(['The host name has more than 100 addresses.', tooMuchComputing]))
  const asked = new Set(dns.asked.filter(question => question.includes('evil')).map(question => question.split(' ')[1]))
  assert.ok(asked.size < 20, `${asked.size} names were asked for`)
  await post(request(443, 'evil.test'), 'evil')
  const startedMs = performance.now()
  await post(request(443, 'evil.test'), 'evil')
  assert.ok(performance.now() - startedMs > 100, 'it came after a rest')
})

test('an answer in very many small records is not read', async t => {
  const endpoint = await startRaw(
    t,
    async socket => {
      await writeRecords(socket as tls.TLSSocket, Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n'), 100)
      await writeRecords(socket as tls.TLSSocket, Buffer.alloc(500, 'x'), 1)
    },
    { certificate: authority.issue('localhost') },
  )
  const { status, reason } = await createSender(options)(request(endpoint.port))
  assert.deepEqual([status, reason], [null, tooMuchTls])
})

test('an endpoint that asks for another handshake is not talked to any more', async t => {
  const server = tls.createServer({ ...authority.issue('localhost'), maxVersion: 'TLSv1.2' }, socket => {
    socket.on('error', () => {})
    socket.renegotiate({}, () => {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const { status, reason } = await createSender(options)(request(port))
  assert.deepEqual([status, reason], [null, tooMuchTls])
})

test('what this thread has no time to open says nothing of the endpoint, and is not counted as an attempt', async t => {
  const honest = await startRaw(t, thank, { certificate: authority.issue('localhost') })
  const turns = new OpeningTurns()
  t.mock.method(turns, 'take', async () => null)
  const { status, reason, isOurs } = await createThreadSender(options, turns)(request(honest.port), 'honest')
  assert.deepEqual([status, isOurs, honest.received.length], [null, true, 0])
  assert.match(reason ?? '', /^This process has more secure connections to open than it has time for/)
})
