// Amounts as people read them.

/** `$1,234.50`, or in Spanish `1234,50 US$`. From the decimal text, never a float: what is shown is what is charged. */
export function shownMoney(amount: string, currency: string, locale: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0
  const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...fraction })
  return format.format(amount as Intl.StringNumericLiteral)
}
