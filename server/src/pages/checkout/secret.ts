// How a browser keeps the secret of its checkout: in the form, which pays with it, and in a cookie, so that a reload, the way
// back and a second tab are the same checkout.

import { type CheckoutSecret, checkoutLifeMs, parseCheckoutSecret } from '../../core/checkout.ts'
import { type OfferId, parseUuid, type TransactionId } from '../../core/ids.ts'
import { rootOf } from '../../core/root-path.ts'
import type { CheckoutPorts, FoundOffer } from './ports.ts'
import type { Form } from './typed-line.ts'

const cookieName = 'checkout'

export function checkoutCookie(baseUrl: string, { offer, look }: FoundOffer, secret: CheckoutSecret): string {
  const isTls = baseUrl.startsWith('https:')
  // In a frame on the merchant's site it is kept for that site alone. Browsers take such cookies by TLS only.
  const isFramed = isTls && look.frameAncestors.length > 0
  const parts = [
    `${cookieName}=${secret}`,
    `Path=${rootOf(baseUrl)}/offers/${offer.id}`,
    `Max-Age=${checkoutLifeMs / 1_000}`,
    'HttpOnly',
    ...(isFramed ? ['SameSite=None', 'Partitioned'] : ['SameSite=Lax']),
    ...(isTls ? ['Secure'] : []),
  ]
  return parts.join('; ')
}

/** Null: this browser was not here before. */
export function secretIn(cookies: string | undefined, now: Date): CheckoutSecret | null {
  const pairs = (cookies ?? '').split(';').map(pair => pair.trim())
  const own = pairs.find(pair => pair.startsWith(`${cookieName}=`)) ?? ''
  return parseCheckoutSecret(own.slice(cookieName.length + 1), now)
}

/** Which try of which checkout a form makes, and what it goes on with. */
export interface FormOf {
  readonly secret: CheckoutSecret
  readonly attempt: number
  /** The payment by mail; null: it begins one of its own. */
  readonly resumes: TransactionId | null
}

type Tokens = Pick<CheckoutPorts, 'formToken' | 'isFormToken' | 'now'>

export function formTokenOf(ports: Tokens, offerId: OfferId, form: FormOf): string {
  return ports.formToken(about(offerId, form))
}

export interface FormSent extends FormOf {
  /** Its page was open for too long. */
  readonly isOver: boolean
}

/** Null: it is not from a page of ours. */
export function formSent(ports: Tokens, offerId: OfferId, sent: Form): FormSent | null {
  const [, attempt] = /^(0|[1-9][0-9]{0,3})$/.exec(sent.attempt ?? '') ?? []
  if (attempt === undefined) return null
  // The token comes first: where it fits, the secret was in a page of ours, however long ago.
  const resumes = parseUuid<TransactionId>(sent.transaction ?? '')
  const form = { secret: (sent.checkout ?? '') as CheckoutSecret, attempt: Number(attempt), resumes }
  if (!ports.isFormToken(about(offerId, form), sent.form_token ?? '')) return null
  return { ...form, isOver: parseCheckoutSecret(form.secret, ports.now()) === null }
}

function about(offerId: OfferId, { secret, attempt, resumes }: FormOf): string {
  return `pay ${offerId} ${secret} ${attempt}${resumes === null ? '' : ` for ${resumes}`}`
}
