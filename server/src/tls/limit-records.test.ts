import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { createAuthority } from '../../test/support/certificates.ts'
import { keyUpdater } from '../../test/support/key-updates.ts'
import { writeRecords } from '../../test/support/tls-records.ts'
import { limitRecords } from './limit-records.ts'

const authority = createAuthority('test')

/** Answers with whom it answers to, and how many bytes of a body it read. */
async function listen(t: TestContext) {
  const ended = { count: 0 }
  const server = https.createServer(authority.issue('127.0.0.1'), async (request, response) => {
    let bytes = 0
    request.on('error', () => {})
    request.on('data', chunk => (bytes += chunk.length))
    await once(request, 'end').catch(() => {})
    const { remoteAddress, remotePort } = request.socket
    response.end(`${remoteAddress} ${remotePort} sent ${bytes}`)
  })
  limitRecords(server, () => (ended.count += 1))
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, ended }
}

async function exchange(port: number, bytes: number, recordBytes: number) {
  const socket = tls.connect({ port, host: '127.0.0.1', ca: authority.cert }).setEncoding('latin1')
  socket.on('error', () => {})
  let heard = ''
  socket.on('data', more => (heard += String(more)))
  const closed = once(socket, 'close')
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`)
  await writeRecords(socket, Buffer.alloc(bytes), recordBytes)
  await closed
  return heard
}

test('a request is answered as without, whether it comes in large records, in a few small ones, or line by line', async t => {
  const { port, ended } = await listen(t)
  assert.match(await exchange(port, 3_000_000, 100_000), /^HTTP\/1\.1 200 .*127\.0\.0\.1 \d+ sent 3000000$/s)
  assert.match(await exchange(port, 400, 1), /sent 400$/)
  assert.match(await exchange(port, 80_000, 72), /sent 80000$/)
  assert.equal(ended.count, 0)
})

test('a connection with very many small records is ended', async t => {
  const { port, ended } = await listen(t)
  assert.equal(await exchange(port, 2_000, 1), '')
  assert.equal(ended.count, 1)
})

test('so is one that changes its keys very often, or begins with very many records', async t => {
  const { port, ended } = await listen(t)
  const few = await keyUpdater(port)
  few.update(400)
  const many = await keyUpdater(port)
  const closed = once(many.socket, 'close')
  many.update(1_000)
  await closed
  assert.equal(ended.count, 1)
  assert.equal(few.socket.destroyed, false)
  few.socket.destroy()
  const silent = net.connect(port, '127.0.0.1').on('error', () => {})
  // A ClientHello may come in any number of records.
  const hello = Buffer.concat(Array.from({ length: 1_000 }, (_, at) => Buffer.from([22, 3, 1, 0, 1, at === 0 ? 1 : 0])))
  silent.write(hello)
  await once(silent, 'close')
  assert.equal(ended.count, 2)
})

test('so is one that begins with more of a handshake than any client has, or wants another one', async t => {
  const { port, ended } = await listen(t)
  const large = net.connect(port, '127.0.0.1').on('error', () => {})
  large.write(Buffer.concat([Buffer.from([22, 3, 1, 0x23, 0x28, 1]), Buffer.alloc(8_999)]))
  await once(large, 'close')
  assert.equal(ended.count, 1)
  const again = tls.connect({ port, host: '127.0.0.1', ca: authority.cert, maxVersion: 'TLSv1.2' })
  again.on('error', () => {})
  await once(again, 'secureConnect')
  const closed = once(again, 'close')
  again.renegotiate({}, () => {})
  await closed
  assert.equal(ended.count, 2)
})

test('a client of TLS 1.2, and one that is asked for another key, are answered', async t => {
  const { port, ended } = await listen(t)
  for (const how of [
    { maxVersion: 'TLSv1.2' },
    { ecdhCurve: 'X448:prime256v1' },
    { ecdhCurve: 'secp521r1:X25519MLKEM768' },
  ] as const) {
    const options = { port, host: '127.0.0.1', ca: authority.cert, ...how }
    const request = https.get({ ...options, agent: false })
    const [response] = await once(request, 'response')
    assert.match(Buffer.concat(await response.toArray()).toString(), /sent 0$/)
  }
  assert.equal(ended.count, 0)
})

test('a client that leaves, also in the handshake, leaves nothing', async t => {
  const { port, ended } = await listen(t)
  const early = net.connect(port, '127.0.0.1')
  await once(early, 'connect')
  early.destroy()
  const late = tls.connect({ port, host: '127.0.0.1', ca: authority.cert })
  await once(late, 'secureConnect')
  late.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n')
  late.destroy()
  assert.match(await exchange(port, 5, 5), /sent 5$/)
  assert.equal(ended.count, 0)
})
