import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isListenerUrl, listenerName, listenerUrl } from './hook-listener.ts'

test('a machine of any name has one that can stand in a URL', () => {
  const names: readonly [string, string][] = [
    ['ada-laptop', 'ada-laptop'],
    ['Ada’s MacBook Pro.local', 'ada-s-macbook-pro.local'],
    ['Bärbel', 'ba-rbel'],
    ['..//..', 'somewhere'],
    ['', 'somewhere'],
    ['机器', 'somewhere'],
    ['x'.repeat(100), 'x'.repeat(63)],
    [`${'x'.repeat(62)}-y`, 'x'.repeat(62)],
  ]
  for (const [given, name] of names) {
    assert.equal(listenerName(given), name)
    assert.equal(new URL(listenerUrl(name)).host, name)
  }
})

test('no URL that hooks go to over the wire is taken for a listener', () => {
  assert.ok(isListenerUrl(listenerUrl('ada-laptop')))
  for (const url of ['https://listen', 'http://listen://x', 'listen.example', '/listen://']) {
    assert.ok(!isListenerUrl(url), url)
  }
})
