// Listening on connections that fail.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { createListener, type Listener, type ListeningClient } from './listen.ts'

type Ask = () => Promise<void>

/** To say `listen` fails as often as there are errors left. */
function failing(errors: Error[]) {
  return asking(async () => {
    const error = errors.shift()
    if (error !== undefined) throw error
  })
}

function asking(query: Ask) {
  const clients: EventEmitter[] = []
  const newClient = async () => {
    const client = Object.assign(new EventEmitter(), {
      async connect() {},
      async end() {},
      cutOff() {},
      escapeIdentifier: (name: string) => name,
      query,
    })
    clients.push(client)
    return client as unknown as ListeningClient
  }
  return { listener: createListener(newClient, () => {}), last: () => clients.at(-1) }
}

function hearing(listener: Listener) {
  const heard: string[] = []
  const onNotice = (says: string) => void heard.push(says)
  return { heard, listen: () => listener.listen('bell', onNotice, () => {}) }
}

test('who could not listen is forgotten: whoever tries again hears once what is said once', async () => {
  const errors = Array.from({ length: 4 }, () => new Error('away'))
  const { listener, last } = failing(errors)
  const { heard, listen } = hearing(listener)
  while (errors.length > 0) await assert.rejects(listen(), /away/)
  await listen()
  last()?.emit('notification', { channel: 'bell', payload: 'ada' })
  assert.deepEqual(heard, ['ada'])
})

test('who falls silent before it was said what to listen to is left, and another is asked', async () => {
  let asked = 0
  const { listener, last } = asking(() => (asked++ === 0 ? new Promise(() => {}) : Promise.resolve()))
  const { heard, listen } = hearing(listener)
  await assert.rejects(listen(), /does not answer/)
  await listen()
  last()?.emit('notification', { channel: 'bell', payload: 'ada' })
  assert.deepEqual(heard, ['ada'])
})
