// Whoever has a domain writes its SPF and DMARC records, and whoever sends mail says HELO, MAIL and From: none of it may keep the event
// loop busy. The DNS server is real, and its records are the worst that we could think of.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type DnsReply, startDns } from '../../../test/support/dns-server.ts'
import { write } from '../../../test/support/mailbox.ts'
import { payment, testIntake } from '../../../test/support/test-intake.ts'
import { asciiDomain, authorsForDmarc, limitDmarcWork, limitSpfWork, spfIdentities } from './policy-limits.ts'
import type { Envelope, Taken } from './ports.ts'
import { createMailResolver } from './resolver.ts'
import { takeIn } from './take-in.ts'

const zone = new Map<string, readonly string[]>()
const dns = await startDns((type, name): DnsReply => zone.get(`${type} ${name}`) ?? 'no such name')
after(() => dns.close())
const { resolve } = createMailResolver({ dns: dns.address })

const times = (count: number, piece: string) => piece.repeat(count)
const hosts = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`)

async function bring(from: string, envelope: Partial<Envelope> = {}): Promise<Taken> {
  const given = { mailFrom: from, rcptTo: payment, clientAddress: '198.51.100.7', helo: 'client.test', ...envelope }
  return takeIn(testIntake(resolve), given, write(from, { to: payment }))
}

async function spfOf(from: string, envelope: Partial<Envelope> = {}): Promise<string> {
  const taken = await bring(from, envelope)
  assert.ok(taken.kind === 'taken', JSON.stringify(taken))
  return taken.verdict.spf
}

const askedFor = (name: string) => dns.asked.filter(each => each.endsWith(name))

test('an SPF record with more terms, macros or characters than any honest one is a permerror', async () => {
  const hostile = {
    macros: `exists:${times(3_900, '%{H}')}`,
    'a macro for each term': times(100, 'exists:%{S}.a.test '),
    'escaped percent signs': `exists:${times(3_900, '%%')}.a.test`,
    'IPv6 networks': times(1_300, 'ip6:::/128 '),
    'IPv4 networks': times(1_100, 'ip4:192.0.2.1 '),
    modifiers: times(3_000, 'a=b '),
    'one long name': `exists:a.${times(4_000, 'b')}.test`,
  }
  for (const [name, terms] of Object.entries(hostile)) {
    const domain = `${name.replaceAll(' ', '-').toLowerCase()}.spf.test`
    zone.set(`TXT ${domain}`, [`v=spf1 ${terms} +all`])
    assert.equal(await spfOf(`ada@${domain}`), 'permerror', name)
    assert.deepEqual(askedFor(`A ${domain}`), [])
  }
  assert.deepEqual(askedFor('a.test'), [], 'no name was made of the macros')
})

test('a record that is included again and again counts each time', async () => {
  zone.set('TXT inner.test', [`v=spf1 ${times(60, 'ip6:2001:db8::/32 ')}?all`])
  zone.set('TXT twice.test', [`v=spf1 ${times(2, 'include:inner.test ')}+all`])
  zone.set('TXT tenfold.test', [`v=spf1 ${times(10, 'include:inner.test ')}+all`])
  assert.equal(await spfOf('ada@twice.test'), 'pass')
  assert.equal(await spfOf('ada@tenfold.test'), 'permerror')
})

test('so do addresses, and questions', async () => {
  zone.set('TXT addresses.test', [`v=spf1 ${times(10, 'a:many.test ')}+all`])
  zone.set('A many.test', hosts(90))
  assert.equal(await spfOf('ada@addresses.test'), 'permerror')
  assert.equal(askedFor('A many.test').length, 1)
  const exchanges = (at: number) => Array.from({ length: 10 }, (_, host) => `10 h${host}.mx${at}.test`)
  const terms = Array.from({ length: 9 }, (_, at) => {
    zone.set(`MX mx${at}.test`, exchanges(at))
    return `mx:mx${at}.test`
  })
  zone.set('TXT questions.test', [`v=spf1 ${terms.join(' ')} +all`])
  assert.equal(await spfOf('ada@questions.test'), 'permerror')
  assert.ok(dns.asked.filter(each => /^A h\d\.mx\d\.test$/.test(each)).length < 60)
})

test('an explanation is not asked for macros, nor is any other text', async () => {
  zone.set('TXT why.test', [times(3_900, '%{S}')])
  zone.set('TXT verified.test', [...Array.from({ length: 90 }, (_, at) => `site-verification=${at}`), 'v=spf1 +all'])
  assert.deepEqual([...(await limitSpfWork(resolve)('why.test', 'TXT'))], [])
  assert.deepEqual([...(await limitSpfWork(resolve)('verified.test', 'TXT'))].flat(), ['v=spf1 +all'])
})

test('large honest records pass', async () => {
  const networks = Array.from({ length: 120 }, (_, at) => `ip4:203.0.113.${at}`).join(' ')
  zone.set('TXT flat.test', [`v=spf1 ${networks} ip4:198.51.100.0/24 -all`])
  const includes = Array.from({ length: 9 }, (_, at) => {
    zone.set(`TXT net${at}.big.test`, [`v=spf1 ${networks.slice(0, at === 8 ? 0 : 430)} ip4:198.51.100.${at}/32 ?all`])
    return `include:net${at}.big.test`
  })
  zone.set('TXT big.test', [`v=spf1 ${includes.join(' ')} exists:%{ir}.%{v}._spf.%{d} -all`])
  zone.set('A 7.100.51.198.in-addr._spf.exists.test', ['127.0.0.2'])
  zone.set('TXT exists.test', ['v=spf1 exists:%{ir}.%{v}._spf.%{d} -all'])
  for (const domain of ['flat.test', 'big.test', 'exists.test'])
    assert.equal(await spfOf(`ada@${domain}`), 'pass', domain)
})

test('HELO is believed as a hostname or an address alone', async () => {
  zone.set('TXT helo.test', ['v=spf1 exists:%{h}.said.test -all'])
  zone.set('A mail.client.test.said.test', ['127.0.0.2'])
  assert.equal(await spfOf('ada@helo.test', { helo: 'mail.client.test' }), 'pass')
  const envelope = { mailFrom: 'ada@helo.test', rcptTo: payment, clientAddress: '198.51.100.7' }
  const client = '[198.51.100.7]'
  for (const [helo, believed] of [
    ['mail.client.test', 'mail.client.test'],
    ['[198.51.100.9]', '[198.51.100.9]'],
    ['198.51.100.9', '[198.51.100.9]'],
    ['[IPv6:2001:db8::1]', '[IPv6:2001:db8::1]'],
    ['2001:db8::1', '[2001:db8::1]'],
    [`${times(290, '/')}.test`, client],
    [`${times(200, 'a.')}test`, client],
    ['bücher.test', client],
    [null, client],
  ] as const)
    assert.deepEqual(spfIdentities({ ...envelope, helo }), {
      sender: 'ada@helo.test',
      ip: '198.51.100.7',
      helo: believed,
    })
})

test('for a sender that is longer than an address can be, SPF is not asked', async () => {
  dns.forget()
  assert.equal(await spfOf('ada@long.test', { mailFrom: `${times(400, 'a')}@long.test` }), 'none')
  assert.deepEqual(askedFor('TXT long.test'), [])
})

test('DMARC records of 16 KB at every level are not all read', async () => {
  const labels = 'a.b.c.d.e.dmarc.test'.split('.')
  for (const at of labels.keys())
    zone.set(`TXT _dmarc.${labels.slice(at).join('.')}`, [`v=DMARC1; p=none; ${times(3_900, 'a=b;')}`])
  dns.forget()
  const taken = await bring(`ada@${labels.join('.')}`)
  assert.ok(taken.kind === 'not_now' && taken.enhanced === '4.4.3' && taken.isUndecided, JSON.stringify(taken))
  assert.ok(askedFor('dmarc.test').filter(each => each.startsWith('TXT _dmarc.')).length < 4)
  await assert.rejects(async () => {
    const limited = limitDmarcWork(resolve)
    for (let at = 0; at < 50; at += 1) await limited(`_dmarc.n${at}.test`, 'TXT').catch(throwUnlessNotFound)
  }, /Too much/)
})

function throwUnlessNotFound(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTFOUND') throw error
}

test('a domain that is longer than any is not turned into ASCII', async () => {
  for (const domain of [
    'bücher.test',
    'BÜCHER.Test',
    'bu\u0308cher.test',
    'xn--bcher-kva.test',
    'XN--bcher-kva.TEST',
  ]) {
    assert.equal(asciiDomain(domain), 'xn--bcher-kva.test', domain)
  }
  assert.equal(asciiDomain('straße.bücher.test.'), 'xn--strae-oqa.xn--bcher-kva.test.')
  assert.equal(asciiDomain(`${times(300, 'ü')}.test`), '')
  const from = `ada@${times(2_000, 'ü')}.test`
  assert.deepEqual(authorsForDmarc(['ada@shop.test', 'bob@shop.test']), ['ada@shop.test', 'bob@shop.test'])
  assert.deepEqual(authorsForDmarc([from]), [])
  assert.deepEqual(authorsForDmarc(Array(1_000).fill('ada@shop.test')), [])
  const taken = await bring(from, { mailFrom: 'ada@flat.test' })
  assert.ok(taken.kind === 'taken' && taken.verdict.dmarc === 'none' && taken.verdict.sender === null)
})

test('a domain for which DNS would be asked for another name is none', () => {
  const others = [
    'vic\u00adtim.test',
    'v\uff49ctim.test',
    'victim\u3002test',
    'victim\uff0etest',
    'vic%74im.test',
    'vic\ttim.test',
    'victim.test:25',
  ]
  for (const domain of [
    ...others,
    'ada@victim.test',
    'victim.test/a',
    '0x7f.1',
    'vi\u200bctim.test',
    'K\u0307.test\ufe0f',
  ]) {
    assert.equal(asciiDomain(domain), '', JSON.stringify(domain))
  }
})
