// A listener's life: it begins, asks for hooks again and again, and comes back whatever happens in between. A service that is
// away for a moment, or for a night, is waited for; what happened meanwhile is asked for afterwards.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { backfillMaxS, pollMaxS } from '../core/hook-listener.ts'
import { FailedError } from './command.ts'
import { answerBodyOf } from './listen-answer.ts'
import { type Forwarder, forwarderOf } from './listen-queue.ts'
import { type Answer, KeyRefusedError, type Remote, refusalIn } from './remote.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the service says is described by its OpenAPI document
export type Said = { readonly [name: string]: any }

export interface Wanted {
  readonly name: string
  /** Null: what is usual. */
  readonly kinds: readonly string[] | null
  readonly backfillS: number
  /** The listener whose place it takes. */
  readonly replaces?: string
}

export interface Session {
  readonly remote: Remote
  readonly wanted: Wanted
  /** Never rejects: whatever the app does is its answer. */
  readonly handle: (request: Said, timeoutMs: number) => Promise<HandledHook>
  readonly tell: {
    started(listener: Said): void
    /** Once, however long it takes. */
    lost(sentence: string): void
    back(): void
    hook(request: Said, handled: HandledHook, untaken: Untaken | null): void
    note(sentence: string): void
  }
  readonly stop: AbortSignal
}

/** Why an answer does not count: the service waited no longer, or did not accept it. */
export type Untaken = 'late' | { readonly refusal: string }

export interface HandledHook {
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  readonly answer: string
}

const pollTimeoutMs = (pollMaxS + 10) * 1_000
const goodbyeMaxMs = 3_000
/** Its clock and ours, and what was on the way. */
const gapSlackS = 5
/** So long a start is the same wish; a later one has to ask for more of the past. */
const wishMaxS = 20

/** Until it is told to stop. Throws a FailedError where there is nothing to wait for. */
export async function runSession(session: Session): Promise<void> {
  const { remote, wanted, tell, stop } = session
  let listener = await startOrGoWithout(session, wanted)
  tell.started(listener)
  let seenAtMs = Date.now()
  const forwarder = forwarderOf(request => handOn(session, request))
  const line = connection(session)
  while (!stop.aborted) {
    const requests = await line.ask(() => poll(remote, listener, stop))
    if (requests === null) continue
    if (requests === 'not known') {
      forwarder.forgetWaiting()
      listener = await beginAnew(session, line, listener, seenAtMs)
    } else {
      for (const request of requests) forwarder.add(takenBy(listener, request))
    }
    seenAtMs = Date.now()
  }
  await goodbye(remote, listener, forwarder)
}

/** It is answered to the listener that took it, whichever is there by then. */
function takenBy({ id }: Said, request: Said): Said {
  return { ...request, listenerId: id, untilMs: performance.now() + request.timeout_ms }
}

/** The same wish however often it is asked for, so that an answer that was lost leaves no listener behind. */
async function beginAnew(session: Session, line: Line, before: Said, seenAtMs: number): Promise<Said> {
  const { tell, stop, wanted } = session
  let wish = wishFor(seenAtMs)
  while (!stop.aborted) {
    if (Date.now() - wish.madeAtMs > wishMaxS * 1_000) wish = wishFor(seenAtMs)
    const { key, backfillS } = wish
    // What came in the last seconds is for a service that knows nothing of the earlier one any more.
    const again = { ...wanted, kinds: before.kinds, backfillS, replaces: before.id }
    const begun = await line.ask(() => startOrGoWithout(session, again, key))
    if (begun === null) continue
    tell.note('The service had given up on us. Listening anew, and asking for what was missed.')
    return begun
  }
  return before
}

function wishFor(seenAtMs: number) {
  const madeAtMs = Date.now()
  const gapS = Math.ceil((madeAtMs - seenAtMs) / 1_000)
  return { key: randomUUID(), backfillS: Math.min(backfillMaxS, gapS + gapSlackS + wishMaxS), madeAtMs }
}

async function poll(remote: Remote, listener: Said, stop: AbortSignal): Promise<readonly Said[] | 'not known'> {
  const path = `/hook_listeners/${listener.id}/requests?wait=${pollMaxS}`
  const answer = await remote.ask('GET', path, undefined, { timeoutMs: pollTimeoutMs, signal: stop })
  if (answer.status === 404) return 'not known'
  const refusal = refusalIn(answer)
  if (refusal !== null) throw new FailedError(refusal)
  return (answer.body.rows ?? []) as readonly Said[]
}

function startListener(remote: Remote, wanted: Wanted, idempotencyKey?: string): Promise<Answer> {
  const { name, kinds, backfillS, replaces } = wanted
  const asked = {
    name,
    backfill_s: backfillS,
    ...(kinds !== null && { kinds }),
    ...(replaces !== undefined && { replaces }),
  }
  return remote.ask('POST', '/hook_listeners', asked, idempotencyKey === undefined ? {} : { idempotencyKey })
}

/** Where a machine may not answer Pre-Sale, the rest is listened to. */
async function startOrGoWithout({ remote, tell }: Session, wanted: Wanted, key?: string): Promise<Said> {
  const first = await startListener(remote, wanted, key)
  const refusal = refusalIn(first)
  if (refusal === null) return listenerIn(first)
  const rest = wanted.kinds?.filter(kind => kind !== 'pre_sale') ?? []
  const isAboutKinds = (first.body.errors as Said | undefined)?.kinds !== undefined
  if (!isAboutKinds || rest.length === 0 || rest.length === wanted.kinds?.length) throw new FailedError(refusal)
  tell.note(refusal)
  const second = await startListener(remote, { ...wanted, kinds: rest }, key && `${key}-without`)
  const refusedAgain = refusalIn(second)
  if (refusedAgain !== null) throw new FailedError(refusedAgain)
  return listenerIn(second)
}

function listenerIn({ body }: Answer): Said {
  return body.hook_listener as Said
}

const firstPauseMs = 250
const pauseMsMax = 10_000

interface Line {
  ask<T>(work: () => Promise<T>): Promise<T | null>
}

/** Asks; where nobody answers as asked, waits, longer each time, and says so once. Null: ask again. */
function connection({ tell, stop }: Session): Line {
  let pauseMs = firstPauseMs
  let isLost = false
  const wait = async (sentence: string) => {
    if (!isLost) tell.lost(sentence)
    isLost = true
    // Not all at the same moment, where many wait for one service.
    await delay(pauseMs * (0.5 + Math.random() / 2), null, { signal: stop }).catch(() => null)
    pauseMs = Math.min(pauseMsMax, pauseMs * 2)
    return null
  }
  return {
    async ask(work) {
      try {
        const answer = await work()
        if (isLost) tell.back()
        isLost = false
        pauseMs = firstPauseMs
        return answer
      } catch (error) {
        if (stop.aborted) return null
        // Whatever else stands at its address for a while, such as a page of a proxy's, goes away again.
        if (error instanceof FailedError && !(error instanceof KeyRefusedError)) return await wait(error.message)
        throw error
      }
    },
  }
}

const againEveryMs = 300
/** So much earlier than the service gives up, so that it hears why. */
const earlierMs = 250

const overdue: HandledHook = {
  status: null,
  reason: 'It waited too long for its turn, and was not forwarded.',
  durationMs: 0,
  answer: '',
}

/** What the app said goes back for as long as somebody may wait for it. What nobody waits for is not the app's any more. */
async function handOn({ remote, handle, tell }: Session, request: Said): Promise<void> {
  const leftMs = request.untilMs - performance.now() - earlierMs
  const handled = leftMs > 0 ? await handle(request, leftMs) : overdue
  const body = answerBodyOf(request.id, handled)
  // By its key, one that was taken and whose reply was lost is known again: it counts, and is not late.
  const once = { idempotencyKey: request.id }
  for (;;) {
    const given = await remote
      .ask('POST', `/hook_listeners/${request.listenerId}/answers`, body, once)
      .catch(() => null)
    if (given?.status === 200) return tell.hook(request, handled, null)
    if (given !== null && isFinal(given)) return tell.hook(request, handled, whyUntaken(given))
    if (performance.now() > request.untilMs) return tell.hook(request, handled, 'late')
    await delay(againEveryMs)
  }
}

/** Asked again, it would say the same. */
function isFinal({ status }: Answer): boolean {
  return status >= 400 && status <= 499 && ![408, 409, 429].includes(status)
}

function whyUntaken(given: Answer): Untaken {
  return given.status === 404 ? 'late' : { refusal: refusalIn(given) ?? '' }
}

/** What is being forwarded may end; then the service is told, so that nothing more is sent here. */
async function goodbye(remote: Remote, listener: Said, forwarder: Forwarder): Promise<void> {
  await Promise.race([forwarder.idle(), delay(goodbyeMaxMs, null, { ref: false })])
  await remote.ask('DELETE', `/hook_listeners/${listener.id}`, undefined, { timeoutMs: goodbyeMaxMs }).catch(() => null)
}
