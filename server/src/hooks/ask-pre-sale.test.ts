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

function asking(privateKey: () => Promise<string> = async () => 'key') {
  const posted: Request[] = []
  const post = async (request: Request) => {
    posted.push(request)
    return { status: 200, reason: null, durationMs: 1, answer: 'fine 4111111111111111\0' }
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
