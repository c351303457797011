// Hooks through an egress proxy: it is asked for checked addresses only, and passes on what it cannot change.

import assert from 'node:assert/strict'
import net, { type AddressInfo, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { type Certificate, createAuthority } from '../../../test/support/certificates.ts'
import { startDns } from '../../../test/support/dns-server.ts'
import { hasIpv6, startRaw, unusedPort } from '../../../test/support/raw-endpoint.ts'
import { until } from '../../../test/support/until.ts'
import { createSender, createThreadSender, type SenderOptions } from './sender.ts'

const authority = createAuthority('Test authority')
const body = 'details=x&signature=y'
const timeoutMs = 20_000
const thank = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthank')
const established = 'HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n'

interface ProxyServer {
  readonly authority: string
  /** The head of every request that came. */
  readonly asked: readonly string[]
  letGo(): Promise<void>
}

type Reply = (authority: string) => string

/** A real CONNECT proxy. `reply` says what it answers; a 2xx connects. */
async function startProxy(
  t: TestContext,
  reply: Reply = () => established,
  certificate?: Certificate,
): Promise<ProxyServer> {
  const asked: string[] = []
  const open = new Set<Socket>()
  const onConnection = (client: Socket) => {
    open.add(client)
    client.on('error', () => {}).once('close', () => open.delete(client))
    client.once('data', bytes => {
      const request = bytes.toString('latin1')
      asked.push(request)
      const [, address = '', port = ''] = /^CONNECT (\S+):([0-9]+) HTTP\/1\.1\r\n/.exec(request) ?? []
      const answer = reply(`${address}:${port}`)
      if (!answer.startsWith('HTTP/1.1 2')) return void client.end(answer)
      const onward = net.connect(Number(port), address.replace(/^\[|\]$/g, ''))
      onward.on('error', () => client.destroy())
      onward.once('connect', () => {
        client.write(answer)
        client.pipe(onward).pipe(client)
      })
      client.once('close', () => onward.destroy())
    })
  }
  const server =
    certificate === undefined ? net.createServer(onConnection) : tls.createServer(certificate, onConnection)
  server.on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return {
    authority: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    letGo: () => until('the proxy is let go', async () => open.size === 0),
  }
}

function through(proxy: string, more: Partial<SenderOptions> = {}) {
  const options = {
    mode: 'sandbox',
    allow: [],
    ownPorts: () => [],
    inboxPort: () => null,
    dns: null,
    ca: authority.cert,
  } as const
  return createThreadSender({ ...options, ...more, proxy })
}

test('an http endpoint gets the same bytes as without a proxy', async t => {
  const endpoint = await startRaw(t, thank)
  const proxy = await startProxy(t)
  const url = `http://127.0.0.1:${endpoint.port}/hook`
  const posted = await through(`http://${proxy.authority}`)({ url, body, timeoutMs })
  assert.deepEqual([posted.status, posted.reason, posted.answer], [200, null, 'thank'])
  const direct = createSender({
    mode: 'sandbox',
    allow: [],
    ownPorts: () => [],
    inboxPort: () => null,
    dns: null,
    proxy: null,
  })
  await direct({ url, body, timeoutMs })
  assert.equal(endpoint.received.length, 2)
  assert.equal(endpoint.received[0], endpoint.received[1])
  const to = `127.0.0.1:${endpoint.port}`
  assert.deepEqual(proxy.asked, [`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`])
  await proxy.letGo()
})

test('TLS goes through the proxy to the endpoint, which is verified by its name', async t => {
  const proxy = await startProxy(t)
  const post = through(`http://${proxy.authority}`)
  const good = await startRaw(t, thank, { certificate: authority.issue('localhost') })
  const posted = await post({ url: `https://localhost:${good.port}/`, body, timeoutMs })
  assert.deepEqual([posted.status, posted.answer], [200, 'thank'])
  const bad = await startRaw(t, thank, { certificate: authority.issue('other.example') })
  const refused = await post({ url: `https://localhost:${bad.port}/`, body, timeoutMs })
  assert.equal(refused.reason, 'The TLS certificate is for another name.')
  await proxy.letGo()
})

test('a proxy that is spoken to over TLS carries http and https', async t => {
  const proxy = await startProxy(t, () => established, authority.issue('localhost'))
  const post = through(`https://${proxy.authority.replace('127.0.0.1', 'localhost')}`)
  const plain = await startRaw(t, thank)
  assert.equal((await post({ url: `http://127.0.0.1:${plain.port}/`, body, timeoutMs })).answer, 'thank')
  const secure = await startRaw(t, thank, { certificate: authority.issue('127.0.0.1') })
  assert.equal((await post({ url: `https://127.0.0.1:${secure.port}/`, body, timeoutMs })).answer, 'thank')
  await Promise.all([proxy.letGo(), plain.letGo(), secure.letGo()])
})

test('a proxy that does not verify is not used', async t => {
  const proxy = await startProxy(t, () => established, createAuthority('localhost').issue('localhost'))
  const endpoint = await startRaw(t, thank)
  const post = through(`https://user:secret@${proxy.authority.replace('127.0.0.1', 'localhost')}`)
  const posted = await post({ url: `http://127.0.0.1:${endpoint.port}/`, body, timeoutMs })
  assert.deepEqual([posted.status, posted.reason], [null, 'The proxy is not reachable by TLS.'])
  assert.deepEqual([proxy.asked, endpoint.received], [[], []])
})

test('credentials are for the proxy alone, decoded from its URL', async t => {
  const proxy = await startProxy(t)
  const endpoint = await startRaw(t, thank)
  const post = through(`http://us%40er:p%3Aw%C3%BC@${proxy.authority}`)
  await post({ url: `http://127.0.0.1:${endpoint.port}/`, body, timeoutMs })
  const basic = Buffer.from('us@er:p:wü').toString('base64')
  assert.match(proxy.asked[0] ?? '', new RegExp(`\r\nProxy-Authorization: Basic ${basic}\r\n\r\n$`))
  assert.ok(!endpoint.received.join().includes('Authorization'))
})

test('the proxy is asked for the address that was checked, never for a name', async t => {
  const dns = await startDns(type => (type === 'A' ? ['127.0.0.1'] : []))
  t.after(() => dns.close())
  const proxy = await startProxy(t)
  const endpoint = await startRaw(t, thank)
  const post = through(`http://${proxy.authority}`, { dns: dns.address })
  const posted = await post({ url: `http://shop.test:${endpoint.port}/`, body, timeoutMs })
  assert.equal(posted.status, 200)
  assert.match(proxy.asked[0] ?? '', new RegExp(`^CONNECT 127\\.0\\.0\\.1:${endpoint.port} `))
  assert.match(endpoint.received[0] ?? '', new RegExp(`\r\nHost: shop\\.test:${endpoint.port}\r\n`))
})

test('a private address is refused although a proxy would go there', async t => {
  const proxy = await startProxy(t)
  const post = through(`http://${proxy.authority}`, { mode: 'live' })
  const posted = await post({ url: 'https://10.0.0.1/', body, timeoutMs })
  assert.equal(posted.reason, 'The URL must not lead to a private or reserved address.')
  assert.deepEqual(proxy.asked, [])
})

test('addresses are asked for in turn, IPv4 first, IPv6 in brackets', async t => {
  const dns = await startDns(type => (type === 'A' ? ['127.0.0.1', '127.0.0.2'] : ['::1']))
  t.after(() => dns.close())
  const proxy = await startProxy(t, to => `HTTP/1.1 ${to.startsWith('127.0.0.1') ? 502 : 503} Sorry\r\n\r\n`)
  const post = through(`http://${proxy.authority}`, { dns: dns.address })
  const posted = await post({ url: 'http://shop.test:81/', body, timeoutMs })
  assert.equal(posted.reason, 'The proxy refused the connection (502).', 'that of the first')
  const asked = proxy.asked.map(request => request.split(' ')[1])
  assert.deepEqual(asked, ['127.0.0.1:81', '127.0.0.2:81', '[::1]:81'])
})

test('the proxy connects to the next address where it refuses the first', { skip: !hasIpv6 }, async t => {
  const endpoint = await startRaw(t, thank, { host: '::1' })
  const refusing: Reply = to => (to.startsWith('127.') ? 'HTTP/1.1 502 Bad Gateway\r\n\r\n' : established)
  const proxy = await startProxy(t, refusing)
  const posted = await through(`http://${proxy.authority}`)({
    url: `http://localhost:${endpoint.port}/`,
    body,
    timeoutMs,
  })
  assert.equal(posted.status, 200)
})

const misbehaving: readonly (readonly [name: string, reply: string, reason: string])[] = [
  ['wants a password', 'HTTP/1.1 407 Who\r\nContent-Length: 3\r\n\r\nwho', 'The proxy refused the connection (407).'],
  ['forbids', 'HTTP/1.1 403 No\r\n\r\n', 'The proxy refused the connection (403).'],
  ['answers garbage', 'what?\r\n\r\n', 'The proxy did not answer as a proxy does.'],
  ['answers 1xx for ever', 'HTTP/1.1 100 C\r\n\r\n'.repeat(2_000), 'The proxy did not answer as a proxy does.'],
  ['says more than it was asked', `${established}HTTP/1.1 200 OK\r\n\r\n`, 'The proxy did not answer as a proxy does.'],
  ['closes', '', 'The connection to the proxy broke.'],
]
for (const [name, reply, reason] of misbehaving) {
  test(`a proxy that ${name}: ${reason}`, async t => {
    const endpoint = await startRaw(t, thank)
    const proxy = await startProxy(t, () => reply)
    const posted = await through(`http://${proxy.authority}`)({
      url: `http://127.0.0.1:${endpoint.port}/`,
      body,
      timeoutMs,
    })
    assert.deepEqual([posted.status, posted.reason, posted.answer], [null, reason, ''])
    assert.deepEqual(endpoint.received.join(''), '')
    await proxy.letGo()
  })
}

test('a proxy that is silent', async t => {
  const proxy = await startRaw(t, () => {})
  const posted = await through(`http://127.0.0.1:${proxy.port}`)({ url: 'http://127.0.0.1:1/', body, timeoutMs: 300 })
  assert.equal(posted.reason, 'The proxy gave no connection within 0.3 s.')
  await proxy.letGo()
})

test('no proxy is there', async () => {
  const post = through(`http://user:secret@127.0.0.1:${await unusedPort()}`)
  const posted = await post({ url: 'http://127.0.0.1:1/', body, timeoutMs })
  assert.deepEqual([posted.status, posted.reason], [null, 'The proxy is not reachable.'])
})
