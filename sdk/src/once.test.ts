import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type HookStore, memoryStore, once, parseHook, StillRunningError, type TransactionHook } from './index.ts'
import { type SampleName, sample, signHook } from './testing/index.ts'

const key = 'key'

function hookOf(name: SampleName = 'transaction', route: 'transaction' | 'generic' = 'transaction'): TransactionHook {
  return parseHook(signHook(sample(name), key).body, key, { kind: route }) as TransactionHook
}

/** Work that is under way until it is told how to end. */
function heldWork() {
  const ends: { readonly succeed: () => void; readonly fail: (error: Error) => void }[] = []
  const work = () => new Promise<void>((succeed, fail) => ends.push({ succeed, fail }))
  return { work, ends }
}

/** Promises of the store come first, then the work begins. */
const settled = () => new Promise(resolve => setImmediate(resolve))

describe('once', () => {
  test('does the work of a hook once, however often it comes, one after the other or at once', async () => {
    let done = 0
    const handle = once(memoryStore(), () => done++)
    await handle(hookOf())
    await handle(hookOf())
    assert.equal(done, 1)
    const copies = await Promise.allSettled(Array.from({ length: 20 }, () => handle(hookOf('capture'))))
    assert.equal(done, 2)
    assert.ok(copies.every(copy => copy.status === 'fulfilled' || copy.reason instanceof StillRunningError))
  })

  test('tells what is another hook: a capture after its authorisation, the same on another route', async () => {
    const seen: string[] = []
    const handle = once(memoryStore(), (hook: TransactionHook) => seen.push(`${hook.route} ${hook.details.capture}`))
    await handle(hookOf('authorization'))
    await handle(hookOf('capture'))
    await handle(hookOf('capture', 'generic'))
    assert.deepEqual(seen, ['transaction false', 'transaction true', 'generic true'])
  })

  test('does not say done of a copy while the first is under way: if that fails, the copy does the work', async () => {
    const { work, ends } = heldWork()
    const handle = once(memoryStore(), work)
    const first = handle(hookOf())
    await settled()
    await assert.rejects(handle(hookOf()), StillRunningError)
    ends[0]?.fail(new Error('no stock'))
    await assert.rejects(first, /no stock/)
    const second = handle(hookOf())
    await settled()
    ends[1]?.succeed()
    await second
    await handle(hookOf())
    assert.equal(ends.length, 2)
  })

  test('lets a claim run out, whose process may have died, and its late failure takes nothing from the next', async () => {
    let nowMs = 0
    const { work, ends } = heldWork()
    const handle = once(memoryStore({ now: () => nowMs }), work)
    const late = handle(hookOf())
    await settled()
    nowMs = 239_999
    await assert.rejects(handle(hookOf()), StillRunningError)
    nowMs = 240_000
    const next = handle(hookOf())
    await settled()
    ends[0]?.fail(new Error('late'))
    await assert.rejects(late, /late/)
    await assert.rejects(handle(hookOf()), StillRunningError)
    ends[1]?.succeed()
    await next
    assert.equal(ends.length, 2)
  })

  test('fails before the work where the store does, and says what fails after it without doing it again', async () => {
    const down = async () => Promise.reject(new Error('store down'))
    let done = 0
    const unclaimed: HookStore = { ...memoryStore(), claim: down }
    await assert.rejects(once(unclaimed, () => done++)(hookOf()), /store down/)
    assert.equal(done, 0)
    const told: unknown[] = []
    const unmarked: HookStore = { ...memoryStore(), done: down, release: down }
    const onError = (error: unknown) => told.push(error)
    await once(unmarked, () => done++, { onError })(hookOf())
    assert.deepEqual([done, told.length], [1, 1])
    await assert.rejects(
      once(unmarked, () => Promise.reject(new Error('no parcel')), { onError })(hookOf('capture')),
      /no parcel/,
    )
    assert.equal(told.length, 2)
  })

  test('keeps to what the work did, though the store is not async and the log is broken too', async t => {
    const said = t.mock.method(console, 'error', () => {})
    const down = () => {
      throw new Error('store down')
    }
    const onError = () => {
      throw new Error('log full')
    }
    const failing = () => Promise.reject(new Error('no parcel'))
    const broken: HookStore = { ...memoryStore(), done: down, release: down }
    await once(broken, () => {}, { onError })(hookOf())
    await assert.rejects(once(broken, failing, { onError })(hookOf('capture')), /no parcel/)
    assert.equal(said.mock.callCount(), 2)
    await once(broken, () => {}, { onError: async () => down() })(hookOf('authorization'))
    await settled()
    assert.equal(said.mock.callCount(), 3)
    const sync = { ...memoryStore(), done: () => undefined, release: () => undefined } as unknown as HookStore
    await once(sync, () => {})(hookOf())
    await assert.rejects(once(sync, failing)(hookOf('capture')), /no parcel/)
    assert.equal(said.mock.callCount(), 3)
  })
})

test('a memory store forgets the oldest of what is done, and nothing that is under way', async () => {
  const store = memoryStore({ doneMax: 2 })
  await store.claim('running', 'a', 1_000)
  for (const key of ['1', '2', '3']) {
    await store.claim(key, 'a', 1_000)
    await store.done(key)
  }
  const found = await Promise.all(['running', '2', '3', '1'].map(key => store.claim(key, 'b', 1_000)))
  assert.deepEqual(found, ['running', 'done', 'done', 'new'])
})

test('a memory store keeps no claim that has run out, whose work may never end', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  let nowMs = 0
  const store = memoryStore({ now: () => nowMs })
  const keyBytes = 100_000
  const keyOf = (index: number) => Buffer.alloc(keyBytes, String(index)).toString('latin1')
  await store.claim(keyOf(0), 'a', 10)
  await store.claim('long', 'a', 100_000)
  const before = heapBytes()
  for (nowMs = 1; nowMs <= 300; nowMs++) await store.claim(keyOf(nowMs), 'a', 10)
  assert.ok(heapBytes() - before < 100 * keyBytes, 'of 300 keys most are gone')
  assert.equal(await store.claim('long', 'b', 10), 'running')
  assert.equal(await store.claim(keyOf(300), 'b', 10), 'running')
  assert.equal(await store.claim(keyOf(280), 'b', 10), 'new')
})
