// The life of a listener against a service that is played: what it does when that is away, forgets it, or refuses it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailedError } from './command.ts'
import { runSession, type Said, type Session } from './listen-session.ts'
import { type Answer, KeyRefusedError, NotReachableError } from './remote.ts'

const listener = (id: string, kinds = ['transaction']) => ({
  hook_listener: { id, kinds, backfilled: 0 },
  errors: null,
})
const answer = (status: number, body: Said): Answer => ({ status, body })
const rows = (...ids: string[]) =>
  answer(200, { rows: ids.map(id => ({ id, kind: 'transaction', timeout_ms: 9_000 })) })
const notKnown = answer(404, { errors: { hook_listener: 'hook_listener is not known.' } })

/** What the service says to each question of a kind, in turn; with the last, the session is told to stop. */
async function played(
  script: { readonly [question: string]: readonly (Answer | Error)[] },
  wanted: Partial<Session['wanted']> = {},
) {
  const stop = new AbortController()
  const asked: { question: string; path: string; body: Said }[] = []
  const told: string[] = []
  const left = new Map(Object.entries(script).map(([question, answers]) => [question, [...answers]]))
  const ask: Session['remote']['ask'] = async (method, path, body) => {
    const question = `${method} ${path.replace(/^.*\//, '').replace(/\?.*/, '')}`
    asked.push({ question, path, body: body ?? {} })
    const next = left.get(question)?.shift()
    if (question === 'GET requests' && (left.get(question)?.length ?? 0) === 0) stop.abort()
    if (next instanceof Error) throw next
    return next ?? answer(200, { errors: null })
  }
  await runSession({
    remote: { baseUrl: 'http://till', ask },
    wanted: { name: 'laptop', kinds: null, backfillS: 0, ...wanted },
    handle: async () => ({ status: 200, reason: null, durationMs: 1, answer: 'x'.repeat(16_384) }),
    tell: {
      started: ({ id }) => told.push(`started ${id}`),
      lost: () => told.push('lost'),
      back: () => told.push('back'),
      hook: ({ id }, _, isLate) => told.push(`hook ${id}${isLate ? ' late' : ''}`),
      note: sentence => told.push(sentence),
    },
    stop: stop.signal,
  })
  return { asked, told, of: (question: string) => asked.filter(each => each.question === question) }
}

const begin = 'POST hook_listeners'

test('what is taken is answered, and the end is told to the service', async () => {
  const { told, of, asked } = await played({
    [begin]: [answer(200, listener('l1'))],
    'GET requests': [rows('r1', 'r2'), rows()],
  })
  assert.deepEqual(told, ['started l1', 'hook r1', 'hook r2'])
  assert.deepEqual(
    of('POST answers').map(({ body }) => [body.request, body.status, body.body.length]),
    [
      ['r1', 200, 16_384],
      ['r2', 200, 16_384],
    ],
  )
  assert.deepEqual([asked.at(-1)?.question, asked.at(-1)?.path], ['DELETE l1', '/hook_listeners/l1'])
})

test('a service that is away, or a page of a proxy’s in its place, is waited for, and that is said once', async () => {
  const { told } = await played({
    [begin]: [answer(200, listener('l1'))],
    'GET requests': [
      new NotReachableError('away'),
      answer(503, { errors: {} }),
      new FailedError('a page'),
      rows(),
      rows(),
    ],
  })
  assert.deepEqual(told, ['started l1', 'lost', 'back'])
})

test('one that was forgotten begins anew with the same kinds, and asks for the time between', async () => {
  const { told, of } = await played({
    [begin]: [answer(200, listener('l1', ['far'])), answer(200, listener('l2', ['far']))],
    'GET requests': [notKnown, rows('r1'), rows()],
  })
  const [, again] = of(begin)
  assert.deepEqual(again?.body.kinds, ['far'])
  assert.ok(again?.body.backfill_s >= 5)
  assert.ok(of('GET requests').at(-1)?.path.includes('/l2/'))
  assert.match(told[1] ?? '', /^The service had given up on us\./)
  assert.equal(told[2], 'hook r1')
})

test('a key that is refused ends it, at the beginning and later', async () => {
  await assert.rejects(played({ [begin]: [new KeyRefusedError('no')] }), KeyRefusedError)
  const later = { [begin]: [answer(200, listener('l1'))], 'GET requests': [new KeyRefusedError('no'), rows()] }
  await assert.rejects(played(later), KeyRefusedError)
})

test('a service that is away at the beginning is a wrong address, and not waited for', async () => {
  await assert.rejects(played({ [begin]: [new NotReachableError('away')] }), NotReachableError)
})

test('where Pre-Sale is refused the rest is listened to; nothing else is begun without it', async () => {
  const refused = answer(422, { errors: { kinds: 'Not in live mode.' } })
  const wanted = { kinds: ['pre_sale', 'error'] }
  const script = { [begin]: [refused, answer(200, listener('l1'))], 'GET requests': [rows()] }
  const { told, of } = await played(script, wanted)
  assert.deepEqual(told, ['Not in live mode.', 'started l1'])
  assert.deepEqual(of(begin)[1]?.body.kinds, ['error'])
  for (const kinds of [['pre_sale'], ['error'], null]) {
    await assert.rejects(played({ [begin]: [refused] }, { kinds }), /^Error: Not in live mode\.$/)
  }
})

test('an answer that nobody waits for any more is late', async () => {
  const { told } = await played({
    [begin]: [answer(200, listener('l1'))],
    'GET requests': [rows('r1'), rows()],
    'POST answers': [new NotReachableError('away'), answer(404, { errors: {} })],
  })
  assert.deepEqual(told, ['started l1', 'hook r1 late'])
})
