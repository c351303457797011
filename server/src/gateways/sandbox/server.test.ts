// The server at the level of bytes: what a client that trusts nothing sees of it.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryBooks } from './books.ts'
import { createSandboxServer } from './server.ts'

const server = createSandboxServer({ books: memoryBooks(), fingerprintKey: Buffer.alloc(32, 7) })
let url = ''
let port = 0

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  url = `http://127.0.0.1:${port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const basic = (user: string): string => `Basic ${Buffer.from(`${user}:`).toString('base64')}`
const authorization = basic('acct')

type Answer = Readonly<Record<'kind' | 'error' | 'cardRef' | 'gatewayRef', string>> & {
  readonly ledger: readonly object[]
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const init = { method, headers: { authorization, ...headers } }
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const response = await fetch(url + path, text === undefined ? init : { ...init, body: text })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer }
}

async function storedRef(number: string): Promise<string> {
  const { body } = await ask('POST', '/cards', { number, cvc: null, expiryMonth: 1, expiryYear: 2040 })
  return body.cardRef
}

async function charge(amountMinor = '1000', more: object = {}) {
  const cardRef = await storedRef('4111111111111111')
  const ids = { id: randomUUID() as string, transactionId: randomUUID() as string }
  return { kind: 'charge', ...ids, amountMinor, currency: 'USD', cardRef, capture: true, ...more }
}

/** Sends one request on a connection of its own, and gathers everything that comes back. */
async function raw(body: string, bodyBytes = body.length) {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  const errors: string[] = []
  socket.on('data', chunk => chunks.push(chunk))
  socket.on('error', error => errors.push('code' in error ? String(error.code) : error.name))
  await once(socket, 'connect')
  const head = [
    'POST /operations HTTP/1.1',
    'host: sandbox',
    `authorization: ${authorization}`,
    'request-id: r-1',
    `content-length: ${bodyBytes}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return { socket, received: () => Buffer.concat(chunks).toString(), errors }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isSo() && waitedMs < 5_000; waitedMs += 5) await delay(5)
  assert.ok(isSo())
}

for (const [what, amountMinor, isCharged] of [
  ['before', '420001', false],
  ['after', '420002', true],
] as const) {
  test(`a time-out ${what} the charge holds the connection open without a byte`, async () => {
    const operation = await charge(amountMinor)
    const { socket, received, errors } = await raw(JSON.stringify(operation))
    await delay(300)
    assert.equal(received(), '')
    assert.equal(socket.readyState, 'open')
    assert.deepEqual(errors, [])
    socket.destroy()
    const { body } = await ask('GET', `/operations/${operation.id}`)
    assert.equal(body.kind, isCharged ? 'succeeded' : 'absent')
  })
}

test('a reset after the charge is a reset, without a byte', async () => {
  const operation = await charge('420003')
  const { received, errors } = await raw(JSON.stringify(operation))
  await until(() => errors.length > 0)
  assert.deepEqual(errors, ['ECONNRESET'])
  assert.equal(received(), '')
  assert.equal((await ask('POST', '/operations', operation)).body.kind, 'succeeded')
})

test('an answer that comes twice is two whole HTTP responses to one request', async () => {
  const { socket, received } = await raw(JSON.stringify(await charge('420004')))
  await until(() => received().split('"succeeded"').length === 3)
  const responses = received().split(/(?=HTTP\/1\.1 )/)
  assert.equal(responses.length, 2)
  const bodies = responses.map(response => response.slice(response.indexOf('\r\n\r\n') + 4))
  assert.equal(bodies[0], bodies[1])
  for (const response of responses) {
    assert.match(response, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(response, new RegExp(`content-length: ${bodies[0]?.length}\r\n`, 'i'))
    assert.match(response, /request-id: r-1\r\n/i)
  }
  socket.destroy()
})

test('a slow answer is booked at once and comes late', async () => {
  const operation = await charge('410005')
  const startedAtMs = performance.now()
  const { socket, received } = await raw(JSON.stringify(operation))
  await until(() => received() !== '')
  assert.ok(performance.now() - startedAtMs >= 495)
  assert.match(received(), /"succeeded"/)
  socket.destroy()
})

test('a client that leaves before a slow answer was charged', async () => {
  const operation = await charge('410099')
  const { socket } = await raw(JSON.stringify(operation))
  await delay(100)
  socket.destroy()
  assert.equal((await ask('GET', `/operations/${operation.id}`)).body.kind, 'succeeded')
})

test('without an account there is nothing: 401', async () => {
  for (const wrong of ['', 'Bearer x', 'Basic', 'Basic !!!', basic(''), basic('a b'), basic('\n')]) {
    const { status, headers, body } = await ask('GET', '/ledger', undefined, { authorization: wrong })
    assert.equal(status, 401, wrong)
    assert.match(headers.get('www-authenticate') ?? '', /^Basic /)
    assert.equal(typeof body.error, 'string')
  }
})

test('an account sees its own ledger only', async () => {
  const operation = await charge()
  const { gatewayRef } = (await ask('POST', '/operations', operation)).body
  const { body } = await ask('GET', '/ledger')
  const { id: operationId, transactionId } = operation
  const named = { operationId, transactionId, kind: 'charge', chargeId: operationId, capture: true, gatewayRef }
  const row = { ...named, amountMinor: '1000', currency: 'USD', state: 'succeeded' }
  assert.deepEqual(body.ledger.at(-1), row)
  const other = await ask('GET', '/ledger', undefined, { authorization: basic('other') })
  assert.deepEqual(other.body, { ledger: [] })
})

test('what is not at a path is 404, another method 405', async () => {
  assert.equal((await ask('GET', '/nothing')).status, 404)
  assert.equal((await ask('GET', '/operations/a/b/c')).status, 404)
  assert.equal((await ask('DELETE', '/cards/%zz')).status, 404)
  const { status, headers } = await ask('PUT', '/operations', {})
  assert.equal(status, 405)
  assert.equal(headers.get('allow'), 'POST')
})

test('an operation with anything wrong is refused, by the member’s name', async () => {
  const good = await charge()
  const wrongs: [object, RegExp][] = [
    [{ kind: 'steal' }, /"kind"/],
    [{ id: 'x' }, /"id"/],
    [{ id: good.id.toUpperCase() }, /"id"/],
    [{ transactionId: 7 }, /"transactionId"/],
    [{ amountMinor: 1000 }, /"amountMinor"/],
    [{ amountMinor: '0' }, /"amountMinor"/],
    [{ amountMinor: '-5' }, /"amountMinor"/],
    [{ amountMinor: '1e3' }, /"amountMinor"/],
    [{ amountMinor: '1000000000000' }, /"amountMinor"/],
    [{ currency: 'usd' }, /"currency"/],
    [{ currency: 'XXX' }, /"currency"/],
    [{ cardRef: '' }, /"cardRef"/],
    [{ capture: 'true' }, /"capture"/],
    [{ chargeId: good.id }, /too many/],
    [{ kind: 'refund' }, /too many/],
  ]
  for (const [wrong, says] of wrongs) {
    const { status, body } = await ask('POST', '/operations', { ...good, ...wrong })
    assert.equal(status, 422, JSON.stringify(wrong))
    assert.match(body.error, says)
  }
  assert.equal((await ask('GET', `/operations/${good.id}`)).body.kind, 'absent')
})

test('a body that is no JSON object is refused', async () => {
  for (const [text, status] of [
    ['', 400],
    ['{', 400],
    ['[]', 422],
    ['null', 422],
    ['"x"', 422],
  ] as const) {
    assert.equal((await ask('POST', '/operations', text)).status, status, text)
  }
})

test('a body over 64 KiB is refused', async () => {
  const { status, body } = await ask('POST', '/operations', `"${'x'.repeat(64 * 1024)}"`)
  assert.equal(status, 413)
  assert.match(body.error, /65536/)
})

test('a body that grows over 64 KiB is refused before it is all there', async () => {
  const { socket, received } = await raw('x'.repeat(64 * 1024 + 1), 1024 * 1024)
  await until(() => received().includes('65536'))
  assert.match(received(), /^HTTP\/1\.1 413 /)
  socket.destroy()
})

test('an id that stands under another charge cannot be fenced: 409', async () => {
  const operation = await charge()
  await ask('POST', '/operations', operation)
  const { id, transactionId, amountMinor, currency } = operation
  const stray = { kind: 'refund', id, transactionId, amountMinor, currency, chargeId: randomUUID(), chargeRef: 'x' }
  assert.equal((await ask('POST', `/operations/${id}/fence`, stray)).status, 409)
})

test('a lookup by id alone finds what follows a charge', async () => {
  const operation = await charge()
  const { body } = await ask('POST', '/operations', operation)
  const { id: chargeId, transactionId, currency } = operation
  const id = randomUUID()
  const refund = { kind: 'refund', id, transactionId, amountMinor: '5', currency, chargeId, chargeRef: body.gatewayRef }
  const done = await ask('POST', '/operations', refund)
  assert.equal(done.body.kind, 'succeeded')
  assert.deepEqual((await ask('GET', `/operations/${id}`)).body, done.body)
  assert.deepEqual((await ask('GET', `/operations/${id}?chargeId=${chargeId}`)).body, done.body)
  assert.equal((await ask('GET', `/operations/${id}?chargeId=x`)).status, 422)
})

test('books that fail are a 500 that tells nothing', async context => {
  const failing = async (): Promise<never> => {
    throw new Error('secret')
  }
  const broken = createSandboxServer({
    books: { ...memoryBooks(), entries: failing },
    fingerprintKey: Buffer.alloc(32),
  })
  context.after(() => broken.close())
  broken.listen(0, '127.0.0.1')
  await once(broken, 'listening')
  const { port: brokenPort } = broken.address() as AddressInfo
  const headers = { authorization, connection: 'close' }
  const response = await fetch(`http://127.0.0.1:${brokenPort}/ledger`, { headers })
  assert.equal(response.status, 500)
  assert.deepEqual(await response.json(), { error: 'The sandbox failed.' })
})

test('a card number that is not a test card’s is refused and not repeated', async () => {
  const stranger = '4242424242424242'
  const card = { number: stranger, cvc: '987', expiryMonth: 1, expiryYear: 2040 }
  const { status, body } = await ask('POST', '/cards', card)
  assert.equal(status, 200)
  assert.deepEqual(body, { kind: 'refused', sentence: 'The sandbox knows only its test cards.' })
  const wrong = await ask('POST', '/cards', { ...card, [stranger]: 1 })
  assert.equal(wrong.status, 422)
  assert.ok(!JSON.stringify(wrong.body).includes(stranger))
})

test('the same id with another amount is 409; a fence for another operation 422', async () => {
  const operation = await charge()
  await ask('POST', '/operations', operation)
  assert.equal((await ask('POST', '/operations', { ...operation, amountMinor: '1001' })).status, 409)
  assert.equal((await ask('POST', `/operations/${randomUUID()}/fence`, operation)).status, 422)
})

test('a challenge to what does not wait is 409, one with another result 422', async () => {
  const operation = await charge('430001')
  const path = `/operations/${operation.id}/challenge`
  assert.equal((await ask('POST', path, { result: 'pass' })).status, 409)
  assert.equal((await ask('POST', '/operations', operation)).body.kind, 'further_action')
  assert.equal((await ask('POST', path, { result: 'maybe' })).status, 422)
  assert.deepEqual((await ask('POST', path, { result: 'pass' })).body, { settled: true })
  assert.equal((await ask('GET', `/operations/${operation.id}`)).body.kind, 'succeeded')
})
