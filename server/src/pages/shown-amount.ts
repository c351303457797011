// Amounts as customers read them.

import { type Currency, currencyDecimals, formatAmount } from '../core/money.ts'

/** `$1,234.50`, or in Spanish `1234,50 US$`. From the decimal text, never a float: what is shown is what is charged. */
export function shownAmount(amountMinor: bigint, currency: Currency, locale: string): string {
  const decimals = currencyDecimals(currency)
  const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...fraction })
  return format.format(formatAmount(amountMinor, currency) as Intl.StringNumericLiteral)
}
