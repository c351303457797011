// One hook, from request to answer, whatever the framework: it reads, verifies, calls back and says the status.
//
// 200: done. 409: Pre-Sale says stop. 400 and 403: no hook, or not authentic. 404: no such route. 405: not POST. 413: too large.
// 500: the callback threw. 503: the same hook is being handled right now. The service sends all but 200 again, Pre-Sale apart: there 4xx
// means "do not charge" and 5xx "something is broken".

import type { Hook } from '../hook.ts'
import { hookKinds, kindNamedBy } from '../hook.ts'
import { HookError } from '../hook-errors.ts'
import type { HookKind } from '../hook-schemas.ts'
import { type HookInput, parseHook } from '../parse-hook.ts'
import { tellError } from '../report-error.ts'
import { StillRunningError } from '../still-running-error.ts'
import { type CheckedSettings, kindsOfRoute } from './settings.ts'

export interface HookRequest {
  readonly method: string
  /** The route's parameter `kind`, where the framework has parameters. */
  readonly kind: string | undefined
  /** The URL, or its path. */
  readonly url: string
  /** The body as it came; throws a HookError where it cannot be had. */
  readonly read: () => Promise<HookInput>
}

export interface HookAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

export async function answerHook(settings: CheckedSettings, request: HookRequest): Promise<HookAnswer> {
  if (request.method !== 'POST')
    return answer(405, { error: 'not_post', message: 'Hooks are posted.' }, { allow: 'POST' })
  const route = routeOf(settings, request)
  if (route === null || !hasCallback(settings, route))
    return answer(404, { error: 'no_such_route', message: noSuchRoute(settings, route) })
  try {
    const hook = parseHook(await request.read(), settings.keys(), { kind: route })
    return await calledBack(settings, hook)
  } catch (error) {
    tellError(settings.onError, error)
    return refusal(error)
  }
}

/** The only callback comes last: it must not be handed what the route says is for another, FAR for Error above all. */
function routeOf({ kind, kindOfOnly }: CheckedSettings, { kind: parameter = '', url }: HookRequest): HookKind | null {
  return kind ?? kindNamedBy(parameter) ?? kindNamedBy(lastPart(url)) ?? kindOfOnly
}

function hasCallback({ on }: CheckedSettings, route: HookKind): boolean {
  return kindsOfRoute(route).some(each => on[each] !== undefined)
}

function noSuchRoute(settings: CheckedSettings, named: HookKind | null): string {
  const why =
    named === null
      ? 'The route must name the kind of hook that comes to it.'
      : `There is no callback for ${named}, which this route names. If that is no kind here, the setting kind must say which is.`
  const routes = hookKinds.filter(kind => hasCallback(settings, kind))
  return `${why} Here that is one of ${routes.join(', ')}.`
}

function lastPart(url: string): string {
  const [path = ''] = url.split(/[?#]/)
  return path.replace(/\/+$/, '').split('/').pop() ?? ''
}

async function calledBack({ on }: CheckedSettings, hook: Hook): Promise<HookAnswer> {
  if (hook.kind === 'pre_sale') return preSaleAnswer(await on.pre_sale?.(hook))
  // The table's own types say that the callback fits the hook; together they are more than the compiler follows.
  const callback = on[hook.kind] as ((hook: Hook) => unknown) | undefined
  if (callback === undefined && hook.kind === 'far_or_error' && (on.far !== undefined || on.error !== undefined)) {
    throw new TypeError('On a route for generic, what may be FAR or Error comes to on.far_or_error, which is missing.')
  }
  await callback?.(hook)
  return answer(200, { ok: true })
}

function preSaleAnswer(said: unknown): HookAnswer {
  if (said === true) return answer(200, { ok: true })
  if (said === false) return answer(409, { stop: '' })
  if (typeof said === 'object' && said !== null) {
    if ('stop' in said && said.stop !== undefined && said.stop !== null) return answer(409, { stop: String(said.stop) })
    if ('ok' in said && said.ok === true) return answer(200, { ok: true })
  }
  // Neither yes nor no: to guess would either sell what is not there or lose a sale without a word.
  throw new TypeError("on.pre_sale must return true, { ok: true }, false or { stop: 'why' }. Is a return missing?")
}

function refusal(error: unknown): HookAnswer {
  if (error instanceof HookError) return answer(error.status, { error: error.code, message: error.answer })
  if (error instanceof StillRunningError) return answer(503, { error: 'still_running', message: error.message })
  return answer(500, { error: 'failed', message: 'The application failed.' })
}

function answer(status: number, body: object, headers: { readonly [name: string]: string } = {}): HookAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
