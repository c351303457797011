// For Fastify: `app.register(hookPlugin({ path: '/hooks/:kind', … }))`. A plugin has a scope of its own, so the parser that keeps bodies as
// they came is for this route alone.

import { isBytes } from '../bytes.ts'
import { TooLargeError } from '../hook-errors.ts'
import { isObject } from '../known-fields.ts'
import { hookBytesMax } from '../parse-hook.ts'
import { answerHook } from './answer.ts'
import { type CheckedSettings, checkedSettings, type HookSettings } from './settings.ts'
import { bytesOf, type NodeStream } from './stream-bytes.ts'

export type { HookCallbacks, HookSettings, PreSaleAnswer } from './settings.ts'

export interface HookPluginSettings extends HookSettings {
  readonly path: string
}

/** What of a request is used. */
export interface FastifyRequestLike {
  readonly method: string
  readonly url: string
  readonly params: unknown
  readonly body: unknown
  readonly raw: NodeStream
}

/** What of a reply is used. */
export interface FastifyReplyLike {
  code(status: number): unknown
  headers(headers: { [name: string]: string }): unknown
  send(body: string): unknown
}

/** What of a scope is used. */
export interface FastifyLike {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: unknown) => Promise<unknown>,
  ): unknown
  setErrorHandler(
    handler: (error: unknown, request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown
  all(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown
}

export function hookPlugin({ path, ...settings }: HookPluginSettings): (scope: FastifyLike) => Promise<void> {
  const checked = checkedSettings(settings)
  return async scope => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: hookBytesMax } as const
    scope.addContentTypeParser('*', options, async (_request, body) => body)
    scope.setErrorHandler(async (error, request, reply) => {
      const read = readDespite(error, request)
      if (read === null) throw error // to the application's own handler
      return replied(checked, request, reply, read)
    })
    scope.all(path, (request, reply) => {
      const read = async () => (isBytes(request.body) ? request.body : new Uint8Array())
      return replied(checked, request, reply, read)
    })
  }
}

type Read = () => Promise<Uint8Array>

async function replied(
  settings: CheckedSettings,
  { method, url, params }: FastifyRequestLike,
  reply: FastifyReplyLike,
  read: Read,
): Promise<unknown> {
  const kind = isObject(params) && typeof params.kind === 'string' ? params.kind : undefined
  const { status, headers, body } = await answerHook(settings, { method, kind, url, read })
  reply.code(status)
  reply.headers(headers)
  return reply.send(body)
}

/**
 * What Fastify refuses before the route is asked, answered as by every other handler. Of a content type that it cannot read it has
 * not begun to read the body. Null: the error is not about the body.
 */
function readDespite(error: unknown, { raw }: FastifyRequestLike): Read | null {
  const code = isObject(error) ? error.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return () => Promise.reject(new TooLargeError(hookBytesMax))
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return () => bytesOf(raw)
  return null
}
