// checkout: one customer at one offer in one browser. Its secret is in the page's form and in a cookie, so that a reload, the
// way back and a second tab are the same checkout, and it pays once: each try is a request under a key of its own, and
// the next key is given only when the try before has failed.

import type { Repetition } from './ports.ts'
import type { Sale } from './sale.ts'

export const checkoutOperation = 'page'
/** Who is refused so often tries cards, not to pay. */
export const attemptsMax = 20
/** Shorter than keys are kept: a page that was left open for longer could pay again for what is forgotten by now. */
export const checkoutLifeMs = 12 * 3_600_000

/** When it was made, in seconds to the base of 36, and then chance. */
export type CheckoutSecret = string & { readonly of: 'checkout' }
const madeDigits = 8

export function checkoutSecret(madeAt: Date, chance: string): CheckoutSecret {
  const seconds = Math.floor(madeAt.getTime() / 1_000)
  return `${seconds.toString(36).padStart(madeDigits, '0')}${chance}` as CheckoutSecret
}

/** Null: no such secret, or its time is over: the page begins a new checkout. */
export function parseCheckoutSecret(text: string, now: Date): CheckoutSecret | null {
  if (!/^[0-9a-z]{8}[A-Za-z0-9_-]{43}$/.test(text)) return null
  const ageMs = now.getTime() - Number.parseInt(text.slice(0, madeDigits), 36) * 1_000
  return ageMs > -clocksDifferMs && ageMs < checkoutLifeMs ? (text as CheckoutSecret) : null
}

/** Another process may have made it, whose clock is ahead. */
const clocksDifferMs = 5 * 60_000

/** How a try is known again; `name` is the hash of offer and secret, which itself is kept nowhere. */
export function attemptOf(name: string, number: number): Repetition {
  return { operation: checkoutOperation, key: `${name}.${number}`, argumentsHash: checkoutOperation }
}

/** Failed, and the gateway says otherwise: while a person looks into it, nobody may be asked to pay again. */
export function mayHavePaid({ transaction, operations }: Pick<Sale, 'transaction' | 'operations'>): boolean {
  if (transaction.status !== 'Failed') return true
  return operations.some(({ kind, forPerson }) => kind === 'charge' && forPerson !== null)
}

/** The try that stands for the checkout: one that may have paid, else the newest. Null: there was none. */
export function standing<Try extends { readonly mayHavePaid: boolean }>(tries: readonly Try[]): Try | null {
  return tries.find(({ mayHavePaid }) => mayHavePaid) ?? tries.at(-1) ?? null
}

/** One more than the newest: keys of old tries may be forgotten by now. */
export function nextAttempt(tries: readonly { readonly number: number }[]): number {
  return (tries.at(-1)?.number ?? -1) + 1
}

/** Within this time, from another checkout, the same card for the same offer may be a mistake: its customer is asked. */
export const mistakeWithinMs = 10 * 60_000
/** So long a card is in its vault after it was entered, or until its payment is settled, unless it is kept. */
export const onePaymentMs = 3_600_000
