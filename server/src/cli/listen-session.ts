// A listener's life: it begins, asks for hooks again and again, and comes back whatever happens in between. A service that is
// away for a moment, or for a night, is waited for; what happened meanwhile is asked for afterwards.

import { setTimeout as delay } from 'node:timers/promises'
import { backfillMaxS, pollMaxS } from '../core/hook-listener.ts'
import { FailedError } from './command.ts'
import { type Forwarder, forwarderOf } from './listen-queue.ts'
import { type Answer, KeyRefusedError, type Remote, refusalIn } from './remote.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the service says is described by its OpenAPI document
export type Said = { readonly [name: string]: any }

export interface Wanted {
  readonly name: string
  /** Null: what is usual. */
  readonly kinds: readonly string[] | null
  readonly backfillS: number
}

export interface Session {
  readonly remote: Remote
  readonly wanted: Wanted
  /** Never rejects: whatever the app does is its answer. `untilMs`: when nobody waits for it any more. */
  readonly handle: (request: Said) => Promise<HandledHook>
  readonly tell: {
    started(listener: Said): void
    /** Once, however long it takes. */
    lost(sentence: string): void
    back(): void
    hook(request: Said, handled: HandledHook, isLate: boolean): void
    note(sentence: string): void
  }
  readonly stop: AbortSignal
}

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

/** Until it is told to stop. Throws a FailedError where there is nothing to wait for. */
export async function runSession(session: Session): Promise<void> {
  const { remote, tell, stop } = session
  let listener = await startOrGoWithout(session)
  tell.started(listener)
  let seenAtMs = Date.now()
  const forwarder = forwarderOf(request => handOn(session, listener, request))
  const line = connection(session)
  while (!stop.aborted) {
    const answer = await line.ask(() =>
      remote.ask('GET', `/hook_listeners/${listener.id}/requests?wait=${pollMaxS}`, undefined, {
        timeoutMs: pollTimeoutMs,
        signal: stop,
      }),
    )
    if (answer === null) continue
    if (answer.status === 404) {
      const backfillS = Math.min(backfillMaxS, Math.ceil((Date.now() - seenAtMs) / 1_000) + gapSlackS)
      const begun = await line.ask(() => startListener(remote, { ...session.wanted, kinds: listener.kinds, backfillS }))
      if (begun === null) continue
      listener = listenerIn(begun)
      tell.note(`The service had given up on us. Listening anew, and asking for what came in the last ${backfillS} s.`)
    }
    seenAtMs = Date.now()
    for (const request of rowsOf(answer)) forwarder.add({ ...request, untilMs: performance.now() + request.timeout_ms })
  }
  await goodbye(remote, listener, forwarder)
}

function rowsOf({ body }: Answer): readonly Said[] {
  return body.rows === undefined ? [] : (body.rows as readonly Said[])
}

function startListener(remote: Remote, { name, kinds, backfillS }: Wanted): Promise<Answer> {
  return remote.ask('POST', '/hook_listeners', {
    name,
    backfill_s: backfillS,
    ...(kinds !== null && { kinds }),
  })
}

/** Where a machine may not answer Pre-Sale, the rest is listened to. */
async function startOrGoWithout({ remote, wanted, tell }: Session): Promise<Said> {
  const first = await startListener(remote, wanted)
  const refusal = refusalIn(first)
  if (refusal === null) return listenerIn(first)
  const rest = wanted.kinds?.filter(kind => kind !== 'pre_sale') ?? []
  const isAboutKinds = (first.body.errors as Said | undefined)?.kinds !== undefined
  if (!isAboutKinds || rest.length === 0 || rest.length === wanted.kinds?.length) throw new FailedError(refusal)
  tell.note(refusal)
  const second = await startListener(remote, { ...wanted, kinds: rest })
  const refusedAgain = refusalIn(second)
  if (refusedAgain !== null) throw new FailedError(refusedAgain)
  return listenerIn(second)
}

function listenerIn({ body }: Answer): Said {
  return body.hook_listener as Said
}

const firstPauseMs = 250
const pauseMsMax = 10_000

/** Asks; where nobody answers, waits, longer each time, and says so once. Null: not answered, ask again. */
function connection({ tell, stop }: Session) {
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
    async ask(work: () => Promise<Answer>): Promise<Answer | null> {
      try {
        const answer = await work()
        const refusal = answer.status === 404 ? null : refusalIn(answer)
        if (refusal !== null) return await wait(refusal)
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

/** What the app said goes back for as long as somebody may wait for it. */
async function handOn({ remote, handle, tell }: Session, listener: Said, request: Said): Promise<void> {
  const handled = await handle(request)
  const { status, reason, durationMs, answer } = handled
  const body = {
    request: request.id,
    duration_ms: durationMs,
    ...(status === null ? { reason } : { status, body: fitting(answer) }),
  }
  for (;;) {
    const given = await remote.ask('POST', `/hook_listeners/${listener.id}/answers`, body).catch(() => null)
    const isTaken = given?.status === 200
    if (isTaken || given?.status === 404 || performance.now() > request.untilMs)
      return tell.hook(request, handled, !isTaken)
    await delay(againEveryMs)
  }
}

/** Of what is allowed in a request to the service; JSON writes one odd character with six. */
const jsonCharsMax = 40_000

function fitting(answer: string): string {
  let text = answer
  while (JSON.stringify(text).length > jsonCharsMax) text = text.slice(0, text.length / 2)
  return text
}

/** What is being forwarded may end; then the service is told, so that nothing more is sent here. */
async function goodbye(remote: Remote, listener: Said, forwarder: Forwarder): Promise<void> {
  await Promise.race([forwarder.idle(), delay(goodbyeMaxMs, null, { ref: false })])
  await remote.ask('DELETE', `/hook_listeners/${listener.id}`, undefined, { timeoutMs: goodbyeMaxMs }).catch(() => null)
}
