// For Hono: `app.all('/hooks/:kind', hookHandler({ … }))`.

import { type RequestLike, respond } from './fetch.ts'
import { checkedSettings, type HookSettings } from './settings.ts'

export type { HookCallbacks, HookSettings, PreSaleAnswer } from './settings.ts'

/** What of a context is used. */
export interface ContextLike {
  readonly req: {
    readonly raw: RequestLike
    param(name: string): string | undefined
  }
}

export function hookHandler(settings: HookSettings): (context: ContextLike) => Promise<Response> {
  const checked = checkedSettings(settings)
  return ({ req }) => respond(checked, req.raw, req.param('kind'))
}
