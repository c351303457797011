// What a page needs to show Stripe's own card fields.

import type { StripeCardFields } from '../../core/gateway.ts'
import { methodPattern as tokenPattern } from './card-ref.ts'

/** Stripe's reference wants its script loaded from there, never from a copy; its security guide lists what it then reaches. */
const scriptUrl = 'https://js.stripe.com/v3/'
const scripts = ['https://js.stripe.com', 'https://*.js.stripe.com']
const reaches = { scripts, frames: [...scripts, 'https://hooks.stripe.com'], calls: ['https://api.stripe.com'] }

/** What stands in for Stripe has a script of its own, and everything in one place. */
export function cardFields(publishableKey: string, apiBase: URL | null): StripeCardFields {
  if (apiBase === null) return { kind: 'stripe', publishableKey, scriptUrl, tokenPattern, reaches }
  const there = [apiBase.origin]
  const all = { scripts: there, frames: there, calls: there }
  return { kind: 'stripe', publishableKey, scriptUrl: `${apiBase.origin}/stripe.js`, tokenPattern, reaches: all }
}
