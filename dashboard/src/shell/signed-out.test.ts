import assert from 'node:assert/strict'
import { test } from 'node:test'
import { returnPath } from './signed-out.ts'

test('signing in leads back into the dashboard, and never elsewhere', () => {
  assert.equal(returnPath('/transactions?q=a'), '/transactions?q=a')
  for (const to of [
    undefined,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    7,
  ]) {
    assert.equal(returnPath(to), '/', String(to))
  }
})
