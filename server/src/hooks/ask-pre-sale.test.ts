import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndpointId, MerchantId } from '../core/ids.ts'
import { preSaleAsker } from './ask-pre-sale.ts'
import type { Request } from './wire/sender.ts'

const merchantId = 'm_1' as MerchantId
const endpoint = (id: string, more = {}) => ({
  ...{
    id: id as EndpointId,
    url: `http://${id}.test/`,
    timeoutMs: 10_000,
    paused: false,
    standardWebhooks: false,
    sendsJson: false,
  },
  ...{ keyId: 'key', ...more },
})
const details = JSON.stringify({ transaction: 't1' })

function asking(
  privateKey: () => Promise<string> = async () => 'key',
  answered: Promise<string> = Promise.resolve('fine 4111111111111111\0'),
) {
  const posted: Request[] = []
  const post = async (request: Request) => {
    posted.push(request)
    return { status: 200, reason: null, durationMs: 1, answer: await answered }
  }
  const ask = preSaleAsker({
    post: Object.assign(post, { cutOff: () => {} }),
    privateKey,
    secretsOf: async () => [`whsec_${Buffer.alloc(32).toString('base64')}`],
    worldNow: () => new Date(0),
    stopping: new AbortController().signal,
  })
  return { ask, posted }
}

test('nobody is asked when the time to begin is over, however long keys and secrets took', async () => {
  const stopping = new AbortController()
  const { ask, posted } = asking(async () => {
    stopping.abort()
    return 'key'
  })
  assert.equal(await ask(merchantId, [endpoint('a'), endpoint('b')], details, stopping.signal), null)
  assert.deepEqual(posted, [])
})

test('a paused endpoint is an error, and is not asked', async () => {
  const { ask, posted } = asking()
  const answers = await ask(merchantId, [endpoint('a', { paused: true })], details, new AbortController().signal)
  assert.deepEqual(answers?.[0], {
    ...{ endpointId: 'a', status: null, reason: 'The endpoint is paused.', durationMs: 0, answer: '' },
  })
  assert.deepEqual(posted, [])
})

test('an endpoint that opted in gets Standard Webhooks headers, and what is kept of an answer has no card number', async () => {
  const { ask, posted } = asking()
  const endpoints = [endpoint('a', { standardWebhooks: true }), endpoint('b')]
  const answers = await ask(merchantId, endpoints, details, new AbortController().signal)
  assert.deepEqual(
    posted.map(({ moreHeaders }) => moreHeaders?.map(([name]) => name)),
    [['webhook-id', 'webhook-timestamp', 'webhook-signature'], []],
  )
  for (const answer of answers ?? []) {
    assert.doesNotMatch(answer.answer, /4111111111111111|\0/)
    assert.match(answer.answer, /^fine /)
  }
})

const aTurn = () => new Promise(resolve => setImmediate(resolve))
const five = ['a', 'b', 'c', 'd', 'e'].map(id => endpoint(id))
const other = 'm_2' as MerchantId

test('many payments of a merchant do not post all at once, and another merchant is asked in the next turn', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>()
  const { ask, posted } = asking(undefined, answered)
  const never = new AbortController().signal
  const all = Array.from({ length: 60 }, () => ask(merchantId, five, details, never))
  for (let step = 0; step < 20; step++) await Promise.resolve()
  assert.equal(posted.length, 8)
  const others = ask(other, [endpoint('other')], details, never)
  for (let turn = 0; turn < 2; turn++) await aTurn()
  assert.ok(posted.some(({ url }) => url === 'http://other.test/'))
  for (let turn = 0; turn < 60; turn++) await aTurn()
  assert.ok(posted.length < 200, `${posted.length} are under way at once`)
  answer('fine')
  for (const answers of await Promise.all([...all, others])) assert.ok(answers?.every(({ status }) => status === 200))
  assert.equal(posted.length, 301)
})

test('whoever has no turn in time is not asked: nobody, or an endpoint without an answer', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>()
  const { ask, posted } = asking(undefined, answered)
  const never = new AbortController().signal
  const before = Array.from({ length: 25 }, () => ask(merchantId, five, details, never))
  const three = ask(merchantId, five.slice(0, 3), details, never)
  for (let turn = 0; turn < 60; turn++) await aTurn()
  assert.equal(posted.length, 128)
  const late = new AbortController()
  const none = ask(merchantId, five, details, late.signal)
  await aTurn()
  late.abort()
  await aTurn()
  answer('fine')
  assert.equal(await none, null)
  await Promise.all([...before, three])
  assert.equal(posted.length, 128)
})

test('of endpoints of which one has its turn too late, the others are asked and this one is an error', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>()
  const { ask, posted } = asking(undefined, answered)
  const never = new AbortController().signal
  const before = Array.from({ length: 25 }, () => ask(merchantId, five, details, never))
  const late = new AbortController()
  const partly = ask(merchantId, five, details, late.signal)
  for (let turn = 0; turn < 60; turn++) await aTurn()
  assert.equal(posted.length, 128)
  late.abort()
  await aTurn()
  answer('fine')
  const answers = await partly
  assert.deepEqual(
    answers?.map(({ status }) => status),
    [200, 200, 200, null, null],
  )
  assert.match(answers?.[4]?.reason ?? '', /^It was not asked: /)
  await Promise.all(before)
  assert.equal(posted.length, 128)
})

test('large answers are searched for card numbers one in a turn, and merchants take turns at it', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>()
  const { ask, posted } = asking(undefined, answered)
  const never = new AbortController().signal
  const over: MerchantId[] = []
  const askFor = (whose: MerchantId) =>
    ask(whose, [endpoint(whose)], details, never).then(answers => {
      assert.doesNotMatch(answers?.[0]?.answer ?? '', /4111111111111111/)
      over.push(whose)
    })
  const all = [...Array.from({ length: 20 }, () => askFor(merchantId)), askFor(other)]
  while (posted.length < all.length) await aTurn()
  answer('4111111111111111x'.repeat(900))
  for (let turn = 0; turn < 4; turn++) await aTurn()
  assert.ok(over.includes(other))
  assert.ok(over.length <= 6, `${over.length} in four turns`)
  await Promise.all(all)
})
