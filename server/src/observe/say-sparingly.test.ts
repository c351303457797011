import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saySparingly } from './say-sparingly.ts'

test('the same thing is said once a minute, and how often it was left unsaid; other things are not held back by it', () => {
  let nowMs = 0
  const said: string[] = []
  const sparingly = saySparingly(() => nowMs)
  const say = (name: string) => sparingly(name, unsaid => void said.push(`${name} ${unsaid}`))
  for (const atMs of [0, 1, 59_999]) {
    nowMs = atMs
    say('stripe')
  }
  say('braintree')
  assert.deepEqual(said, ['stripe 0', 'braintree 0'])
  nowMs = 60_000
  say('stripe')
  nowMs = 120_000
  say('stripe')
  assert.deepEqual(said.slice(2), ['stripe 2', 'stripe 0'])
})
