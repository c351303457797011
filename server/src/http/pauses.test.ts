import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPauses } from './pauses.ts'

test('pauses end at once when the service stops, also those that would begin then', async () => {
  const { pause, end } = createPauses()
  const long = [pause(3_600_000), pause(3_600_000)]
  let isOver = false
  const all = Promise.all(long).then(() => {
    isOver = true
  })
  await pause(1)
  assert.equal(isOver, false)
  end()
  await all
  await pause(3_600_000)
})
