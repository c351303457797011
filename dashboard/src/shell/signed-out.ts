// What becomes of somebody whose session is over. A page that is open asks them to sign in again, over it; who is still on
// the way to one goes to sign in, and back to where they were.

import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import type { Me } from '../../../server/src/console/contract/me.ts'
import { addressOf, answerOf, wasSignedIn } from '../ask/ask.ts'
import { nowIs } from '../ask/use-asked.ts'

const outside = ['/sign-in', '/forgot', '/reset', '/invitation']

let whenOver: (() => void) | null = null

/** For the page that is open. Returns how to stop. */
export function onSessionOver(listener: () => void): () => void {
  whenOver = listener
  return () => {
    whenOver = null
  }
}

export async function leadToSignIn(router: AnyRouter, queries: QueryClient): Promise<void> {
  const { pathname, href } = router.state.location
  if (outside.includes(pathname)) return
  // What was refused may have been asked just before the password was changed, with the cookie from before.
  const response = wasSignedIn() ? await fetch(addressOf('me')).catch(() => null) : null
  const asked = response && (await answerOf<{ me: Me }>(response))
  if (asked?.ok === true) {
    if (nowIs(queries, asked.body.me)) await queries.invalidateQueries()
    return
  }
  if (router.state.location.href !== href) return
  if (whenOver !== null) return whenOver()
  queries.clear()
  void router.navigate({ to: '/sign-in', search: href === '/' ? {} : { to: href }, replace: true })
}

/** Of who signed out, here or in another tab: nothing that was shown or typed stays. */
export async function leaveSignedOut(router: AnyRouter, queries: QueryClient): Promise<void> {
  if (outside.includes(router.state.location.pathname)) return
  await router.navigate({ to: '/sign-in', ignoreBlocker: true })
  queries.clear()
}

/** Only into the dashboard: what stands in an address may come from anybody. */
export function returnPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/'
}
