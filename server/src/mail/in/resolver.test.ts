import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDns } from '../../../test/support/dns-server.ts'
import { domain } from '../../../test/support/mailbox.ts'
import { createMailResolver } from './resolver.ts'

const long = domain('shop.test', { algorithm: 'rsa-sha256' }).records.get('TXT post._domainkey.shop.test')?.[0] ?? ''
const dns = await startDns((type, name) => {
  if (type === 'MX' && name === 'shop.test') return ['10 mail.shop.test']
  if (type === 'TXT' && name === 'key.shop.test') return [long, 'another']
  if (type === 'TXT' && name === 'long.shop.test')
    return Array.from({ length: 80 }, (_, at) => `${at}${'x'.repeat(240)}`)
  if (type === 'TXT' && name === 'many.shop.test') return Array.from({ length: 101 }, (_, at) => `${at}`)
  return type === 'A' ? ['192.0.2.1'] : 'no such name'
})
after(() => dns.close())

test('asks the server that it is told, for every type that finding a sender needs', async () => {
  const resolve = createMailResolver({ dns: dns.address })
  assert.deepEqual(await resolve('a.test', 'A'), ['192.0.2.1'])
  const [exchange] = (await resolve('shop.test', 'MX')) as unknown as { exchange: string; priority: number }[]
  assert.deepEqual([exchange?.exchange, exchange?.priority], ['mail.shop.test', 10])
  const texts = (await resolve('key.shop.test', 'TXT')) as string[][]
  assert.deepEqual(texts.map(parts => parts.join('')).sort(), [long, 'another'].sort())
  await assert.rejects(resolve('none.test', 'TXT'), { code: 'ENOTFOUND' })
})

test('an answer that is longer than any honest one is none', async () => {
  const resolve = createMailResolver({ dns: dns.address })
  for (const name of ['long.shop.test', 'many.shop.test'])
    await assert.rejects(resolve(name, 'TXT'), { code: 'ENOTFOUND' })
})

test('own names come first, and are asked of nobody', async () => {
  const ownNames = (name: string, type: string) =>
    name.endsWith('example.com') ? (type === 'TXT' ? ['v=spf1 -all'] : []) : null
  const resolve = createMailResolver({ dns: dns.address, ownNames })
  const before = dns.asked.length
  assert.deepEqual(await resolve('Example.com', 'TXT'), [['v=spf1 -all']])
  await assert.rejects(resolve('example.com', 'A'), { code: 'ENOTFOUND' })
  assert.equal(dns.asked.length, before)
  assert.deepEqual(await resolve('a.test', 'A'), ['192.0.2.1'])
})
