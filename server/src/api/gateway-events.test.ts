import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { exchange } from '../../test/support/raw.ts'
import { gatewayId, merchantId } from '../../test/support/sale-samples.ts'
import { until } from '../../test/support/until.ts'
import type { MerchantId } from '../core/ids.ts'
import type { At, Heard } from '../core/notice.ts'
import { createDoor } from '../http/door.ts'
import { sendError } from '../http/errors.ts'
import { forItself, givePlacesBack, holdPlaces } from '../http/hold-places.ts'
import { limitStrangers } from '../http/strangers.ts'
import { createThrottle } from '../http/throttle.ts'
import { gatewayEventRoutes, type ReadNotice } from './gateway-events.ts'

const authentic = (heard: Heard): ReadNotice => ({ kind: 'authentic', follow: async () => heard })

let app: FastifyInstance
let url: string
let says: ReadNotice
let heard: { body: Buffer; headers: { readonly [name: string]: unknown } }[]
/** Ids that were looked for, which the database is asked for. */
let lookedFor: string[]
const finished: Promise<unknown>[] = []

async function serving(requestsPerS: number): Promise<FastifyInstance> {
  const server = Fastify({ trustProxy: ['127.0.0.1'] })
  givePlacesBack(server)
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  limitStrangers(server, () => ({ name: 'known', throttle: createThrottle({ perS: 1_000_000, burst: 1_000_000 }) }))
  const notices = {
    async ownerOf(id: string) {
      lookedFor.push(id)
      return id === gatewayId ? merchantId : null
    },
    async read(at: unknown, body: Buffer, headers: object) {
      assert.deepEqual(at, { merchantId, gatewayId })
      heard.push({ body, headers: { ...headers } })
      return says
    },
  }
  const finish = <T>(work: Promise<T>) => {
    finished.push(work)
    return work
  }
  await server.register(async events => gatewayEventRoutes(events, notices, { finish, requestsPerS }))
  return server
}

before(async () => {
  app = await serving(1_000)
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/gateways`
})
after(() => app.close())
beforeEach(() => {
  says = authentic('done')
  heard = []
  lookedFor = []
})

async function post(id: string, body: string | Buffer = '{}', headers: { readonly [name: string]: string } = {}) {
  const response = await fetch(`${url}/${id}/events`, { method: 'POST', body, headers })
  const json = (await response.json()) as { readonly errors?: { readonly general: string } }
  return { status: response.status, json, retryAfter: response.headers.get('retry-after') }
}

test('a notice comes to its gateway byte for byte, with its headers, whatever it says that it is', async () => {
  const body = Buffer.from('{"not json\u0000 é', 'utf8')
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/odd; charset=none']) {
    const answer = await post(gatewayId, body, { 'content-type': type, 'stripe-signature': 't=1' })
    assert.deepEqual(answer, { status: 200, json: { received: true }, retryAfter: null })
    assert.deepEqual(heard.at(-1)?.body, body)
    assert.equal(heard.at(-1)?.headers['stripe-signature'], 't=1')
  }
})

test('one without a body is for its gateway to judge, too', async () => {
  says = { kind: 'not_authentic', sentence: 'The notice has no signature.' }
  const response = await fetch(`${url}/${gatewayId}/events`, { method: 'POST' })
  assert.deepEqual([response.status, heard[0]?.body.length], [400, 0])
})

test('what is not authentic is 400, in the words of its gateway', async () => {
  says = { kind: 'not_authentic', sentence: 'The notice is too old.' }
  const { status, json } = await post(gatewayId)
  assert.deepEqual([status, json], [400, { errors: { general: 'The notice is too old.' } }])
})

test('what cannot be followed up just now is 503, so that it is sent again', async () => {
  says = authentic('not_now')
  const { status, retryAfter } = await post(gatewayId)
  assert.deepEqual([status, retryAfter], [503, '10'])
})

test('an unknown gateway, what is none, and one that tells nothing are one and the same 404', async () => {
  says = { kind: 'tells_nothing' }
  const answers = await Promise.all(['gw_BBBBBBBBBBBBBBBBBBBBBB', 'x', '%00', gatewayId].map(id => post(id)))
  const expected = { status: 404, json: { errors: { general: 'No gateway tells anything here.' } }, retryAfter: null }
  for (const answer of answers) assert.deepEqual(answer, expected)
})

test('a body of 256 KiB is taken, and no byte more', async () => {
  assert.equal((await post(gatewayId, Buffer.alloc(262_144))).status, 200)
  const { status, json } = await post(gatewayId, Buffer.alloc(262_145))
  assert.deepEqual([status, json.errors?.general], [413, 'The body is larger than 256 KiB.'])
  assert.equal(heard.length, 1)
})

test('the service does not stop before a notice is followed up', async () => {
  const before = finished.length
  await post(gatewayId)
  assert.equal(finished.length, before + 1)
})

test('notices of a merchant whose gateway hangs leave room to those of others, from the same machines', async t => {
  const server = Fastify()
  givePlacesBack(server)
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  limitStrangers(server, () => ({ name: 'known', throttle: createThrottle({ perS: 1_000, burst: 1_000 }) }))
  const hung = Promise.withResolvers<Heard>()
  const notices = {
    ownerOf: async (id: string) => (id === gatewayId ? merchantId : ('m_BBBBBBBBBBBBBBBBBBBBBB' as MerchantId)),
    read: async (at: At): Promise<ReadNotice> => ({
      kind: 'authentic',
      follow: () => (at.merchantId === merchantId ? hung.promise : Promise.resolve('done')),
    }),
  }
  const door = createDoor({ places: 4, waitMaxMs: 1, turnedAway: () => {} })
  await server.register(async events => {
    holdPlaces(
      events,
      door,
      forItself(({ ip }) => ip),
    )
    gatewayEventRoutes(events, notices, { finish: work => work, requestsPerS: 1_000 })
  })
  t.after(() => server.close())
  const tell = async (id: string) => (await server.inject({ method: 'POST', url: `/gateways/${id}/events` })).statusCode
  const hanging = [tell(gatewayId), tell(gatewayId)]
  await until('two are followed up', async () => door.counts.inHand === 2)
  assert.equal(await tell(gatewayId), 503)
  assert.equal(await tell('gw_BBBBBBBBBBBBBBBBBBBBBB'), 200)
  hung.resolve('done')
  assert.deepEqual(await Promise.all(hanging), [200, 200])
})

describe('too many notices are 429', () => {
  async function flooding(count: number, more: { from?: string; id?: string; requestsPerS?: number } = {}) {
    const { from = '203.0.113.1', id = gatewayId, requestsPerS = 1_000 } = more
    const server = await serving(requestsPerS)
    const one = async (address = from, to = id) => {
      const headers = { 'x-forwarded-for': address }
      return (await server.inject({ method: 'POST', url: `/gateways/${to}/events`, headers })).statusCode
    }
    const statuses: number[] = []
    for (let each = 0; each < count; each++) statuses.push(await one())
    return { server, one, statuses }
  }

  /** What was done for the last one, beside answering it. */
  const workFor = async (ask: () => Promise<number>) => {
    const before = [lookedFor.length, heard.length]
    const status = await ask()
    return { status, work: [lookedFor.length, heard.length].map((count, at) => count - (before[at] ?? 0)) }
  }
  /** A slow machine gives some of its time back as allowance: the first that is refused is looked at. */
  const refusedFor = async (ask: () => Promise<number>) => {
    for (let each = 0; each < 100; each++) {
      const done = await workFor(ask)
      if (done.status === 429) return done
    }
    return assert.fail('none was refused')
  }
  const none = { status: 429, work: [0, 0] }
  const whole = { status: 200, work: [1, 1] }

  test('more of one gateway than a merchant may ask, from wherever they come', async () => {
    const { server, one, statuses } = await flooding(4, { requestsPerS: 1 })
    assert.deepEqual([statuses[0], new Set(statuses)], [200, new Set([200, 429])])
    assert.deepEqual(await refusedFor(() => one('203.0.113.7')), none)
    await server.close()
  })

  test('more from one network, for whichever gateways: of IPv6 that is a /64', async () => {
    for (const [first, next] of [
      ['203.0.113.1', '203.0.113.1'],
      ['2001:db8::1', '2001:db8::2'],
    ] as const) {
      const { server, one } = await flooding(1, { from: first, requestsPerS: 1 })
      assert.deepEqual(await refusedFor(() => one(next, 'gw_CCCCCCCCCCCCCCCCCCCCCC')), none)
      await server.close()
    }
  })

  test('false ones, by network and gateway; the gateway’s own still come from elsewhere', async () => {
    says = { kind: 'not_authentic', sentence: 'The notice has no signature.' }
    const { server, one, statuses } = await flooding(25)
    assert.deepEqual([statuses[0], statuses.at(-1)], [400, 429])
    assert.deepEqual(await refusedFor(() => one()), none)
    assert.equal(await one('203.0.113.2'), 400, 'another network is not slowed down by it')
    says = authentic('done')
    assert.deepEqual(await workFor(() => one('203.0.113.2')), whole)
    await server.close()
  })

  test('those that are for nobody, by network, whoever they are for', async () => {
    const { server, one, statuses } = await flooding(25, { id: 'gw_BBBBBBBBBBBBBBBBBBBBBB' })
    assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429])
    assert.deepEqual(await refusedFor(() => one('203.0.113.1', 'gw_CCCCCCCCCCCCCCCCCCCCCC')), none)
    await server.close()
  })

  test('but not those of a gateway that is known: others’ stray notices from its network do not hold it up', async () => {
    const { server, one } = await flooding(1)
    for (let each = 0; each < 25; each++) await one('203.0.113.1', 'gw_BBBBBBBBBBBBBBBBBBBBBB')
    assert.deepEqual(await refusedFor(() => one('203.0.113.1', 'gw_BBBBBBBBBBBBBBBBBBBBBB')), none)
    assert.deepEqual(await workFor(() => one()), whole)
    await server.close()
  })

  test('what cannot be the id of a gateway is never looked for', async () => {
    const { server, one } = await flooding(0)
    assert.deepEqual(await workFor(() => one('203.0.113.1', 'x')), { status: 404, work: [0, 0] })
    await server.close()
  })

  test('one that is too many is refused before its body is there', async t => {
    const server = await serving(1)
    t.after(() => server.close())
    await server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = server.server.address() as AddressInfo
    const path = `/gateways/${gatewayId}/events`
    await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}' })
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 262144\r\n\r\n`
    assert.match(await exchange(`http://127.0.0.1:${port}`, head), /^HTTP\/1\.1 429 /)
    assert.equal(heard.length, 1)
  })
})
