// What one customer may pay a merchant by mail: so much at once, so much and so often within a day, in each currency. Over that
// the customer is asked for their word, by a second mail or on the page: a slip of the hand costs so much and no more. Who has
// broken into the mailbox has their word as well; the merchant, who is told of each by a hook, may see it.

import { type Currency, currencyDecimals } from './money.ts'

/** In minor units of one currency; null: no limit. */
export interface MailLimits {
  readonly amountMaxMinor: bigint | null
  readonly dayAmountMaxMinor: bigint | null
  readonly dayPaymentsMax: number | null
}

/** What was paid by mail, and not called off, within the last day. */
export interface Spent {
  readonly amountMinor: bigint
  readonly payments: number
}

export const limitsForMs = 86_400_000

/** There are no rates here: the same numbers hold in whatever currency an offer is. */
export function limitsIn(limits: MailLimits, from: Currency, to: Currency): MailLimits {
  const scaled = (minor: bigint | null) => {
    if (minor === null) return null
    const [unit, other] = [from, to].map(currency => 10n ** BigInt(currencyDecimals(currency)))
    return unit === undefined || other === undefined ? minor : (minor * other) / unit
  }
  const { amountMaxMinor, dayAmountMaxMinor, dayPaymentsMax } = limits
  return { amountMaxMinor: scaled(amountMaxMinor), dayAmountMaxMinor: scaled(dayAmountMaxMinor), dayPaymentsMax }
}

export function isWithin(limits: MailLimits, spent: Spent, amountMinor: bigint): boolean {
  const { amountMaxMinor, dayAmountMaxMinor, dayPaymentsMax } = limits
  return (
    (amountMaxMinor === null || amountMinor <= amountMaxMinor) &&
    (dayAmountMaxMinor === null || spent.amountMinor + amountMinor <= dayAmountMaxMinor) &&
    (dayPaymentsMax === null || spent.payments < dayPaymentsMax)
  )
}
