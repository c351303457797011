import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startDns } from '../../../test/support/dns-server.ts'
import { domain, write } from '../../../test/support/mailbox.ts'
import { payment, testIntake } from '../../../test/support/test-intake.ts'
import { createDnsLookups } from '../../threads/dns-lookups.ts'
import { createMailResolver } from './resolver.ts'
import { takeIn } from './take-in.ts'

const long = domain('shop.test', { algorithm: 'rsa-sha256' }).records.get('TXT post._domainkey.shop.test')?.[0] ?? ''
/** As many records as 64 KB hold, each of another text and of the name that is asked for. */
const largest = Array.from({ length: 4_200 }, (_, at) => `${String.fromCharCode(33 + (at % 90), 33 + at / 90)}`)
const inParts = 'x'.repeat(10_000)
const dns = await startDns((type, name) => {
  if (type === 'MX' && name === 'shop.test') return ['10 mail.shop.test']
  if (type === 'TXT' && name === 'key.shop.test') return [long, 'another']
  if (type === 'TXT' && name === 'long.shop.test')
    return Array.from({ length: 80 }, (_, at) => `${at}${'x'.repeat(240)}`)
  if (type === 'TXT' && name === 'many.shop.test') return Array.from({ length: 101 }, (_, at) => `${at}`)
  if (type === 'TXT' && name.endsWith('largest.test')) return largest
  if (name === 'fails.test') return 'fails'
  if (name === 'nothing.test') return []
  if (name === 'parts.test') return [inParts]
  return type === 'A' ? ['192.0.2.1'] : 'no such name'
})
after(() => dns.close())

test('asks the server that it is told, for every type that finding a sender needs', async () => {
  const { resolve } = createMailResolver({ dns: dns.address })
  assert.deepEqual(await resolve('a.test', 'A'), ['192.0.2.1'])
  const [exchange] = (await resolve('shop.test', 'MX')) as unknown as { exchange: string; priority: number }[]
  assert.deepEqual([exchange?.exchange, exchange?.priority], ['mail.shop.test', 10])
  const texts = (await resolve('key.shop.test', 'TXT')) as string[][]
  assert.deepEqual(texts.map(parts => parts.join('')).sort(), [long, 'another'].sort())
  await assert.rejects(resolve('none.test', 'TXT'), { code: 'ENOTFOUND' })
})

test('an answer that is longer than any honest one is none', async () => {
  const { resolve } = createMailResolver({ dns: dns.address })
  for (const name of ['long.shop.test', 'many.shop.test'])
    await assert.rejects(resolve(name, 'TXT'), { code: 'ENOTFOUND' })
})

test('own names come first, and are asked of nobody', async () => {
  const ownNames = (name: string, type: string) =>
    name.endsWith('example.com') ? (type === 'TXT' ? ['v=spf1 -all'] : []) : null
  const { resolve } = createMailResolver({ dns: dns.address, ownNames })
  const before = dns.asked.length
  assert.deepEqual(await resolve('Example.com', 'TXT'), [['v=spf1 -all']])
  await assert.rejects(resolve('example.com', 'A'), { code: 'ENOTFOUND' })
  assert.equal(dns.asked.length, before)
  assert.deepEqual(await resolve('a.test', 'A'), ['192.0.2.1'])
})

/** Of this thread, in milliseconds, for ten lookups of the largest answer. The names are as long as names can be. */
async function cpuMsOf(lookUp: (name: string) => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  for (let count = 0; count < 10; count += 1) await lookUp(`${'a.'.repeat(110)}${count}.largest.test`)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

test('the largest answer is read in another thread, and refused there', async () => {
  const { resolve } = createMailResolver({ dns: dns.address })
  const here = new Resolver()
  here.setServers([dns.address])
  await assert.rejects(resolve('largest.test', 'TXT'), { code: 'ENOTFOUND' })
  assert.equal((await here.resolveTxt('largest.test')).length, largest.length)
  const there = await cpuMsOf(name => assert.rejects(resolve(name, 'TXT'), { code: 'ENOTFOUND' }))
  const whole = await cpuMsOf(name => here.resolveTxt(name))
  // What is left is nearly all the server's, which runs in this thread, too.
  assert.ok(there * 2 < whole, `${there} ms, and ${whole} ms where it is read here`)
})

test('what DNS says instead of an answer comes back as it is', async () => {
  const { resolve } = createMailResolver({ dns: dns.address })
  for (const [name, type, code] of [
    ['shop.test', 'AAAA', 'ENOTFOUND'],
    ['nothing.test', 'TXT', 'ENODATA'],
    ['fails.test', 'TXT', 'ESERVFAIL'],
    [`${'a'.repeat(64)}.test`, 'TXT', 'EBADNAME'],
    ['a.test', 'NOTYPE', 'ERR_INVALID_ARG_VALUE'],
  ] as const)
    await assert.rejects(resolve(name, type), { code }, name)
})

test('a text of many parts comes in one', async () => {
  const { resolve } = createMailResolver({ dns: dns.address })
  assert.deepEqual(await resolve('parts.test', 'TXT'), [[inParts]])
})

const options = { server: null, tryMs: 3_000, givesWay: true }
/** A thread that does what the name says. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', ({ id, name }) => {
      if (name === 'exit') process.exit(7)
      if (name === 'throw') throw new Error('broken')
      if (name !== 'wait') parentPort.postMessage({ id, answer: [String(threadId)] })
    })`)}`,
)

test('a thread that ends fails what was asked as DNS that does not answer, and the next lookup starts another', async () => {
  const { resolve, close } = createDnsLookups(options, { program })
  const [first] = await resolve('say', 'A')
  for (const name of ['exit', 'throw']) {
    const both = [resolve('wait', 'A'), resolve(name, 'A')]
    for (const lookup of both) await assert.rejects(lookup, { code: 'ECANCELLED' }, name)
    const [next] = await resolve('say', 'A')
    assert.notEqual(next, first)
    assert.deepEqual(await resolve('say', 'A'), [next], 'and it stays')
  }
  await close()
  const mail = testIntake(
    createDnsLookups(options, { program: new URL('data:text/javascript,throw new Error()') }).resolve,
  )
  const envelope = { mailFrom: 'ada@shop.test', rcptTo: payment, clientAddress: '127.0.0.1', helo: null }
  const taken = await takeIn(mail, envelope, write('ada@shop.test', { to: payment }))
  assert.deepEqual([taken.kind, taken.kind === 'not_now' && taken.enhanced], ['not_now', '4.4.3'])
})

test('a thread that has nothing to do for half a minute ends, as does one that answers nothing for so long', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { resolve, close } = createDnsLookups(options, { program })
  const [first] = await resolve('say', 'A')
  for (const [waitMs, isTheSame] of [
    [29_999, true],
    [29_999, true],
    [30_000, false],
  ] as const) {
    t.mock.timers.tick(waitMs)
    assert.equal((await resolve('say', 'A'))[0] === first, isTheSame)
  }
  const [second] = await resolve('say', 'A')
  const waiting = [resolve('wait', 'A')]
  for (const _ of [1, 2]) {
    t.mock.timers.tick(29_999)
    assert.equal((await resolve('say', 'A'))[0], second, 'an answer to one is a sign of life')
  }
  t.mock.timers.tick(29_999)
  waiting.push(resolve('wait', 'A'))
  t.mock.timers.tick(1)
  for (const lookup of waiting) await assert.rejects(lookup, { code: 'ECANCELLED' })
  await close()
})

test('when it is closed, nothing is asked any more', async () => {
  const { resolve, close } = createDnsLookups(options, { program })
  const waiting = assert.rejects(resolve('wait', 'A'), { code: 'ECANCELLED' })
  await close()
  await waiting
  await assert.rejects(resolve('say', 'A'), { code: 'ECANCELLED' })
})

test('a process waits for what it asked, and then ends', async () => {
  const script = `
    import { createMailResolver } from ${JSON.stringify(new URL('./resolver.ts', import.meta.url).href)}
    const { resolve } = createMailResolver({ dns: ${JSON.stringify(dns.address)} })
    console.log(JSON.stringify(await resolve('a.test', 'A')))`
  const words = ['--input-type=module', '-e', script]
  // It would wait for half a minute until its thread had nothing to do.
  const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 15_000 })
  assert.equal(stdout.trim(), '["192.0.2.1"]')
})
