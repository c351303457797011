// What happens to hooks when a thread that posts them does not do what it should.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { createPostingThreads } from './posting-threads.ts'
import type { SenderOptions } from './sender.ts'

const options: SenderOptions = {
  mode: 'live',
  allow: [],
  ownPorts: () => [8080],
  inboxPort: () => null,
  proxy: null,
  dns: null,
}
const request = (url: string, timeoutMs = 20_000) => ({ url, body: 'details=x', timeoutMs })

/** Answers with what it was told; ends at a bad URL, and is silent about a deaf one. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', message => {
      const { id, request, merchant, ownPorts } = message
      if (request?.url === 'bad') throw new Error('a thread that fails')
      const answer = JSON.stringify({ merchant, ownPorts, threadId })
      if (request?.url === 'good') parentPort.postMessage({ kind: 'posted', id, posted: { status: 200, reason: null, durationMs: 1, answer } })
    })`)}`,
)

test('a request that ends its thread fails, with all that the thread did, and the next one starts another', async () => {
  const threads = createPostingThreads(options, { program })
  const beside = threads.post(request('deaf'), 'a')
  const results = await Promise.allSettled([beside, threads.post(request('bad'), 'a')])
  for (const result of results) {
    assert.equal(result.status, 'rejected')
    assert.match(String(result.reason), /a thread that fails/)
  }
  const { status, answer } = await threads.post(request('good'), 'a')
  assert.equal(status, 200)
  const { merchant, ownPorts } = JSON.parse(answer)
  assert.deepEqual([merchant, ownPorts], ['a', [8080]])
})

test('a thread that is far too late is given up', async () => {
  const threads = createPostingThreads(options, { program, lateMaxMs: 100 })
  const { status, reason } = await threads.post(request('deaf', 100), 'a')
  assert.deepEqual([status, reason], [null, 'It was given up: connections to other endpoints took too much computing.'])
  assert.equal((await threads.post(request('good'), 'a')).status, 200)
})

test('a thread ends when it has had nothing to do for a while, and another is started when there is something', async () => {
  const threads = createPostingThreads(options, { program, idleMs: 10 })
  const idOf = async () => JSON.parse((await threads.post(request('good'), 'a')).answer).threadId
  const first = await idOf()
  await until('another one answers', async () => {
    await new Promise(resolve => setTimeout(resolve, 1_100))
    return (await idOf()) !== first
  })
})
