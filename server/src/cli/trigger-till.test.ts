import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Remote } from './remote.ts'
import { hooksOf } from './trigger-till.ts'

const transaction = { id: '01a1e0e8-96dd-7000-bb23-b07647e6eb08', status: 'Successful', amount: '25.00' }
const owed = { id: 'd1', kind: 'transaction', url: 'http://shop', state: 'pending', attempts: 0 }

/** Answers with one list after the other, and with the last again and again. */
function serviceThatShows(...lists: readonly (readonly object[])[]): Remote & { readonly asked: () => number } {
  let asked = 0
  const ask = async () => ({ status: 200, body: { rows: lists[Math.min(asked++, lists.length - 1)] } })
  return { baseUrl: 'http://till', ask, asked: () => asked }
}

test('hooks are shown once each was tried, oldest first', async () => {
  const older = { ...owed, id: 'd0', state: 'delivered', attempts: 1 }
  const service = serviceThatShows([owed, older], [owed, older], [{ ...owed, state: 'delivered', attempts: 1 }, older])
  const hooks = await hooksOf(service, transaction)
  assert.deepEqual(
    hooks.map(({ id, state }) => [id, state]),
    [
      ['d0', 'delivered'],
      ['d1', 'delivered'],
    ],
  )
})

test('a hook that failed once is not waited for, nor one that nobody takes for long', async () => {
  const failed = serviceThatShows([{ ...owed, attempts: 1 }])
  assert.deepEqual([(await hooksOf(failed, transaction))[0]?.state, failed.asked()], ['pending', 1])
  const slow = serviceThatShows([owed])
  assert.deepEqual([(await hooksOf(slow, transaction, 0))[0]?.state, slow.asked()], ['pending', 1])
})
