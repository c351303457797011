// For Express, and for anything else that has Node's request and response: Connect, Next's pages, plain node:http.
//
// The body is read here, so no body parser is needed before it. Where one ran, it still works if what was signed can be had: `rawBody`,
// a body as text or bytes, or the two parameters of a form, which are exact after URL decoding.

import { isBytes } from '../bytes.ts'
import { BodyAlreadyParsedError, TooLargeError } from '../hook-errors.ts'
import { isObject } from '../known-fields.ts'
import { type HookInput, hookBytesMax } from '../parse-hook.ts'
import { answerHook } from './answer.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import { checkedSettings, type HookSettings } from './settings.ts'

export type { HookCallbacks, HookSettings, PreSaleAnswer } from './settings.ts'

/** What of a request is used. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
  readonly params?: unknown
  readonly body?: unknown
  readonly rawBody?: unknown
  readonly readableDidRead?: boolean
  on(event: 'data', listener: (piece: Uint8Array | string) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** What of a response is used. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

export function hookHandler(settings: HookSettings): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const checked = checkedSettings(settings)
  return async (request, response) => {
    const { method = '', originalUrl, url = '', params } = request
    const kind = isObject(params) && typeof params.kind === 'string' ? params.kind : undefined
    const read = () => bodyOf(request)
    const { status, headers, body } = await answerHook(checked, { method, kind, url: originalUrl ?? url, read })
    response.statusCode = status
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.end(body)
  }
}

async function bodyOf(request: NodeRequest): Promise<HookInput> {
  const { rawBody, body } = request
  if (isRaw(rawBody)) return rawBody
  if (isRaw(body)) return body
  // A JSON parser leaves `{}` for a form, and the form unread.
  if (request.readableDidRead !== true) return bytesOf(request)
  if (isObject(body) && Object.keys(body).length > 0) return body as unknown as HookInput
  throw new BodyAlreadyParsedError('Something read the body before, and left nothing of it.')
}

function isRaw(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || isBytes(value)
}

function bytesOf(request: NodeRequest): Promise<Uint8Array> {
  const whole = new GatheredBytes(hookBytesMax)
  return new Promise((resolve, reject) => {
    // Goes on reading what is too much, and drops it: a connection that is cut would keep the answer from arriving.
    request.on('data', piece => {
      const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
      if (!whole.add(bytes)) reject(new TooLargeError(hookBytesMax))
    })
    request.on('end', () => resolve(whole.bytes()))
    request.on('error', reject)
    // Not every runtime that has this interface says `error` first.
    request.on('close', () => reject(new Error('The connection was closed before the body was there.')))
  })
}
