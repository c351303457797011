import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBell } from './bell.ts'

const longMs = 60_000

function madeBell() {
  let [ring, again] = [(_: string) => {}, () => {}]
  const database = {
    async listen(_: string, onNotice: (says: string) => void, onListening: () => void) {
      ;[ring, again] = [onNotice, onListening]
      return { unlisten: async () => {} }
    },
  }
  return {
    bell: createBell(database, 'channel', error => assert.fail(String(error))),
    ring: (name: string) => ring(name),
    again: () => again(),
  }
}

test('whoever waits hears its own name, and what rang before it waited', async () => {
  const { bell, ring } = madeBell()
  const [ada, ben] = [await bell.earFor('ada'), await bell.earFor('ben')]
  ring('ada')
  await ada.wait(longMs)
  let adaIsBack = false
  const waiting = ada.wait(longMs).then(() => {
    adaIsBack = true
  })
  ring('ben')
  await ben.wait(longMs)
  assert.equal(adaIsBack, false)
  ring('ada')
  await waiting
})

test('it ends with its time, with a signal, and when listening begins anew', async () => {
  const { bell, again } = madeBell()
  const ear = await bell.earFor('ada')
  await ear.wait(1)
  const stop = new AbortController()
  const stopped = ear.wait(longMs, stop.signal)
  stop.abort()
  await stopped
  await ear.wait(longMs, stop.signal)
  const lost = ear.wait(longMs)
  again()
  await lost
})

test('a closed ear is forgotten, and the others go on', async () => {
  const { bell, ring } = madeBell()
  const [first, second] = [await bell.earFor('ada'), await bell.earFor('ada')]
  first.close()
  ring('ada')
  await second.wait(longMs)
})

test('where it cannot listen, it says so, and tries again for the next', async () => {
  const errors: unknown[] = []
  const away = async (): Promise<never> => {
    throw new Error('the database is away')
  }
  const bell = createBell({ listen: away }, 'channel', error => errors.push(error))
  const ear = await bell.earFor('ada')
  await ear.wait(1)
  await bell.earFor('ben')
  assert.equal(errors.length, 2)
})
