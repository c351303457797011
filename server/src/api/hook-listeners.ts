// Hooks for a machine that cannot be called: it asks for them, and answers for its app. `tillbell listen` is made of these.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { hookKinds } from '../core/hook-endpoint.ts'
import {
  backfillMaxS,
  type HookListener,
  listenerName,
  listenersMax,
  pollMaxS,
  type RelayAnswer,
  type RelayRequest,
  usualListenerKinds,
} from '../core/hook-listener.ts'
import { type ListenerId, type MerchantId, parseUuid, type RelayId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import { isoTime } from '../core/sale.ts'
import { answerOnce, callerOf, type KeyedAnswer, keyedAnswer, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { jsonField, requiredTextField, textField, wholeNumberField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { createThrottle } from '../http/throttle.ts'
import { answeredAnswer, answersWith, answersWithList, hookListenerAnswer, hookRequestAnswer } from './answers.ts'
import type { ApiPorts } from './ports.ts'

const kindsSay = `must be a list of some of: ${hookKinds.join(', ')}.`
const startBody = Type.Object({
  name: Type.Optional(textField(255, 'Of the machine that listens: its deliveries have the URL `listen://NAME`.')),
  kinds: Type.Optional(
    jsonField(
      Type.Array(Type.String(), { maxItems: hookKinds.length }),
      kindsSay,
      'What it wants; by default all but generic, which would be a second copy, and in live mode but Pre-Sale.',
    ),
  ),
  backfill_s: Type.Optional(
    wholeNumberField(0, backfillMaxS, 'Send it also what happened in the last so many seconds; never Pre-Sale.'),
  ),
  replaces: Type.Optional(
    textField(
      64,
      'An earlier listener that has ended: send it also what that one missed, and nothing that has reached it.',
    ),
  ),
})
const pollQuery = Type.Object({
  wait: Type.Optional(
    wholeNumberField(1, pollMaxS, `How long to wait for something, in seconds; ${pollMaxS} by default.`),
  ),
})
const answerBytesMax = 16_384
const answerBody = Type.Object({
  request: requiredTextField(64, 'The id of the request.'),
  status: Type.Optional(wholeNumberField(100, 599, 'What the app answered.')),
  body: Type.Optional(textField(answerBytesMax, 'The beginning of its answer.')),
  duration_ms: Type.Optional(wholeNumberField(0, 60_000, 'How long the app took.')),
  reason: Type.Optional(requiredTextField(200, 'Instead of a status: why there is no answer.')),
})
const pathId = Type.Object({ id: Type.String() })
type PathId = Static<typeof pathId>
const about = { about: 'hook_listener' } as const
const aboutRequest = { about: 'hook_request', holdsNoPlace: true } as const
const waitingSays =
  'What is to be posted now: Pre-Sale first, then oldest first; empty where nothing came in time. Ask again at once.'
const oneListener = answersWith('hook_listener', hookListenerAnswer)

const tooMany = `At most ${listenersMax} listen at once for a merchant. End one, or wait a minute for one that has gone.`
const notInLive =
  'In live mode kinds must not have pre_sale: a machine of a developer’s does not decide about real money.'
const oneOrOther = 'Give either status or reason.'
const replaced = 'A newer request for the hooks of this listener has taken the place of this one.'
const isOver = 'request is not known, or nobody waits for its answer any more.'

/** Each may send a day anew, and a listener needs one start. */
const starts = { perS: 0.1, burst: 10 }
const tooOften = 'A merchant may start 10 listeners at once, then one in 10 seconds.'

export function hookListenerRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const schema = (summary: string, more: object) => ({ summary, tags: ['hooks'], ...more })
  const stopped = new AbortController()
  app.addHook('preClose', async () => stopped.abort())
  const throttle = createThrottle(starts)
  const mayStart = (merchantId: MerchantId) => {
    const taken = throttle.take(merchantId)
    if (!taken.ok) throw ApiError.tooMany(tooOften, taken.retryAfterS)
  }

  app.post<{ Body: Static<typeof startBody> }>(
    '/hook_listeners',
    { config: about, schema: schema('Listen for hooks', { body: startBody, ...oneListener }) },
    async (request, reply) => sendReply(reply, await start(ports, request, request.body, mayStart)),
  )

  app.get<{ Params: PathId; Querystring: Static<typeof pollQuery> }>(
    '/hook_listeners/:id/requests',
    {
      config: aboutRequest,
      schema: schema('Wait for hooks; a listener that has not asked for a minute is over', {
        params: pathId,
        querystring: pollQuery,
        ...answersWithList('hook_request', hookRequestAnswer, waitingSays),
      }),
    },
    async (request, reply) => poll(ports, request, reply, listenerIdIn(request.params), stopped.signal),
  )

  app.post<{ Params: PathId; Body: Static<typeof answerBody> }>(
    '/hook_listeners/:id/answers',
    {
      config: aboutRequest,
      schema: schema('Answer a hook, as an endpoint would', {
        params: pathId,
        body: answerBody,
        ...answersWith('hook_request', answeredAnswer),
      }),
    },
    async (request, reply) =>
      sendReply(reply, await answer(ports, request, listenerIdIn(request.params), request.body)),
  )

  app.delete<{ Params: PathId }>(
    '/hook_listeners/:id',
    { config: about, schema: schema('Stop listening', { params: pathId, ...oneListener }) },
    async (request, reply) => sendReply(reply, await end(ports, request, listenerIdIn(request.params))),
  )
}

function notKnown(): ApiError {
  return ApiError.notKnown('hook_listener')
}

function listenerIdIn({ id }: PathId): ListenerId {
  const parsed = parseUuid<ListenerId>(id)
  if (parsed === null) throw notKnown()
  return parsed
}

/** What is asked for again under its key is answered, however often. */
async function start(
  ports: ApiPorts,
  request: FastifyRequest,
  body: Static<typeof startBody>,
  mayStart: (merchantId: MerchantId) => void,
) {
  const { merchantId } = callerOf(request)
  const name = listenerName(body.name ?? '')
  const kinds = kindsFrom(body.kinds, ports.core.service.mode)
  const backfillS = Number(body.backfill_s ?? 0)
  const replaces = replacedIn(body)
  const asked = { name, kinds: [...kinds], backfillS, replaces }
  return answerOnce(request, ports.store, 'hook_listeners', asked, async (): Promise<KeyedAnswer> => {
    mayStart(merchantId)
    const started = await ports.listeners.start(merchantId, { name, kinds, backfillS, replaces })
    if (started === 'too many') throw new ApiError(422, { general: tooMany })
    const { listener, backfilled } = started
    return keyedAnswer({ hook_listener: { ...listenerView(ports, listener), backfilled } }, null)
  })
}

/** One of which nothing is known any more is no reason not to listen. */
function replacedIn({ replaces }: Static<typeof startBody>): ListenerId | null {
  if (replaces === undefined) return null
  const id = parseUuid<ListenerId>(replaces)
  if (id === null) throw new ApiError(422, { replaces: 'replaces must be the id of a listener.' })
  return id
}

function kindsFrom(given: unknown, mode: 'sandbox' | 'live'): HookListener['kinds'] {
  const isLive = mode === 'live'
  if (given === undefined) return usualListenerKinds.filter(kind => !isLive || kind !== 'pre_sale')
  if (!Array.isArray(given) || given.length === 0 || given.some(kind => !hookKinds.includes(kind))) {
    throw new ApiError(422, { kinds: `kinds ${kindsSay}` })
  }
  if (isLive && given.includes('pre_sale')) throw new ApiError(422, { kinds: notInLive })
  return hookKinds.filter(kind => given.includes(kind))
}

/** A form has its JSON text. */
/** What was taken for somebody who has gone meanwhile is given back, and they count as gone at once. */
async function poll(
  ports: ApiPorts,
  request: FastifyRequest<{ Querystring: Static<typeof pollQuery> }>,
  reply: FastifyReply,
  id: ListenerId,
  stopped: AbortSignal,
): Promise<FastifyReply> {
  const { merchantId, name: key } = callerOf(request)
  // Whose connection broke while the key was looked up is heard of no more, and must not take what others wait for.
  if (request.raw.socket.destroyed) return reply.send(answerText([]))
  const gone = new AbortController()
  let giveBack = async () => {}
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return
    gone.abort()
    giveBack().catch(error => request.log.error({ err: error }, 'hooks that a listener did not get wait for their end'))
  })
  const waitS = Number(request.query.wait ?? pollMaxS)
  const taken = await ports.listeners.poll({ merchantId, key, id, waitS, gone: gone.signal, stopped })
  if (taken === 'ended') throw notKnown()
  if (taken === 'key revoked') throw ApiError.unauthorized()
  if (taken === 'replaced') throw new ApiError(409, { general: replaced })
  giveBack = taken.giveBack
  if (gone.signal.aborted) await giveBack()
  return reply.send(answerText(taken.requests.map(requestView)))
}

async function answer(ports: ApiPorts, request: FastifyRequest, id: ListenerId, body: Static<typeof answerBody>) {
  const { merchantId } = callerOf(request)
  if ((body.status === undefined) === (body.reason === undefined)) throw new ApiError(422, { general: oneOrOther })
  const requestId = parseUuid<RelayId>(body.request)
  const given: RelayAnswer = {
    status: body.status === undefined ? null : Number(body.status),
    reason: body.reason ?? null,
    durationMs: body.duration_ms === undefined ? null : Number(body.duration_ms),
    answer: body.body === undefined ? '' : cut(body.body),
  }
  const asked = { ...given, id, request: requestId }
  return answerOnce(request, ports.store, 'hook_listeners answers', asked, async (): Promise<KeyedAnswer> => {
    const taken = requestId !== null && (await ports.listeners.answer(merchantId, id, requestId, given))
    if (!taken) throw new ApiError(404, { request: isOver })
    return keyedAnswer({ hook_request: { id: requestId, taken } }, null)
  })
}

/** As much as is read of an answer on the wire. A character that is cut through goes. */
function cut(text: string): string {
  const bytes = Buffer.from(text)
  return bytes.length <= answerBytesMax
    ? text
    : new TextDecoder().decode(bytes.subarray(0, answerBytesMax), { stream: true })
}

async function end(ports: ApiPorts, request: FastifyRequest, id: ListenerId) {
  const { merchantId } = callerOf(request)
  return answerOnce(request, ports.store, 'hook_listeners end', id, async (): Promise<KeyedAnswer> => {
    const listener = await ports.listeners.end(merchantId, id)
    if (listener === null) throw notKnown()
    return keyedAnswer({ hook_listener: listenerView(ports, listener) }, null)
  })
}

function listenerView({ core }: ApiPorts, { merchantId, id, name, kinds, createdAt }: HookListener) {
  const { mode } = core.service
  return { id, merchant: merchantId, mode, name, kinds: [...kinds], created_at: isoTime(createdAt) }
}

function requestView({ id, kind, headers, body, deadline, leftMs }: RelayRequest): { [name: string]: Json } {
  const pairs = headers.map(([name, value]) => [name, value])
  return { id, kind, headers: pairs, body, deadline: isoTime(deadline), timeout_ms: leftMs }
}
