import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { createAuthority } from '../../test/support/certificates.ts'
import { limitRecords } from '../tls/limit-records.ts'
import { endsConnections } from './closing.ts'
import { oneRequestAtATime } from './pipelining.ts'

const never = 3_600_000
const whole = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const withHalfABody = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello'

for (const kind of ['http', 'https'] as const) {
  const opened = (t: TestContext, limits: { header?: number; body?: number; answer?: number }) =>
    openServer(t, kind, {
      lookEveryMs: 10,
      headerWithinMs: limits.header ?? never,
      bodyWithinMs: limits.body ?? never,
      answerWithinMs: limits.answer ?? never,
    })

  test(`${kind}: connections without a request end soon, one with a request is answered first`, async t => {
    const { client, requests, close } = await opened(t, { header: 50 })
    const silent = await client('')
    const halfway = await client('GET / HTTP/1.1\r\nHo')
    const busy = await client(whole)
    const arriving = await client(withHalfABody)
    await requests(2)
    const closed = close()
    await Promise.all([silent.ended, halfway.ended])
    assert.deepEqual([busy.socket.destroyed, arriving.socket.destroyed], [false, false])
    arriving.socket.write('hello')
    for (const { answer } of await requests(2)) answer()
    await closed
    for (const { heard } of [busy, arriving]) assert.match(await heard, /^HTTP\/1\.1 200 /)
    assert.deepEqual([await silent.heard, await halfway.heard], ['', ''])
  })

  test(`${kind}: one whose body does not come is ended, one that is worked for is not`, async t => {
    const { client, requests, close } = await opened(t, { body: 50 })
    const [busy, arriving] = [await client(whole), await client(withHalfABody)]
    const [first] = await requests(2)
    const closed = close()
    await arriving.ended
    assert.equal(busy.socket.destroyed, false)
    first?.answer()
    await closed
    assert.match(await busy.heard, /^HTTP\/1\.1 200 /)
  })

  test(`${kind}: one that is never answered is ended in the end`, async t => {
    const { client, requests, close } = await opened(t, { answer: 50 })
    const busy = await client(whole)
    await requests(1)
    await close()
    assert.equal(await busy.heard, '')
  })
}

async function openServer(t: TestContext, kind: 'http' | 'https', limits: Parameters<typeof endsConnections>[1]) {
  const begun: { answer(): void }[] = []
  const handle = oneRequestAtATime(
    (request, response) => {
      request.resume()
      begun.push({ answer: () => response.end('done') })
      server.emit('begun')
    },
    () => {},
  )
  const authority = createAuthority('test')
  const server =
    kind === 'http' ? http.createServer(handle) : https.createServer({ ...authority.issue('127.0.0.1') }, handle)
  if (server instanceof https.Server) limitRecords(server, () => {})
  const beginToClose = endsConnections(server, limits)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = (): Socket =>
    kind === 'http'
      ? connect(port, '127.0.0.1')
      : tls.connect({ port, host: '127.0.0.1', ca: authority.cert, rejectUnauthorized: true })
  t.after(() => server.closeAllConnections())
  return {
    /** A connection that says so much and waits. */
    async client(says: string) {
      const taken = once(server, kind === 'http' ? 'connection' : 'secureConnection')
      const socket = open().on('error', () => {})
      t.after(() => socket.destroy())
      await Promise.all([once(socket, kind === 'http' ? 'connect' : 'secureConnect'), taken])
      let text = ''
      socket.on('data', piece => {
        text += piece
      })
      // Also where it is reset: the server had not read all that it said.
      const ended = new Promise<void>(resolve => socket.once('close', () => resolve()))
      socket.write(says)
      return { socket, ended, heard: ended.then(() => text) }
    },
    async requests(count: number) {
      while (begun.length < count) await once(server, 'begun')
      return begun
    },
    close(): Promise<unknown> {
      const closed = once(server, 'close')
      beginToClose()
      server.close()
      return closed
    },
  }
}
