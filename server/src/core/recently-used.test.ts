import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentlyUsed } from './recently-used.ts'

test('what was not used for longest makes room, and is let go of once', () => {
  const gone: string[] = []
  const used = new RecentlyUsed<string, string>(2, thing => gone.push(thing))
  used.set('a', 'A')
  used.set('b', 'B')
  assert.equal(used.get('a'), 'A')
  used.set('c', 'C')
  assert.deepEqual([gone, used.get('b'), used.get('a'), used.get('c')], [['B'], undefined, 'A', 'C'])
})

test('what gets a new thing lets go of its former, and of nothing else', () => {
  const gone: string[] = []
  const used = new RecentlyUsed<string, string>(2, thing => gone.push(thing))
  used.set('a', 'A')
  used.set('b', 'B')
  used.set('a', 'A2')
  assert.deepEqual([gone, used.get('a'), used.get('b')], [['A'], 'A2', 'B'])
})
