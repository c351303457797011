import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobQueue } from './job-queue.ts'

const jobMaxMs = 2_000

/** Jobs of networks with names of one letter, which begin the names of their jobs. The clock stands still unless a test moves it. */
function startQueue() {
  let nowMs = 1_000
  const queue = new JobQueue<string>({ threads: 1, jobMaxMs, nowMs: () => nowMs })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return {
    queue,
    pass,
    add(...jobs: string[]) {
      for (const job of jobs) queue.add(job.slice(0, 1), job)
    },
    /** Reads the next job, if there is one, in so much time. */
    read(ms: number): string | null {
      const job = queue.next()
      if (job === null) return null
      pass(ms)
      queue.took(job.slice(0, 1), ms)
      return job
    },
  }
}

test('networks take turns, and the jobs of one keep their order', () => {
  const { queue, add } = startQueue()
  add('a1', 'a2', 'a3', 'b1')
  queue.add(null, 'from nobody knows where')
  assert.equal(queue.length, 5)
  const jobs = Array.from({ length: 6 }, () => queue.next())
  assert.deepEqual(jobs, ['a1', 'b1', 'from nobody knows where', 'a2', 'a3', null])
  assert.equal(queue.length, 0)
})

test('a network rests five times as long as its costly job took, and is then like any other', () => {
  const { pass, add, read } = startQueue()
  add('a1', 'a2', 'a3', 'a4')
  assert.equal(read(10), 'a1')
  assert.equal(read(100), 'a2', 'the usual time leaves no rest')
  pass(499)
  assert.equal(read(1), null)
  add('b1')
  assert.equal(read(0), 'b1', 'another network does not wait for it')
  add('b2')
  pass(1)
  assert.deepEqual([read(1), read(1), read(1)], ['a3', 'b2', 'a4'])
})

test('a network with an attachment does not wait for the rest of one with many', () => {
  const { pass, add, read } = startQueue()
  add('a1', 'b1', 'a2', 'b2')
  assert.deepEqual([read(1_000), read(20)], ['a1', 'b1'])
  pass(2 * 5 * 20 - 1)
  assert.equal(read(1), null)
  pass(1)
  assert.equal(read(1), 'b2')
  assert.equal(read(1), null)
})

test('costly jobs of all networks together get a sixth of the time, also where each is the first of its network', () => {
  const [forMs, jobMs, idleMs] = [600_000, 200, 10]
  const feeds = {
    'one network': () => 'a',
    'three networks': (count: number) => 'abc'.charAt(count % 3),
    'always another network': (count: number) => String.fromCharCode(count),
  }
  for (const [name, networkOf] of Object.entries(feeds)) {
    const { queue, pass, add, read } = startQueue()
    let costlyMs = 0
    let count = 0
    for (let leftMs = forMs; leftMs > 0; ) {
      for (; queue.length < 3; count += 1) add(networkOf(count))
      const isRead = read(jobMs) !== null
      if (!isRead) pass(idleMs)
      costlyMs += isRead ? jobMs : 0
      leftMs -= isRead ? jobMs : idleMs
    }
    assert.ok(costlyMs * 6 > forMs * 0.99, `${name}: ${costlyMs} ms`)
    const owedMs = jobMaxMs * 5 + jobMs * 6
    assert.ok(costlyMs * 6 <= forMs + owedMs, `${name}: ${costlyMs} ms`)
  }
})
