// For Express, and for anything else that has Node's request and response: Connect, Next's pages, plain node:http.
//
// The body is read here, so no body parser is needed before it. Where one ran, it still works if what was signed can be had: `rawBody`,
// a body as text or bytes, or the two parameters of a form, which are exact after URL decoding.

import { isBytes } from '../bytes.ts'
import { BodyAlreadyParsedError } from '../hook-errors.ts'
import { isObject } from '../known-fields.ts'
import type { HookInput } from '../parse-hook.ts'
import { answerHook } from './answer.ts'
import { checkedSettings, type HookSettings } from './settings.ts'
import { bytesOf, type NodeStream } from './stream-bytes.ts'

export type { HookCallbacks, HookSettings, PreSaleAnswer } from './settings.ts'

/** What of a request is used. */
export interface NodeRequest extends NodeStream {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
  readonly params?: unknown
  readonly body?: unknown
  readonly rawBody?: unknown
  readonly readableDidRead?: boolean
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
  if (isObject(body) && typeof body.details === 'string' && typeof body.signature === 'string')
    return { details: body.details, signature: body.signature }
  // A JSON parser leaves `{}` for a form, and the form unread. Whoever cannot say whether it was read has parsed what is not empty.
  const isParsed = isObject(body) && Object.keys(body).length > 0
  const { readableDidRead = isParsed } = request
  if (!readableDidRead) return bytesOf(request)
  if (isParsed) return body as unknown as HookInput
  throw new BodyAlreadyParsedError('Something read the body before, and left nothing of it.')
}

function isRaw(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || isBytes(value)
}
