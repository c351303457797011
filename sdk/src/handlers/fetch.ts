// For everything that turns a Request into a Response: Bun, Deno, Cloudflare Workers, and the frameworks that build on it.

import { BodyAlreadyParsedError, TooLargeError } from '../hook-errors.ts'
import { hookBytesMax } from '../parse-hook.ts'
import { answerHook, type HookAnswer } from './answer.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import { type CheckedSettings, checkedSettings, type HookSettings } from './settings.ts'

export type { HookCallbacks, HookSettings, PreSaleAnswer } from './settings.ts'

/** What of a Request is used. */
export interface RequestLike {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  readonly body: unknown
  readonly bodyUsed: boolean
}

export function hookHandler(settings: HookSettings): (request: RequestLike) => Promise<Response> {
  const checked = checkedSettings(settings)
  return request => respond(checked, request, undefined)
}

/** Kind: the route's parameter, where a framework has one. */
export async function respond(
  settings: CheckedSettings,
  request: RequestLike,
  kind: string | undefined,
): Promise<Response> {
  const read = () => bodyOf(request)
  return toResponse(await answerHook(settings, { method: request.method, kind, url: request.url, read }))
}

function toResponse({ status, headers, body }: HookAnswer): Response {
  return new Response(body, { status, headers })
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** Counts while it reads: what a stranger announces need not be what comes. */
async function bodyOf({ headers, body, bodyUsed }: RequestLike): Promise<Uint8Array> {
  if (bodyUsed) throw new BodyAlreadyParsedError('Something read the body of this Request before.')
  if (Number(headers.get('content-length') ?? 0) > hookBytesMax) throw new TooLargeError(hookBytesMax)
  if (body === null || body === undefined) return new Uint8Array()
  const reader = (body as { getReader(): Reader }).getReader()
  const whole = new GatheredBytes(hookBytesMax)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return whole.bytes()
    if (value !== undefined && !whole.add(value)) {
      await reader.cancel()
      throw new TooLargeError(hookBytesMax)
    }
  }
}
