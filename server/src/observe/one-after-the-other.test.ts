import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { oneAfterTheOther } from './one-after-the-other.ts'

test('of one name one is worked at a time, also after one that failed, and names do not wait for each other', async () => {
  const inLine = oneAfterTheOther()
  const [under, most] = [new Map<string, number>(), new Map<string, number>()]
  const work = (name: string, fails: boolean) =>
    inLine(name, async () => {
      const now = (under.get(name) ?? 0) + 1
      under.set(name, now)
      most.set(name, Math.max(most.get(name) ?? 0, now))
      await setImmediate()
      under.set(name, now - 1)
      if (fails) throw new Error('it failed')
      return name
    })
  const never = inLine('held', () => new Promise<void>(() => {}))
  const done = await Promise.allSettled([work('a', false), work('a', true), work('a', false), work('b', false)])
  assert.deepEqual(
    done.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual([...most.values()], [1, 1])
  assert.ok(never instanceof Promise)
})
