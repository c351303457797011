import assert from 'node:assert/strict'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { forward } from './listen-forward.ts'

async function appThat(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = http.createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`)
}

const hook = { headers: [['Accept', '*/*']] as const, body: 'details=é', timeoutMs: 10_000 }

test('the beginning of an answer is kept, and all of it is waited for', async t => {
  const url = await appThat(t, (_, response) => response.end('é'.repeat(20_000)))
  const { status, answer } = await forward(url, hook)
  assert.deepEqual([status, Buffer.byteLength(answer)], [200, 16_384])
})

test('a redirect is an answer', async t => {
  const url = await appThat(t, (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end())
  assert.equal((await forward(url, hook)).status, 302)
})

test('a status that there is not is a reason', async t => {
  const url = await appThat(t, (_, response) => response.writeHead(600).end())
  const { status, reason } = await forward(url, hook)
  assert.deepEqual([status, reason], [null, 'The app answered with 600, which is no status.'])
})

test('an app that does not answer, breaks off or is not there is a reason', async t => {
  const silent = await appThat(t, () => {})
  assert.equal((await forward(silent, { ...hook, timeoutMs: 50 })).reason, 'No answer within 0 s.')
  const rude = await appThat(t, request => request.socket.destroy())
  assert.equal((await forward(rude, hook)).reason, 'The connection broke before the answer.')
  const cut = await appThat(t, (request, response) => {
    response.writeHead(200, { 'Content-Length': '10' }).write('half', () => request.socket.destroy())
  })
  const { status, reason } = await forward(cut, hook)
  assert.deepEqual([status, reason], [null, 'The connection broke during the answer.'])
  assert.equal((await forward(new URL('http://nowhere.invalid/'), hook)).reason, 'There is no host nowhere.invalid.')
})
