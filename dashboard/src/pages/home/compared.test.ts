import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, pointsOf } from './compared.ts'

test('a change is said in percent of what was before, and not at all where there was nothing', () => {
  assert.deepEqual(changeOf(112, 100, 'en-US'), { kind: 'more', by: '12%' })
  assert.deepEqual(changeOf(50, 100, 'es'), { kind: 'less', by: '50\u{a0}%' })
  assert.deepEqual(changeOf(100.1, 100, 'en-US'), { kind: 'same' })
  assert.deepEqual(changeOf(5, 0, 'en-US'), { kind: 'none' })
})

test('what grew many times over is said so, and no number is beyond belief', () => {
  assert.deepEqual(changeOf(299, 100, 'en-US'), { kind: 'more', by: '199%' })
  assert.deepEqual(changeOf(350, 100, 'es'), { kind: 'times', by: '3,5' })
  assert.deepEqual(changeOf(564_416, 100, 'en-US'), { kind: 'times', by: '10+' })
})

test('a rate changes by points', () => {
  assert.deepEqual(pointsOf(0.95, 0.915, 'en-US'), { kind: 'more', by: '3.5' })
  assert.deepEqual(pointsOf(0.9, 0.9, 'en-US'), { kind: 'same' })
  assert.deepEqual(pointsOf(null, 0.9, 'en-US'), { kind: 'none' })
})
