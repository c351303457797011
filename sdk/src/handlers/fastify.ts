// For Fastify: `app.register(hookPlugin({ path: '/hooks/:kind', … }))`. A plugin has a scope of its own, so the parser that keeps bodies as
// they came is for this route alone.

import { isBytes } from '../bytes.ts'
import { isObject } from '../known-fields.ts'
import { hookBytesMax } from '../parse-hook.ts'
import { answerHook } from './answer.ts'
import { checkedSettings, type HookSettings } from './settings.ts'

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
  all(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown
}

export function hookPlugin({ path, ...settings }: HookPluginSettings): (scope: FastifyLike) => Promise<void> {
  const checked = checkedSettings(settings)
  return async scope => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: hookBytesMax } as const
    scope.addContentTypeParser('*', options, async (_request, body) => body)
    scope.all(path, async ({ method, url, params, body: given }, reply) => {
      const kind = isObject(params) && typeof params.kind === 'string' ? params.kind : undefined
      const read = async () => (isBytes(given) ? given : new Uint8Array())
      const { status, headers, body } = await answerHook(checked, { method, kind, url, read })
      reply.code(status)
      reply.headers(headers)
      return reply.send(body)
    })
  }
}
