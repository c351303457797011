import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Heard } from '../core/notice.ts'
import { gatewayId, merchantId } from '../core/samples.test.ts'
import { sendError } from '../http/errors.ts'
import { gatewayEventRoutes, type ReadNotice } from './gateway-events.ts'

const authentic = (heard: Heard): ReadNotice => ({ kind: 'authentic', follow: async () => heard })

let app: FastifyInstance
let url: string
let says: ReadNotice
let heard: { body: Buffer; headers: { readonly [name: string]: unknown } }[]
const finished: Promise<unknown>[] = []

async function serving(requestsPerS: number): Promise<FastifyInstance> {
  const server = Fastify({ trustProxy: ['127.0.0.1'] })
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  const notices = {
    ownerOf: async (id: string) => (id === gatewayId ? merchantId : null),
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

  test('of those that are authentic, by merchant', async () => {
    const { server, statuses } = await flooding(4, { requestsPerS: 1 })
    assert.deepEqual([statuses[0], new Set(statuses)], [200, new Set([200, 429])])
    await server.close()
  })

  test('of those that are not, by the address behind the trusted proxy; and none of the gateway’s own', async () => {
    says = { kind: 'not_authentic', sentence: 'The notice has no signature.' }
    const { server, one, statuses } = await flooding(25)
    assert.deepEqual([statuses[0], statuses.at(-1)], [400, 429])
    assert.equal(await one('203.0.113.2'), 400, 'another address is not slowed down by it')
    says = authentic('done')
    assert.deepEqual([await one(), await one('203.0.113.2')], [200, 200], 'nor is what is authentic, from anywhere')
    await server.close()
  })

  test('of those that are for nobody, whoever they are for', async () => {
    const { server, one, statuses } = await flooding(25, { id: 'gw_BBBBBBBBBBBBBBBBBBBBBB' })
    assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429])
    assert.equal(await one('203.0.113.1', 'gw_CCCCCCCCCCCCCCCCCCCCCC'), 429)
    await server.close()
  })

  test('and those that are not followed up take nothing from the merchant', async () => {
    says = { kind: 'not_authentic', sentence: 'The notice has no signature.' }
    const { server, one } = await flooding(5, { requestsPerS: 1 })
    says = authentic('done')
    assert.equal(await one('203.0.113.9'), 200)
    await server.close()
  })
})
