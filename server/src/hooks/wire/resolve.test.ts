// From names to addresses, with a real DNS server that says what it is told.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type DnsReply, type RecordType, startDns } from '../../../test/support/dns-server.ts'
import { hasIpv6, startRaw, unusedPort } from '../../../test/support/raw-endpoint.ts'
import { until } from '../../../test/support/until.ts'
import { limitOf } from './limit.ts'
import { createResolver } from './resolve.ts'
import { createThreadSender, type SenderOptions } from './sender.ts'

const body = 'details=x&signature=y'
const timeoutMs = 20_000
const thank = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
const reserved = 'The URL must not lead to a private or reserved address.'
const sandbox: SenderOptions = {
  mode: 'sandbox',
  allow: [],
  ownPorts: () => [],
  inboxPort: () => null,
  proxy: null,
  dns: null,
}

const of = (merchant: string) => ({ merchant, share: null })

type Say = (type: RecordType, name: string, times: number) => DnsReply

async function dnsThat(t: TestContext, say: Say) {
  const dns = await startDns(say)
  t.after(() => dns.close())
  return dns
}

/** An endpoint, and a sender whose names are said by us. */
async function world(t: TestContext, say: Say, host = '127.0.0.1') {
  const dns = await dnsThat(t, say)
  const endpoint = await startRaw(t, thank, { host })
  const post = createThreadSender({ ...sandbox, dns: dns.address })
  const send = () => post({ url: `http://shop.test:${endpoint.port}/hook`, body, timeoutMs })
  return { dns, endpoint, send }
}

const only =
  (wanted: RecordType, ...addresses: string[]): Say =>
  type =>
    type === wanted ? addresses : []

test('a name is resolved, and stands in the Host header', async t => {
  const { dns, endpoint, send } = await world(t, only('A', '127.0.0.1'))
  assert.equal((await send()).status, 200)
  assert.match(endpoint.received[0] ?? '', new RegExp(`\r\nHost: shop\\.test:${endpoint.port}\r\n`))
  assert.deepEqual([...dns.asked].sort(), ['A shop.test', 'AAAA shop.test'])
})

test('a name with an IPv6 address alone is reached', { skip: !hasIpv6 }, async t => {
  const { send } = await world(t, only('AAAA', '::1'), '::1')
  assert.equal((await send()).status, 200)
})

test('where one address refuses, the next is tried', { skip: !hasIpv6 }, async t => {
  const { send, endpoint } = await world(t, type => (type === 'A' ? ['127.0.0.1'] : ['::1']), '::1')
  assert.equal((await send()).status, 200)
  assert.equal(endpoint.received.length, 1)
})

test('where no address answers, the reason is that of the first', async t => {
  const broadcast = '255.255.255.255' // cannot be connected to, and nothing leaves the machine
  const dns = await dnsThat(t, only('A', '127.0.0.1', broadcast))
  const post = createThreadSender({ ...sandbox, dns: dns.address, allow: [`${broadcast}/32`] })
  const posted = await post({ url: `http://shop.test:${await unusedPort()}/`, body, timeoutMs })
  assert.equal(posted.reason, 'The connection was refused.')
})

test('a name is asked for once per attempt, and anew for the next, whatever its time to live', async t => {
  const { dns, send } = await world(t, only('A', '127.0.0.1'))
  await send()
  await send()
  assert.deepEqual([...dns.asked].sort(), ['A shop.test', 'A shop.test', 'AAAA shop.test', 'AAAA shop.test'])
})

test('a name that leads to a private address the second time is refused the second time', async t => {
  const { dns, endpoint, send } = await world(t, (type, _, times) => {
    if (type === 'AAAA') return []
    return times === 0 ? ['127.0.0.1'] : ['169.254.169.254']
  })
  assert.equal((await send()).status, 200)
  const second = await send()
  assert.deepEqual([second.status, second.reason], [null, reserved])
  assert.equal(endpoint.received.length, 1)
  assert.equal(dns.asked.length, 4, 'what was checked is what was asked for, once')
})

test('one private address among good ones is enough to refuse, in either family and any place', async t => {
  const sayings: Say[] = [
    type => (type === 'A' ? ['127.0.0.1', '10.0.0.1'] : []),
    type => (type === 'A' ? ['10.0.0.1', '127.0.0.1'] : []),
    type => (type === 'A' ? ['127.0.0.1'] : ['fd00::1']),
    type => (type === 'A' ? ['127.0.0.1'] : ['::ffff:a9fe:a9fe']),
    type => (type === 'A' ? [...Array<string>(9).fill('127.0.0.1'), '10.0.0.1'] : []),
  ]
  for (const say of sayings) {
    const { endpoint, send } = await world(t, say)
    const posted = await send()
    assert.deepEqual([posted.status, posted.reason, endpoint.received.length], [null, reserved, 0])
  }
})

test('a name cannot lead back to the service', async t => {
  const dns = await dnsThat(t, only('A', '127.0.0.1'))
  const endpoint = await startRaw(t, thank)
  const post = createThreadSender({
    ...sandbox,
    dns: dns.address,
    ownPorts: () => [endpoint.port],
    inboxPort: () => endpoint.port,
  })
  const at = (path: string) => post({ url: `http://shop.test:${endpoint.port}${path}`, body, timeoutMs })
  assert.equal((await at('/api')).reason, 'The URL must not lead back to this service.')
  assert.equal((await at('/inbox/demo')).status, 200)
  assert.equal(endpoint.received.length, 1)
})

test('every refused range has the same words', async t => {
  const reasons = new Set<string | null>()
  for (const address of ['10.0.0.1', '100.64.0.1', '169.254.169.254', '192.0.2.1', '224.0.0.1', '255.255.255.255']) {
    const { send } = await world(t, only('A', address))
    reasons.add((await send()).reason)
  }
  assert.deepEqual([...reasons], [reserved])
})

const failures: readonly (readonly [name: string, say: Say, reason: RegExp])[] = [
  ['does not exist', () => 'no such name', /^The host name does not resolve\.$/],
  ['has no addresses', () => [], /^The host name does not resolve\.$/],
  ['cannot be looked up', () => 'fails', /^The resolver fails \(ESERVFAIL\)\.$/],
  [
    'may have an address that cannot be looked up',
    type => (type === 'A' ? [] : 'fails'),
    /^The resolver fails \(ESERVFAIL\)\.$/,
  ],
  [
    'a silent resolver is asked for',
    () => 'silent',
    /^The (resolver does not answer|host name was not resolved within 5 s)\.$/,
  ],
]
for (const [name, say, reason] of failures) {
  test(`a name that ${name} is a failure with that reason`, async t => {
    const { send } = await world(t, say)
    const posted = await send()
    assert.equal(posted.status, null)
    assert.match(posted.reason ?? '', reason)
  })
}

test('a resolver that is silent about one family does not hide the other, and is not asked again', async t => {
  const { dns, send } = await world(t, type => (type === 'A' ? ['127.0.0.1'] : 'silent'))
  assert.equal((await send()).status, 200)
  // Who waits for the silent family asks for it anew after a second.
  assert.deepEqual([...dns.asked].sort(), ['A shop.test', 'AAAA shop.test'])
})

test('a family that has nothing to say does not hurry the other', async t => {
  // What c-ares asks a second time, it asks a second later.
  const { dns, send } = await world(t, (type, _, times) => {
    if (type === 'AAAA') return []
    return times === 0 ? 'silent' : ['127.0.0.1']
  })
  assert.equal((await send()).status, 200)
  assert.equal(dns.asked.filter(each => each === 'A shop.test').length, 2)
})

test("an attempt's own limit also ends the resolving", async t => {
  const dns = await dnsThat(t, () => 'silent')
  const post = createThreadSender({ ...sandbox, dns: dns.address })
  const posted = await post({ url: 'http://shop.test/', body, timeoutMs: 200 })
  assert.equal(posted.reason, 'The host name was not resolved within 0.2 s.')
})

test('no resolver is there: that is a reason too', async () => {
  const resolve = createResolver('127.0.0.1:1')
  const resolved = await resolve('shop.test', limitOf(performance.now(), 5_000), of('mer_1'))
  assert.match('reason' in resolved ? resolved.reason : '', /^The (resolver|host name was not)/)
})

test('names that cannot be asked for do not resolve', async t => {
  const dns = await dnsThat(t, () => ['127.0.0.1'])
  const resolve = createResolver(dns.address)
  for (const name of [`${'a'.repeat(64)}.test`, 'a..test', `${'a.'.repeat(200)}test`]) {
    const resolved = await resolve(name, limitOf(performance.now(), 5_000), of('mer_1'))
    assert.deepEqual(resolved, { reason: 'The host name does not resolve.' }, name)
  }
  assert.deepEqual(dns.asked, [])
})

/** c-ares refuses this by itself, so no resolver of this machine is asked before the system is. */
const strange = 'a..test'

test('the system has the second word about a name that does not exist, two names at a time', async () => {
  const asked: PromiseWithResolvers<readonly string[]>[] = []
  const resolve = createResolver(null, () => {
    const answer = Promise.withResolvers<readonly string[]>()
    asked.push(answer)
    return answer.promise
  })
  const limit = limitOf(performance.now(), timeoutMs)
  const answers = [1, 2, 3, 4].map(each => resolve(strange, limit, of(`mer_${each}`)))
  await until('two are asked', async () => asked.length === 2)
  asked[0]?.resolve(['192.168.0.1'])
  assert.deepEqual(await answers[0], { addresses: ['192.168.0.1'] })
  await until('a third is asked', async () => asked.length === 3)
  asked[1]?.reject(new Error('no such name'))
  assert.deepEqual(await answers[1], { reason: 'The host name does not resolve.' })
  await until('the last is asked', async () => asked.length === 4)
  for (const each of asked) each.resolve([])
  await Promise.all(answers)
})

test('a merchant whose names the system is silent about does not keep those of others from being asked for', async () => {
  const asked: string[] = []
  const silence = Promise.withResolvers<readonly string[]>()
  const resolve = createResolver(null, async host => {
    asked.push(host)
    return host === 'dead..test' ? silence.promise : ['192.168.0.1']
  })
  const limit = limitOf(performance.now(), timeoutMs)
  const dead = [1, 2, 3].map(() => resolve('dead..test', limit, of('mer_1')))
  await until('one is asked for', async () => asked.length === 1)
  assert.deepEqual(await resolve(strange, limit, of('mer_2')), { addresses: ['192.168.0.1'] })
  assert.deepEqual(asked, ['dead..test', strange])
  silence.resolve([])
  await Promise.all(dead)
  assert.equal(asked.length, 4)
})

test('whoever waited too long for the system does not ask it any more', async () => {
  const held = Promise.withResolvers<readonly string[]>()
  let askedTimes = 0
  const resolve = createResolver(null, () => {
    askedTimes += 1
    return held.promise
  })
  const patient = [1, 2].map(each => resolve(strange, limitOf(performance.now(), timeoutMs), of(`mer_${each}`)))
  await until('two are asked', async () => askedTimes === 2)
  const late = await resolve(strange, limitOf(performance.now(), 50), of('mer_3'))
  assert.deepEqual(late, { reason: 'The host name was not resolved within 0.05 s.' })
  const next = resolve(strange, limitOf(performance.now(), timeoutMs), of('mer_4'))
  held.resolve(['192.168.0.1'])
  assert.deepEqual(await Promise.all([...patient, next]), Array(3).fill({ addresses: ['192.168.0.1'] }))
  assert.equal(askedTimes, 3)
})

test('where a resolver is given, the system is never asked', async t => {
  const dns = await dnsThat(t, () => 'no such name')
  const resolve = createResolver(dns.address, async () => ['127.0.0.1'])
  const resolved = await resolve('shop.test', limitOf(performance.now(), timeoutMs), of('mer_1'))
  assert.deepEqual(resolved, { reason: 'The host name does not resolve.' })
})

test('attempts of one merchant that ask for the same name at once hear the same answer, and other merchants ask themselves', async t => {
  const dns = await dnsThat(t, only('A', '127.0.0.1'))
  const resolve = createResolver(dns.address)
  const limit = limitOf(performance.now(), timeoutMs)
  const asked = ['mer_1', 'mer_1', 'mer_1', 'mer_2'].map(merchant => resolve('shop.test', limit, of(merchant)))
  assert.deepEqual(await Promise.all(asked), Array(4).fill({ addresses: ['127.0.0.1'] }))
  assert.equal(dns.asked.filter(each => each === 'A shop.test').length, 2)
})

test('a merchant may ask for eight names at once, and does not keep others waiting', async t => {
  const dns = await dnsThat(t, (type, name) => (name.startsWith('dead') ? 'silent' : type === 'A' ? ['127.0.0.1'] : []))
  const resolve = createResolver(dns.address)
  const dead = Array.from({ length: 12 }, (_, at) => {
    return resolve(`dead${at}.test`, limitOf(performance.now(), 1_000), of('mer_1'))
  })
  await until('eight are asked for', async () => new Set(dns.asked).size === 16)
  const answer = { addresses: ['127.0.0.1'] }
  assert.deepEqual(await resolve('shop.test', limitOf(performance.now(), timeoutMs), of('mer_2')), answer)
  assert.deepEqual(await Promise.all(dead), Array(12).fill({ reason: 'The host name was not resolved within 1 s.' }))
  assert.equal(
    new Set(dns.asked.filter(each => each.includes('dead'))).size,
    16,
    'nobody waits for the others any more',
  )
  const next = await resolve('shop.test', limitOf(performance.now(), timeoutMs), of('mer_1'))
  assert.deepEqual(next, answer, 'in its turn')
})
