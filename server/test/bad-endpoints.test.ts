// Endpoints that do all that endpoints do: each is recorded with its reason, the worker lives, and a good one beside them
// is told at once.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { startDns } from './support/dns-server.ts'
import { addEndpoint } from './support/merchant-endpoint.ts'
import { type RawEndpoint, startRaw, unusedPort } from './support/raw-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const saying = (text: string) => (socket: Socket) => void socket.end(text)

function flooding(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n')
  const more = () => {
    while (socket.writable && socket.write('x'.repeat(65_536))) {}
  }
  socket.on('drain', more)
  more()
}

function dripping(socket: Socket): void {
  const timer = setInterval(() => socket.write('H'), 50)
  socket.once('close', () => clearInterval(timer))
}

const late = 'No answer within 1 s.'
/** How it answers; then the status and reason that its attempt must have, and the state of the delivery. */
const endpoints: {
  readonly [name: string]: readonly [(socket: Socket) => void, number | null, string | null, 'pending' | 'delivered']
} = {
  hangs: [() => {}, null, late, 'pending'],
  'drips a byte at a time': [dripping, null, 'The answer is not HTTP.', 'pending'],
  'answers 100 GB': [flooding, 200, null, 'delivered'],
  'answers garbage': [saying('\x16\x03\x01 garbage'), null, 'The answer is not HTTP.', 'pending'],
  'closes at once': [socket => void socket.end(), null, 'The connection broke before the answer.', 'pending'],
  'answers 200 and hangs': [
    socket => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    null,
    'Answered 200, but not the whole of it within 1 s.',
    'pending',
  ],
  'redirects to the metadata address': [
    saying('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\nContent-Length: 0\r\n\r\n'),
    302,
    null,
    'pending',
  ],
  'is well': [saying('HTTP/1.1 204 No Content\r\n\r\n'), 204, null, 'delivered'],
}

let service: TestService
let dns: Awaited<ReturnType<typeof startDns>>
let rebound: RawEndpoint
before(async () => {
  // Good the first time, private from then on.
  dns = await startDns((type, _, times) => (type !== 'A' ? [] : times === 0 ? ['127.0.0.1'] : ['10.0.0.7']))
  service = await startTestService({ TILLBELL_DNS: dns.address })
})
after(async () => {
  await service.stop()
  await dns.close()
})

interface Made {
  readonly url: string
  readonly state: string
  readonly status: number | null
  readonly reason: string | null
}

/** The newest attempt for each endpoint of the newest charge. */
async function attemptsFor(transaction: string): Promise<Map<string, Made>> {
  const rows = await service.database.sql<Made[]>`
    select e.url, d.state, a.status, a.reason from whole_delivery d
      join event v on v.merchant_id = d.merchant_id and v.id = d.event_id
      join hook_endpoint e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id
      join attempt a on a.merchant_id = d.merchant_id and a.delivery_id = d.id
    where v.transaction_id = ${transaction}`
  return new Map(rows.map(row => [row.url, row]))
}

test('each way to fail is recorded with its reason, and hurts nobody else', async t => {
  const merchant = await service.newMerchant()
  const { sql } = service.database
  const urls = new Map<string, string>()
  for (const [name, [answer]] of Object.entries(endpoints)) {
    const { port } = await startRaw(t, answer)
    urls.set(name, `http://127.0.0.1:${port}/`)
  }
  urls.set('refuses connections', `http://127.0.0.1:${await unusedPort()}/`)
  // Written past the interface, which would refuse it: what was allowed when it was configured may not be when it is sent.
  urls.set('is private', 'http://10.0.0.7/')
  rebound = await startRaw(t, saying('HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n'))
  urls.set('changes its address', `http://shop.test:${rebound.port}/`)
  for (const url of urls.values()) await addEndpoint(sql, merchant.merchant, { url, kind: 'transaction' })
  const offer = await merchant.makeOffer()
  const card = await merchant.storeCard()
  const charge = async () => String((await merchant.charge(offer, card)).json.transaction.id)

  const first = await charge()
  await until('all have been tried', async () => (await attemptsFor(first)).size === urls.size)
  const made = await attemptsFor(first)
  const wellRefused = 'The URL must not lead to a private or reserved address.'
  const expected = new Map<string, readonly [number | null, string | null, string]>([
    ...Object.entries(endpoints).map(([name, [, status, reason, state]]) => [name, [status, reason, state]] as const),
    ['refuses connections', [null, 'The connection was refused.', 'pending']],
    ['is private', [null, wellRefused, 'pending']],
    ['changes its address', [500, null, 'pending']],
  ])
  for (const [name, url] of urls) {
    const attempt = made.get(url)
    assert.deepEqual([attempt?.status, attempt?.reason, attempt?.state], expected.get(name), name)
  }

  const second = await charge()
  await until('all have been tried again', async () => (await attemptsFor(second)).size === urls.size)
  const again = await attemptsFor(second)
  assert.equal(again.get(urls.get('is well') ?? '')?.state, 'delivered')
  assert.equal(again.get(urls.get('changes its address') ?? '')?.reason, wellRefused, 'it was private the second time')
  assert.equal(rebound.received.length, 1, 'and nobody went there')
})
