import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Mail, MailOutcome } from './mailer.ts'
import { createPost } from './post.ts'

const mail: Mail = { about: 'a', to: { name: '', address: 'ada@example.com' }, subject: 'b', text: 'c' }
const notNow = { kind: 'not_now', cause: 'Away.' } as const

/** A relay that says these things, then that it takes everything, on a clock that stands still. */
function postTo(t: TestContext, ...says: MailOutcome[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const told: string[] = []
  const post = createPost(
    async () => {
      told.push('try')
      return says.shift() ?? { kind: 'taken' }
    },
    { sent: () => told.push('sent'), notSent: (_, { kind }) => told.push(kind) },
  )
  t.after(() => post.stop())
  return {
    post,
    told,
    async pass(seconds: number) {
      t.mock.timers.tick(seconds * 1_000)
      await turn()
    },
  }
}

test('a relay that is away is tried five times, ever more patiently', async t => {
  const { post, told, pass } = postTo(t, ...Array<MailOutcome>(9).fill(notNow))
  post.send(mail)
  await turn()
  for (const [seconds, tries] of [
    [0.9, 1],
    [0.1, 2],
    [4.9, 2],
    [0.1, 3],
    [30, 4],
    [119, 4],
    [1, 5],
  ] as const) {
    await pass(seconds)
    assert.equal(told.filter(each => each === 'try').length, tries)
  }
  await pass(3_600)
  assert.deepEqual(told.slice(4), ['try', 'not_now'])
})

test('what is taken or refused is not tried again', async t => {
  const { post, told, pass } = postTo(t, { kind: 'refused', cause: 'Nobody.' }, notNow)
  post.send(mail)
  await turn()
  post.send(mail)
  await turn()
  await pass(1)
  await pass(3_600)
  assert.deepEqual(told, ['try', 'refused', 'try', 'try', 'sent'])
})

test('what waits when it stops is tried once more, and no more', async t => {
  const { post, told } = postTo(t, notNow, notNow)
  post.send(mail)
  await turn()
  await post.stop()
  assert.deepEqual(told, ['try', 'try', 'not_now'])
})

test('a mail whose attempt fails while it stops is tried once more, and no more', async t => {
  const { post, told } = postTo(t, notNow, notNow)
  post.send(mail)
  await post.stop()
  assert.deepEqual(told, ['try', 'try', 'not_now'])
})

test('while a thousand mails wait, no more are taken', async t => {
  const { post, told } = postTo(t, ...Array<MailOutcome>(5_000).fill(notNow))
  for (let count = 0; count < 1_001; count++) post.send(mail)
  await turn()
  assert.equal(told.filter(each => each === 'try').length, 1_000)
  assert.equal(told.filter(each => each === 'not_now').length, 1)
})
