// Stripe counts money in minor units of its own, which are not always those of ISO 4217. As its page of currencies
// documents: some currencies have no decimals there that have some elsewhere, two that have none are written with two
// zeros, and amounts of three decimals end in a zero. Nothing is rounded: what cannot be said exactly is not said.

import { type Currency, currencyDecimals, parseCurrency } from '../../core/money.ts'

/** Where Stripe's decimals differ from the currency's own. */
const stripeDecimals: { readonly [currency: string]: number } = { ISK: 2, UGX: 2, MGA: 0 }

export interface Money {
  readonly amountMinor: bigint
  readonly currency: Currency
}

/** Null: Stripe cannot take just this amount. */
export function toStripeAmount({ amountMinor, currency }: Money): number | null {
  const own = currencyDecimals(currency)
  const theirs = stripeDecimals[currency] ?? own
  if (own === 3 && amountMinor % 10n !== 0n) return null
  const amount = scaled(amountMinor, theirs - own)
  if (amount === null || amount > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return Number(amount)
}

/** Null: not an amount of a currency that we know. */
export function fromStripeAmount(amount: unknown, currency: unknown): Money | null {
  const known = typeof currency === 'string' ? parseCurrency(currency) : null
  if (known === null || !Number.isSafeInteger(amount) || Number(amount) < 0) return null
  const own = currencyDecimals(known)
  const amountMinor = scaled(BigInt(Number(amount)), own - (stripeDecimals[known] ?? own))
  return amountMinor === null ? null : { amountMinor, currency: known }
}

export function toStripeCurrency(currency: Currency): string {
  return currency.toLowerCase()
}

function scaled(amount: bigint, decimals: number): bigint | null {
  if (decimals >= 0) return amount * 10n ** BigInt(decimals)
  const divisor = 10n ** BigInt(-decimals)
  return amount % divisor === 0n ? amount / divisor : null
}
