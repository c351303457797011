import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createRecordTurns } from './record-turns.ts'

test('a few records are read in a turn of the event loop, and networks take turns', async () => {
  const turns = createRecordTurns()
  const read: string[] = []
  const take = (network: string, name: string, records: number) => turns.take(network, records, () => read.push(name))
  for (const name of ['1', '2', '3', '4', '5', '6', '7']) take('a', name, 25)
  assert.deepEqual(read, ['1', '2'], 'at once, as many as are for this turn')
  take('b', 'x', 1)
  take('b', 'y', 1)
  await setImmediate()
  assert.deepEqual(read.splice(0), ['1', '2', '3', 'x', '4'])
  await setImmediate()
  assert.deepEqual(read.splice(0), ['y', '5', '6'])
  await setImmediate()
  assert.deepEqual(read.splice(0), ['7'])
  await setImmediate()
  take('a', '8', 50)
  take('a', '9', 0)
  assert.deepEqual(read.splice(0), ['8'], 'in order, also what holds no record of its own')
  await setImmediate()
  assert.deepEqual(read, ['9'])
})
