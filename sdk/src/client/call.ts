// One call: prepared once, tried until there is an answer, a refusal, or no time left. All tries have the same key.

import { randomBytes } from '#platform'
import { type Attempt, attempt, type Request } from './attempt.ts'
import { isObject, parsed } from './body.ts'
import { failureOf } from './failure.ts'
import type { Operation } from './operations.ts'
import { doubtAfter, nextTry } from './retry.ts'
import { type CallOptions, checkedKey, checkedLimits, type Settings } from './settings.ts'

export interface Asked {
  readonly operation: Operation
  /** What stands in the path's braces; null: it has none. */
  readonly name: string | null
  readonly arguments: { readonly [name: string]: unknown }
  readonly options: CallOptions
}

/** What the service said beside the thing itself. */
export interface AnswerFacts {
  readonly status: number
  readonly requestId: string | null
  /** Under which this was asked; null: it changed nothing. */
  readonly idempotencyKey: string | null
  /** It had been done before, under the same key, and was not done again. */
  readonly replayed: boolean
}

export interface Answer {
  readonly thing: object
  readonly facts: AnswerFacts
  readonly link: string | null
}

/** Lets time pass; ends early if the signal says so. Tests have one of their own. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export async function call(settings: Settings, asked: Asked, pause: Pause = pauseFor): Promise<Answer> {
  const { fetch } = settings // called as `settings.fetch()`, some platforms' own refuse
  const { options, operation } = asked
  const { signal } = options
  const limits = checkedLimits(options, settings.limits)
  const idempotencyKey = keyFor(operation, options)
  const request = requestFor(settings, asked, idempotencyKey)
  const endsAt = performance.now() + limits.deadlineMs
  let mayHaveHappened = false
  for (let retry = 0; ; ) {
    const leftMs = Math.max(1, endsAt - performance.now())
    const last = await attempt(fetch, request, Math.min(limits.timeoutMs, leftMs), signal)
    const answer = answerIn(last, operation, idempotencyKey)
    if (answer !== null) return answer
    mayHaveHappened = idempotencyKey !== null && doubtAfter(last, mayHaveHappened)
    const again = nextTry(last, retry, Math.random())
    const isOver = again === null || (again.isRetry && retry >= limits.retries)
    if (isOver || performance.now() + again.afterMs >= endsAt) {
      throw failureOf(last, { url: request.url, idempotencyKey, mayHaveHappened })
    }
    if (again.isRetry) retry++
    await pause(again.afterMs, signal)
  }
}

function keyFor({ method, isOpen }: Operation, { idempotencyKey }: CallOptions): string | null {
  if (method === 'GET' || isOpen) return null
  return idempotencyKey === undefined ? newKey() : checkedKey(idempotencyKey)
}

function newKey(): string {
  return Array.from(randomBytes(16), byte => byte.toString(16).padStart(2, '0')).join('')
}

function requestFor(settings: Settings, asked: Asked, idempotencyKey: string | null): Request {
  const { operation, name, arguments: given } = asked
  const { method, isOpen, takesArguments } = operation
  const path = name === null ? operation.path : operation.path.replace(/\{\w+\}/, () => encodeURIComponent(name))
  const query = takesArguments && method === 'GET' ? queryOf(given) : ''
  const body = takesArguments && method !== 'GET' ? JSON.stringify(given) : null
  const headers = {
    accept: 'application/json',
    ...(!isOpen && { authorization: settings.authorization }),
    ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
    ...(body !== null && { 'content-type': 'application/json' }),
  }
  return { url: settings.baseUrl + path + query, method, headers, body }
}

function queryOf(given: Asked['arguments']): string {
  const pairs = Object.entries(given).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [name, inQuery(name, value)]),
  ).toString()
  return query === '' ? '' : `?${query}`
}

/** As JSON would have it, so a Date is ISO 8601, which the interface takes. Null is refused, not left out: without its filter a list is of everybody's. */
function inQuery(name: string, value: unknown): string {
  const said = isObject(value) && typeof value.toJSON === 'function' ? value.toJSON() : value
  const isPlain = typeof said === 'string' || typeof said === 'boolean' || Number.isFinite(said)
  if (isPlain) return String(said)
  throw new TypeError(
    `${name} must be text, a number, a boolean or a Date; leave it out, or undefined, where there is none.`,
  )
}

/** Null: it is no success, or none of the service's. */
function answerIn(last: Attempt, { member, gives }: Operation, idempotencyKey: string | null): Answer | null {
  if (last.kind === 'silent' || last.status < 200 || last.status > 299) return null
  const body = parsed(last.text)
  const thing = member === null || !isObject(body) ? body : body[member]
  if (gives === 'one' ? !isObject(thing) : !Array.isArray(thing)) return null
  const { status, headers } = last
  const replayed = headers.get('idempotent-replayed') === 'true'
  const facts = { status, requestId: headers.get('x-request-id'), idempotencyKey, replayed }
  return { thing: thing as object, facts, link: headers.get('link') }
}

function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
}
