import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBelow } from './use-asked.ts'

test('a change makes stale what is at its path and below, and nothing beside', () => {
  const about = (path: string) => isBelow([path, {}], ['rest/offers', 'home'])
  assert.ok(about('rest/offers'))
  assert.ok(about('rest/offers/of_1'))
  assert.ok(about('home'))
  assert.ok(!about('rest/offers_of_old'))
  assert.ok(!about('rest'))
  assert.ok(isBelow(['me', {}], 'everything'))
})
