import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace, inTurnMax } from './pace.ts'

function begunInTurn(details: string, isAwaited: boolean): number {
  const pace = createPace(() => isAwaited)
  let begun = 0
  for (; pace.hasRoom() && begun < 100; begun++) pace.begun(details)
  pace.newTurn()
  assert.ok(pace.hasRoom(), 'in the next turn there is room again')
  return begun
}

test('a few hooks begin in a turn while somebody waits, fewer where they are large', () => {
  assert.equal(begunInTurn('', true), inTurnMax)
  assert.equal(begunInTurn('x'.repeat(64 * 1_024), true), 1)
})

test('any number begins while nobody waits', () => {
  assert.equal(begunInTurn('x'.repeat(64 * 1_024), false), 100)
})
