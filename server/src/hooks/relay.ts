// A post to a listener: it cannot be called, so the request waits in the database until the listener has taken and answered it.
// Whoever posts sees no difference: one deadline for all of it, and every way to fail is a reason.

import { AwayError } from '../core/away.ts'
import type { LaneName } from '../core/delivery.ts'
import { isListenerUrl, type RelayAnswer, type RelayRequest } from '../core/hook-listener.ts'
import type { MerchantId, RelayId } from '../core/ids.ts'
import { limitOf, textOf } from './wire/limit.ts'
import { fixedHeaders, jsonHeaders, type Post, type Posted, type Request } from './wire/sender.ts'

interface RequestTo extends Request {
  /** Whose endpoint the URL is. */
  readonly lane: LaneName
  /** Aborted: a listener is not waited for any more. What is on the wire goes on. */
  readonly cut?: AbortSignal
}

export interface PostTo {
  /** Never rejects. */
  (request: RequestTo): Promise<Posted>
  cutOff(): void
}

export interface RelayStore {
  /** False: nobody listens there. */
  ask(
    lane: LaneName,
    asked: Pick<RelayRequest, 'id' | 'headers' | 'body'> & { readonly timeoutMs: number },
  ): Promise<boolean>
  /** Null: there is none yet. */
  takeAnswer(merchantId: MerchantId, id: RelayId): Promise<RelayAnswer | null>
  /** What was answered at the last moment; null: nothing was. */
  drop(merchantId: MerchantId, id: RelayId): Promise<RelayAnswer | null>
}

export interface RelayWorld {
  readonly store: RelayStore
  readonly newId: () => RelayId
  /** Hears when a request is answered. */
  readonly earFor: (id: RelayId) => Promise<{
    wait(withinMs: number, signal: AbortSignal): Promise<void>
    close(): void
  }>
  readonly failed: (error: unknown) => void
}

const nobody = 'Nobody listens: tillbell listen has ended there, or lost its connection.'
const ourFault = 'It could not be sent: something went wrong on our side.'
const away = 'The database went away: whether the listener was asked is not known.'
const stopped = 'The service was stopped before the answer.'
/** A bell that is not heard must not cost an answer, only time. */
const lookEveryMs = 500

export function relayingPost(post: Post, world: RelayWorld): PostTo {
  const cut = new AbortController()
  const relayed = async (request: RequestTo): Promise<Posted> => {
    const startedMs = performance.now()
    const signals = request.cut === undefined ? [cut.signal] : [cut.signal, request.cut]
    const answer = await relay(world, request, startedMs, AbortSignal.any(signals)).catch(error => {
      world.failed(error)
      return failed(ourFault)
    })
    const tookMs = Math.round(performance.now() - startedMs)
    return { ...answer, durationMs: Math.min(answer.durationMs ?? tookMs, tookMs) }
  }
  return Object.assign(
    (request: RequestTo) => (isListenerUrl(request.url) ? relayed(request) : post(request, request.lane.merchantId)),
    {
      cutOff() {
        post.cutOff()
        cut.abort()
      },
    },
  )
}

async function relay(
  { store, newId, earFor, failed: note }: RelayWorld,
  { lane, body, isJson = false, timeoutMs, moreHeaders = [] }: RequestTo,
  startedMs: number,
  cut: AbortSignal,
): Promise<RelayAnswer & Pick<Posted, 'isOurs'>> {
  const { merchantId } = lane
  const id = newId()
  const ear = await earFor(id)
  let isAsked = false
  try {
    const headers = [...(isJson ? jsonHeaders : fixedHeaders), ...moreHeaders]
    isAsked = await store.ask(lane, { id, headers, body, timeoutMs })
    if (!isAsked) return failed(nobody)
    const limit = limitOf(startedMs, timeoutMs)
    while (performance.now() < limit.untilMs && !cut.aborted) {
      await ear.wait(Math.min(lookEveryMs, limit.untilMs - performance.now()), cut)
      const answer = await store.takeAnswer(merchantId, id)
      if (answer !== null) return answer
    }
    const last = await store.drop(merchantId, id)
    return last ?? failed(cut.aborted ? stopped : `No answer ${textOf(limit)}.`)
  } catch (error) {
    if (isAsked || !(error instanceof AwayError)) throw error
    note(error)
    return { ...failed(away), isOurs: true }
  } finally {
    ear.close()
  }
}

function failed(reason: string): RelayAnswer {
  return { status: null, reason, durationMs: null, answer: '' }
}
