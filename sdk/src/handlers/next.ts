// For route handlers of Next.js: `export const POST = hookRoute({ … })` in app/hooks/[kind]/route.ts, or in a folder named after
// the one kind that comes there. Other methods Next answers itself.

import { respond } from './fetch.ts'
import { checkedSettings, type HookSettings } from './settings.ts'

export type { HookCallbacks, HookSettings, PreSaleAnswer } from './settings.ts'

/** What Next hands on beside the request. The segments are a promise since version 15, and were an object before. */
export interface RouteContext {
  // biome-ignore lint/suspicious/noExplicitAny: Next checks a route's context against its folder, and each folder has other segments
  readonly params: any
}

/** Takes no less than a Request: older versions of Next refuse a route that would take anything else. */
export function hookRoute(settings: HookSettings): (request: Request, context: RouteContext) => Promise<Response> {
  const checked = checkedSettings(settings)
  return async (request, context) => {
    const segments: { readonly kind?: unknown } | undefined = await context?.params
    const kind = segments?.kind
    return respond(checked, request, typeof kind === 'string' ? kind : undefined)
  }
}
