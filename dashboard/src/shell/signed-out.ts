// Where somebody goes whose session is over: to sign in, and back to where they were.

import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'

const outside = ['/sign-in', '/forgot', '/reset', '/invitation']

export function leadToSignIn(router: AnyRouter, queries: QueryClient): void {
  const { pathname, href } = router.state.location
  if (outside.includes(pathname)) return
  queries.clear()
  void router.navigate({ to: '/sign-in', search: href === '/' ? {} : { to: href }, replace: true })
}

/** Only into the dashboard: what stands in an address may come from anybody. */
export function returnPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/'
}
