import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createSharedFlights } from './shared-flights.ts'

/** `flights` has what each was asked. */
function testFlights() {
  const flights: string[][] = []
  const ask = createSharedFlights<string, string>(async work => {
    const flight: string[] = []
    flights.push(flight)
    await work(async asked => {
      flight.push(asked)
      if (asked === 'wrong') throw new Error('wrong')
      return `${asked}!`
    })
  })
  return { ask, flights }
}

test('what comes alone goes at once; what comes while two are under way goes together, thirty-two at the most', async () => {
  const { ask, flights } = testFlights()
  const all = Array.from({ length: 40 }, (_, number) => String(number))
  assert.deepEqual(
    await Promise.all(all.map(ask)),
    all.map(asked => `${asked}!`),
  )
  assert.deepEqual(
    flights.map(({ length }) => length),
    [1, 1, 32, 6],
  )
  assert.equal(await ask('alone'), 'alone!')
})

test('what fails is told, and its neighbours are answered', async () => {
  const { ask } = testFlights()
  const ended = await Promise.allSettled(['a', 'b', 'c', 'wrong', 'd'].map(ask))
  assert.deepEqual(
    ended.map(each => (each.status === 'fulfilled' ? each.value : each.reason.message)),
    ['a!', 'b!', 'c!', 'wrong', 'd!'],
  )
})

test('a connection that is not to be had is told to all who wanted it, and the next try again', async () => {
  let isAway = true
  const ask = createSharedFlights<string, string>(async work => {
    if (isAway) throw new Error('away')
    await work(async asked => `${asked}!`)
  })
  for (const each of await Promise.allSettled(['a', 'b', 'c', 'd'].map(ask))) assert.equal(each.status, 'rejected')
  isAway = false
  assert.equal(await ask('e'), 'e!')
})

test('a connection that is silent keeps nobody back: after a moment the next fly beside it', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const ask = createSharedFlights<string, string>(work =>
    work(async asked => (asked === 'silent' ? new Promise<string>(() => {}) : `${asked}!`)),
  )
  void ask('silent')
  void ask('silent')
  const third = ask('third')
  await turn()
  mock.timers.tick(200)
  assert.equal(await third, 'third!')
})
