// Hooks over TLS: a certificate that does not verify is a failure, and nothing of the request is told to its owner.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import net, { type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { promisify } from 'node:util'
import { type Certificate, createAuthority } from '../../../test/support/certificates.ts'
import { startRaw } from '../../../test/support/raw-endpoint.ts'
import { createSender, type SenderOptions } from './sender.ts'

const authority = createAuthority('Test authority')
const stranger = createAuthority('Nobody knows')
const trusting: SenderOptions = {
  mode: 'live',
  allow: ['127.0.0.0/8', '::1/128'],
  ownPorts: () => [],
  inboxPort: () => null,
  proxy: null,
  dns: null,
  ca: authority.cert,
}
const post = createSender(trusting)
const body = 'details=x&signature=y'
const thank = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsafely')
const dayMs = 86_400_000

async function postTo(t: TestContext, certificate: Certificate, { host = 'localhost', by = post } = {}) {
  const names: string[] = []
  const endpoint = await startRaw(t, thank, { certificate, onServerName: name => names.push(name) })
  const posted = await by({ url: `https://${host}:${endpoint.port}/hook`, body, timeoutMs: 20_000 })
  await endpoint.letGo()
  return { ...posted, names, received: endpoint.received.filter(text => text !== '') }
}

test('a certificate for the name verifies, and the name is asked for', async t => {
  const { status, answer, names, received } = await postTo(t, authority.issue('localhost'))
  assert.deepEqual([status, answer, names], [200, 'safely', ['localhost']])
  assert.equal(received.length, 1)
  assert.ok(received[0]?.endsWith(body))
})

test('an answer that does not come is waited for as long as was said', async t => {
  const endpoint = await startRaw(t, () => {}, { certificate: authority.issue('localhost') })
  const posted = await post({ url: `https://localhost:${endpoint.port}/`, body, timeoutMs: 1_000 })
  await endpoint.letGo()
  assert.deepEqual([posted.status, posted.reason], [null, 'No answer within 1 s.'])
})

test('a dot at the end of a name is not part of what is asked for', async t => {
  const { status, names } = await postTo(t, authority.issue('localhost'), { host: 'localhost.' })
  assert.deepEqual([status, names], [200, ['localhost']])
})

test('a certificate for the address verifies, and no name is asked for', async t => {
  const { status, names } = await postTo(t, authority.issue('127.0.0.1'), { host: '127.0.0.1' })
  assert.deepEqual([status, names], [200, []])
})

const hourFrom = (ms: number) => ({ from: new Date(Date.now() + ms - 3_600_000), to: new Date(Date.now() + ms) })

const bad: readonly (readonly [name: string, certificate: Certificate, reason: string, host?: string])[] = [
  ['for another name', authority.issue('other.example'), 'The TLS certificate is for another name.'],
  ['for another address', authority.issue('127.0.0.2'), 'The TLS certificate is for another name.', '127.0.0.1'],
  [
    'for a name where an address is asked',
    authority.issue('localhost'),
    'The TLS certificate is for another name.',
    '127.0.0.1',
  ],
  ['that has expired', authority.issue('localhost', hourFrom(-dayMs)), 'The TLS certificate has expired.'],
  ['that is not valid yet', authority.issue('localhost', hourFrom(dayMs)), 'The TLS certificate is not valid yet.'],
  ['of an unknown issuer', stranger.issue('localhost'), 'The TLS certificate is not from an issuer that is trusted.'],
  ['that signed itself', createAuthority('localhost'), 'The TLS certificate is not from an issuer that is trusted.'],
]
for (const [name, certificate, reason, host] of bad) {
  test(`a certificate ${name} is refused, and the request is not told`, async t => {
    const posted = await postTo(t, certificate, host === undefined ? {} : { host })
    assert.deepEqual([posted.status, posted.reason, posted.answer], [null, reason, ''])
    assert.deepEqual(posted.received, [])
  })
}

test('an environment variable cannot turn verification off', async t => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  const { status, received } = await postTo(t, stranger.issue('localhost'))
  assert.deepEqual([status, received], [null, []])
})

test('without being told of the authority nobody trusts it', async t => {
  const { ca: _, ...usual } = trusting
  const posted = await postTo(t, authority.issue('localhost'), { by: createSender(usual) })
  assert.equal(posted.reason, 'The TLS certificate is not from an issuer that is trusted.')
})

test('whoever was trusted before is trusted beside the authority that is given', async t => {
  const endpoint = await startRaw(t, thank, { certificate: authority.issue('localhost') })
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-roots-'))
  t.after(() => rm(folder, { recursive: true }))
  const roots = join(folder, 'roots.pem')
  await writeFile(roots, authority.cert)
  const request = { url: `https://localhost:${endpoint.port}/`, body, timeoutMs: 20_000 }
  const script = `
    import { createSender } from ${JSON.stringify(import.meta.resolve('./sender.ts'))}
    const options = ${JSON.stringify({ ...trusting, ca: stranger.cert })}
    const { status } = await createSender({ ...options, ownPorts: () => [], inboxPort: () => null })(${JSON.stringify(request)})
    process.stdout.write(String(status))`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: roots }, // read when a process starts
  })
  assert.equal((await run).stdout, '200')
})

test('TLS 1.1 is too old', async t => {
  const certificate = authority.issue('localhost')
  const server = tls.createServer({
    ...certificate,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL:@SECLEVEL=0',
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const posted = await post({ url: `https://127.0.0.1:${port}/`, body, timeoutMs: 20_000 })
  assert.match(posted.reason ?? '', /^The TLS handshake failed \(ERR_SSL_[A-Z0-9_]+\)\.$/)
})

const handshakes: { readonly [name: string]: readonly [greet: (socket: Socket) => void, reason: RegExp] } = {
  'does not speak TLS': [thank, /^The TLS handshake failed \(ERR_SSL_[A-Z0-9_]+\)\.$/],
  'closes during the handshake': [
    socket => socket.once('data', () => socket.end()),
    /^The connection broke during the TLS handshake\.$/,
  ],
  'resets during the handshake': [
    socket => socket.once('data', () => socket.resetAndDestroy()),
    /^The connection broke during the TLS handshake\.$/,
  ],
  'is silent': [() => {}, /^No TLS connection within 0\.3 s\.$/],
}
for (const [name, [greet, reason]] of Object.entries(handshakes)) {
  test(`an endpoint that ${name} is told nothing`, async t => {
    const endpoint = await startRaw(t, greet, { when: 'connected' })
    const timeoutMs = name === 'is silent' ? 300 : 20_000
    const posted = await post({ url: `https://localhost:${endpoint.port}/`, body, timeoutMs })
    await endpoint.letGo()
    assert.equal(posted.status, null)
    assert.match(posted.reason ?? '', reason)
    assert.ok(!endpoint.received.join().includes('details'))
  })
}

test('five seconds are enough to connect, however long an endpoint may think', async t => {
  const endpoint = await startRaw(t, () => {}, { when: 'connected' })
  const posted = await post({ url: `https://localhost:${endpoint.port}/`, body, timeoutMs: 30_000 })
  assert.equal(posted.reason, 'No TLS connection within 5 s.')
})

/** In front of an endpoint that speaks TLS: passes on what it says, and after its answer says something of its own. */
async function startMeddler(
  t: TestContext,
  port: number,
  hasAnswered: () => boolean,
  meddle: (socket: Socket) => void,
) {
  const server = net.createServer(socket => {
    const behind = net.connect(port, '127.0.0.1')
    for (const each of [socket, behind]) each.on('error', () => {})
    t.after(() => void behind.destroy())
    socket.pipe(behind)
    behind.on('data', bytes => {
      socket.write(bytes)
      if (hasAnswered()) meddle(socket)
    })
  })
  t.after(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const falseRecord = Buffer.from(`1703030020${'11'.repeat(32)}`, 'hex')
for (const [name, meddle] of [
  ['a record that is not its own', (socket: Socket) => void socket.write(falseRecord)],
  ['what is not TLS', (socket: Socket) => void socket.write('and now in plain words')],
  ['a reset', (socket: Socket) => void setImmediate(() => socket.resetAndDestroy())],
] as const) {
  test(`${name} is not the end of an answer without a length`, async t => {
    let hasAnswered = false
    const answer = (socket: Socket) => {
      hasAnswered = true
      socket.write('HTTP/1.1 200 OK\r\n\r\nhalf')
    }
    const endpoint = await startRaw(t, answer, { certificate: authority.issue('localhost') })
    const port = await startMeddler(t, endpoint.port, () => hasAnswered, meddle)
    const posted = await post({ url: `https://localhost:${port}/`, body, timeoutMs: 20_000 })
    assert.equal(posted.status, null)
    assert.match(posted.reason ?? '', /^The connection broke (before|during) the answer\.$/)
  })
}
