import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { addressGuard, type Verdict, type Whereto } from './address-guard.ts'
import { thisMachine } from './this-machine.ts'

const live: Whereto = { mode: 'live', allow: [], ownPorts: () => [8080, 9090], inboxPort: () => 8080 }
const sandbox: Whereto = { ...live, mode: 'sandbox' }

function judge(whereto: Whereto, address: string, port = 443, path = '/hook'): Verdict {
  return addressGuard(whereto)(address, port, path)
}

function judgeAll(whereto: Whereto, addresses: readonly string[], verdict: Verdict): void {
  const guard = addressGuard(whereto)
  assert.deepEqual(
    addresses.map(address => [address, guard(address, 443, '/hook')]),
    addresses.map(address => [address, verdict]),
  )
}

/** The first and the last address of a range, and its neighbours where they are not reserved themselves. */
interface RangeEnds {
  readonly refused: readonly string[]
  readonly neighbours: readonly string[]
}

const ranges: { readonly [name: string]: RangeEnds } = {
  'this network': { refused: ['0.0.0.0', '0.255.255.255'], neighbours: ['1.0.0.0'] },
  'private 10/8': { refused: ['10.0.0.0', '10.255.255.255'], neighbours: ['9.255.255.255', '11.0.0.0'] },
  'shared by carriers': { refused: ['100.64.0.0', '100.127.255.255'], neighbours: ['100.63.255.255', '100.128.0.0'] },
  loopback: { refused: ['127.0.0.0', '127.0.0.1', '127.255.255.255'], neighbours: ['126.255.255.255', '128.0.0.0'] },
  "a cloud's own service": { refused: ['168.63.129.16'], neighbours: ['168.63.129.15', '168.63.129.17'] },
  'link-local': { refused: ['169.254.0.0', '169.254.255.255'], neighbours: ['169.253.255.255', '169.255.0.0'] },
  'private 172.16/12': { refused: ['172.16.0.0', '172.31.255.255'], neighbours: ['172.15.255.255', '172.32.0.0'] },
  'protocol assignments': { refused: ['192.0.0.0', '192.0.0.255'], neighbours: ['191.255.255.255', '192.0.1.0'] },
  'documentation 1': { refused: ['192.0.2.0', '192.0.2.255'], neighbours: ['192.0.1.255', '192.0.3.0'] },
  '6to4 relays': { refused: ['192.88.99.0', '192.88.99.255'], neighbours: ['192.88.98.255', '192.88.100.0'] },
  'private 192.168/16': { refused: ['192.168.0.0', '192.168.255.255'], neighbours: ['192.167.255.255', '192.169.0.0'] },
  benchmarking: { refused: ['198.18.0.0', '198.19.255.255'], neighbours: ['198.17.255.255', '198.20.0.0'] },
  'documentation 2': { refused: ['198.51.100.0', '198.51.100.255'], neighbours: ['198.51.99.255', '198.51.101.0'] },
  'documentation 3': { refused: ['203.0.113.0', '203.0.113.255'], neighbours: ['203.0.112.255', '203.0.114.0'] },
  multicast: { refused: ['224.0.0.0', '239.255.255.255'], neighbours: ['223.255.255.255'] },
  'reserved and broadcast': { refused: ['240.0.0.0', '255.255.255.254', '255.255.255.255'], neighbours: [] },
  'below global IPv6': { refused: ['::', '::1', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], neighbours: ['2000::'] },
  discard: { refused: ['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::'], neighbours: [] },
  'local NAT64': {
    refused: ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '64:ff9b:1::808:808'],
    neighbours: [],
  },
  'translated IPv4': { refused: ['::ffff:0:808:808'], neighbours: [] },
  'Teredo and other protocols': {
    refused: ['2001::', '2001:0:ffff::1', '2001:2::1', '2001:10::1', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    neighbours: ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  },
  'IPv6 documentation': {
    refused: ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    neighbours: ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  },
  '6to4': {
    refused: ['2002::', '2002:808:808::1', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    neighbours: ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  },
  'more IPv6 documentation': {
    refused: ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    neighbours: ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  },
  'above global IPv6': { refused: ['4000::', '5f00::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], neighbours: [] },
  'ULA, with metadata': { refused: ['fc00::', 'fd00:ec2::254', 'fdff::1'], neighbours: [] },
  'link-local and site-local': { refused: ['fe80::1', 'febf::1', 'fec0::1', 'feff::1'], neighbours: [] },
  'IPv6 multicast': { refused: ['ff00::', 'ff02::1'], neighbours: [] },
}

for (const [name, { refused, neighbours }] of Object.entries(ranges)) {
  test(`${name}: refused from the first address to the last, and no further`, () => {
    judgeAll(live, refused, 'reserved')
    judgeAll(live, neighbours, 'allowed')
  })
}

/** Every way to write an IPv4 address into an IPv6 one that is judged by what is inside. */
const forms = (address: string, hex: string) => [
  `::ffff:${address}`,
  `::FFFF:${hex}`,
  `0:0:0:0:0:ffff:${hex}`,
  `::${address}`,
  `64:ff9b::${address}`,
  `64:ff9b:0:0:0:0:${hex}`,
]

test('an IPv4 address inside an IPv6 one is judged like itself', () => {
  judgeAll(live, forms('169.254.169.254', 'a9fe:a9fe'), 'reserved')
  judgeAll(live, forms('10.0.0.1', 'a00:1'), 'reserved')
  judgeAll(live, forms('127.0.0.1', '7f00:1'), 'reserved')
  judgeAll(live, forms('8.8.8.8', '808:808'), 'allowed')
  judgeAll(sandbox, forms('127.0.0.1', '7f00:1'), 'allowed')
  judgeAll({ ...live, allow: ['10.0.0.0/24'] }, forms('10.0.0.1', 'a00:1'), 'allowed')
  judgeAll({ ...live, allow: ['10.0.0.0/24'] }, forms('10.0.1.1', 'a00:101'), 'reserved')
})

test('an operator allows ranges, and nothing beside them', () => {
  const allow = ['10.1.0.0/16', '192.168.7.7/32', 'fd00:1::/32', '64:ff9b:1::/48']
  judgeAll({ ...live, allow }, ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd00:1::5', '64:ff9b:1::1'], 'allowed')
  judgeAll({ ...live, allow }, ['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fd00:2::', '127.0.0.1'], 'reserved')
})

test('all of one family is not the other', () => {
  judgeAll({ ...live, allow: ['::/0'] }, ['10.0.0.1', '::ffff:10.0.0.1'], 'reserved')
  judgeAll({ ...live, allow: ['::/0'] }, ['fd00::1', '::1'], 'allowed')
  judgeAll({ ...live, allow: ['0.0.0.0/0'] }, ['fd00::1', '::1'], 'reserved')
  judgeAll({ ...live, allow: ['0.0.0.0/0'] }, ['10.0.0.1', '::ffff:10.0.0.1'], 'allowed')
})

test('a range that is written in mapped form is a range of IPv4', () => {
  judgeAll({ ...live, allow: ['::ffff:10.0.0.0/104'] }, ['10.9.9.9', '::ffff:10.9.9.9'], 'allowed')
  judgeAll({ ...live, allow: ['::ffff:10.0.0.0/104'] }, ['172.16.0.1'], 'reserved')
})

test('sandbox mode allows loopback and no other private address', () => {
  judgeAll(sandbox, ['127.0.0.1', '127.9.9.9', '::1'], 'allowed')
  judgeAll(sandbox, ['0.0.0.0', '::', '10.0.0.1', '169.254.169.254', 'fe80::1', '::2'], 'reserved')
})

/** With the addresses that it has beside loopback. */
const machine = (...addresses: string[]) => thisMachine(() => addresses)

test("the service's own ports are refused wherever they lead to this machine, but for its inbox", () => {
  const allowing: Whereto = { ...sandbox, allow: ['10.0.0.0/8', '0.0.0.0/8', '::/127', 'fd00::/8'] }
  const guard = addressGuard(allowing, machine('10.0.0.1', 'fd00::1', '8.8.4.4'))
  const own = [
    ...['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::'],
    ...['10.0.0.1', '::ffff:10.0.0.1', '64:ff9b::a00:1', 'fd00::1', 'fd00:0:0::0001', '8.8.4.4'],
  ]
  for (const address of own) {
    assert.equal(guard(address, 8080, '/hook'), 'own service', address)
    assert.equal(guard(address, 9090, '/hook'), 'own service', address)
    assert.equal(guard(address, 8080, '/inbox/demo'), 'allowed', address)
    assert.equal(guard(address, 8080, '/inboxes'), 'own service', address)
    assert.equal(guard(address, 8081, '/hook'), 'allowed', address)
  }
})

test("another machine's ports are its own affair", () => {
  const guard = addressGuard({ ...live, allow: ['10.0.0.0/8', 'fd00::/8'] }, machine('10.0.0.1', 'fd00::1'))
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::2', '8.8.8.8', '2600::1']) {
    assert.equal(guard(address, 8080, '/hook'), 'allowed', address)
  }
})

test('the inbox is on the one port that serves it, and where none does there is no exception', () => {
  assert.equal(judge(sandbox, '127.0.0.1', 9090, '/inbox/demo'), 'own service')
  assert.equal(judge({ ...sandbox, inboxPort: () => null }, '127.0.0.1', 8080, '/inbox/demo'), 'own service')
  assert.equal(judge({ ...sandbox, inboxPort: () => 8081 }, '127.0.0.1', 8080, '/inbox/demo'), 'own service')
  assert.equal(judge(live, '127.0.0.1', 8080, '/inbox/demo'), 'reserved')
})

test('whatever address this machine has, its own ports are refused there', () => {
  const all = Object.values(networkInterfaces()).flatMap(each => each?.map(({ address }) => address) ?? [])
  const guard = addressGuard({ ...sandbox, allow: ['0.0.0.0/0', '::/0'] })
  for (const address of all) assert.equal(guard(address, 8080, '/hook'), 'own service', address)
})

test('an address that this machine gets while it runs is soon known', () => {
  const addresses = ['10.0.0.1']
  let nowMs = 0
  const isThisMachine = thisMachine(
    () => addresses,
    () => nowMs,
  )
  const guard = addressGuard({ ...sandbox, allow: ['10.0.0.0/8'] }, isThisMachine)
  assert.equal(guard('10.0.0.2', 8080, '/hook'), 'allowed')
  addresses.push('10.0.0.2')
  nowMs = 5_000
  assert.equal(guard('10.0.0.2', 8080, '/hook'), 'own service')
})

test('own ports are asked for anew: they are known only once the service listens', () => {
  const ports: number[] = []
  const guard = addressGuard({ ...sandbox, ownPorts: () => ports })
  assert.equal(guard('127.0.0.1', 9000, '/'), 'allowed')
  ports.push(9000)
  assert.equal(guard('127.0.0.1', 9000, '/'), 'own service')
})

test('what is no address, or has a zone, is refused', () => {
  judgeAll({ ...live, allow: ['::/0'] }, ['', 'localhost', '1.2.3', '01.2.3.4', 'fe80::1%eth0', '::1%lo'], 'reserved')
})
