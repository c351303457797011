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
const rowsFor = (timeoutMs: number, ...ids: string[]) =>
  answer(200, { rows: ids.map(id => ({ id, kind: 'transaction', timeout_ms: timeoutMs })) })
const rows = (...ids: string[]) => rowsFor(9_000, ...ids)
const notKnown = answer(404, { errors: { hook_listener: 'hook_listener is not known.' } })

/** What the service says to each question of a kind, in turn; with the last, the session is told to stop. */
async function played(
  script: { readonly [question: string]: readonly (Answer | Error)[] },
  wanted: Partial<Session['wanted']> = {},
  /** So many hooks are with the app until the listener has begun anew. */
  heldByApp = 0,
) {
  const stop = new AbortController()
  const asked: { question: string; path: string; body: Said; key: string | undefined }[] = []
  const forwarded: string[] = []
  const told: string[] = []
  const anew = Promise.withResolvers<void>()
  const left = new Map(Object.entries(script).map(([question, answers]) => [question, [...answers]]))
  const ask: Session['remote']['ask'] = async (method, path, body, options) => {
    const question = `${method} ${path.replace(/^.*\//, '').replace(/\?.*/, '')}`
    asked.push({ question, path, body: body ?? {}, key: options?.idempotencyKey })
    const next = left.get(question)?.shift()
    if (question === 'GET requests' && (left.get(question)?.length ?? 0) === 0) stop.abort()
    if (next instanceof Error) throw next
    return next ?? answer(200, { errors: null })
  }
  await runSession({
    remote: { baseUrl: 'http://till', ask },
    wanted: { name: 'laptop', kinds: null, backfillS: 0, ...wanted },
    async handle({ id }) {
      forwarded.push(id)
      if (forwarded.length <= heldByApp) await anew.promise
      return { status: 200, reason: null, durationMs: 1, answer: 'x'.repeat(16_384) }
    },
    tell: {
      started: ({ id }) => told.push(`started ${id}`),
      lost: () => told.push('lost'),
      back: () => told.push('back'),
      hook({ id }, _, untaken) {
        const end = untaken === null ? '' : untaken === 'late' ? ' late' : ` ${untaken.refusal}`
        told.push(`hook ${id}${end}`)
      },
      note(sentence) {
        told.push(sentence)
        anew.resolve()
      },
    },
    stop: stop.signal,
  })
  return { asked, told, forwarded, of: (question: string) => asked.filter(each => each.question === question) }
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
  assert.equal(again?.body.replaces, 'l1')
  assert.ok(of('GET requests').at(-1)?.path.includes('/l2/'))
  assert.match(told[1] ?? '', /^The service had given up on us\./)
  assert.equal(told[2], 'hook r1')
})

test('what one listener took is answered to it, and what was not begun when it ended is left to the next', async () => {
  const held = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8']
  const { of, forwarded, told } = await played(
    {
      [begin]: [answer(200, listener('l1')), answer(200, listener('l2'))],
      'GET requests': [rows(...held, 'r9', 'r10'), notKnown, rows('r11'), rows()],
    },
    {},
    held.length,
  )
  assert.deepEqual(forwarded, [...held, 'r11'])
  const paths = new Map(of('POST answers').map(({ path, body }) => [body.request, path]))
  for (const id of held) assert.equal(paths.get(id), '/hook_listeners/l1/answers')
  assert.equal(paths.get('r11'), '/hook_listeners/l2/answers')
  assert.ok(!told.some(line => /^hook r(?:9|10)$/.test(line)))
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

test('all tries of an answer have one key, so that one whose reply was lost is not late', async () => {
  const { told, of } = await played({
    [begin]: [answer(200, listener('l1'))],
    'GET requests': [rows('r1', 'r2'), rows()],
    'POST answers': [new NotReachableError('lost'), answer(200, {}), answer(200, {})],
  })
  const keys = of('POST answers').map(({ body, key }) => [body.request, key])
  assert.deepEqual(keys, [
    ['r1', 'r1'],
    ['r2', 'r2'],
    ['r1', 'r1'],
  ])
  assert.deepEqual(told, ['started l1', 'hook r2', 'hook r1'])
})

test('an answer that the service does not accept is given once, and its sentence is told', async () => {
  const { told, of } = await played({
    [begin]: [answer(200, listener('l1'))],
    'GET requests': [rows('r1'), rows()],
    'POST answers': [answer(429, { errors: {} }), answer(422, { errors: { body: 'Not so.' } })],
  })
  assert.deepEqual([told.at(-1), of('POST answers').length], ['hook r1 Not so.', 2])
})

test('a hook that nobody waits for any more is not forwarded', async () => {
  const { told, forwarded, of } = await played({
    [begin]: [answer(200, listener('l1'))],
    'GET requests': [rowsFor(0, 'r1'), rows('r2'), rows()],
    'POST answers': [answer(404, { errors: {} })],
  })
  assert.deepEqual(forwarded, ['r2'])
  assert.ok(told.includes('hook r1 late'))
  assert.equal(of('POST answers')[0]?.body.reason, 'It waited too long for its turn, and was not forwarded.')
})

test('a start whose answer was lost is asked for again, not a second one; and a 404 begins nothing', async () => {
  const { told, of } = await played({
    [begin]: [
      answer(200, listener('l1')),
      new NotReachableError('lost'),
      notKnown,
      answer(200, listener('l2')),
      answer(200, listener('l3')),
    ],
    'GET requests': [notKnown, rows(), notKnown, rows()],
  })
  const [first, ...repeated] = of(begin).slice(1, 4)
  assert.notEqual(first?.key, undefined)
  for (const { key, body } of repeated) assert.deepEqual([key, body], [first?.key, first?.body])
  assert.notEqual(of(begin)[4]?.key, first?.key)
  assert.deepEqual(told.slice(0, 3), ['started l1', 'lost', 'back'])
})

test('one that begins anew where Pre-Sale is refused meanwhile goes on without', async () => {
  const refused = answer(422, { errors: { kinds: 'Not in live mode.' } })
  const { of, told } = await played({
    [begin]: [answer(200, listener('l1', ['pre_sale', 'far'])), refused, answer(200, listener('l2', ['far']))],
    'GET requests': [notKnown, rows('r1'), rows()],
  })
  const [, second, third] = of(begin)
  assert.deepEqual(third?.body.kinds, ['far'])
  assert.notEqual(third?.key, second?.key)
  assert.equal(told.at(-1), 'hook r1')
})
